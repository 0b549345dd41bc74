import type { BackupContents, BackupSummary } from '../../resolvers/installation/services.ts';
import type { BackupFolder } from './backup-folder.ts';
import { type Manifest, partsOfManifest } from './manifest.ts';

/** The backups of a folder, the newest first. */
export async function summariesOf(folder: BackupFolder): Promise<BackupSummary[]> {
  const found: BackupSummary[] = [];
  for (const run of (await folder.runs()).reverse()) found.push(await summaryOf(folder, run));
  return found;
}

/**
 * Lists a folder again and again, as a page does that shows how far a backup has come. The manifest of a run is read
 * once, since a finished run does not change: it has megabytes where there are many projects.
 */
export function rememberedSummaries(folder: BackupFolder): () => Promise<BackupSummary[]> {
  let known = new Map<string, BackupSummary>();
  return async () => {
    const now = new Map<string, BackupSummary>();
    for (const run of (await folder.runs()).reverse()) {
      const name = `${run} ${await folder.stampOf(run)}`;
      now.set(name, known.get(name) ?? (await summaryOf(folder, run)));
    }
    known = now;
    return [...now.values()];
  };
}

async function summaryOf(folder: BackupFolder, run: string): Promise<BackupSummary> {
  const startedAt = startOf(run);
  try {
    const { manifest } = await folder.read(run);
    return { run, startedAt, contents: contentsOf(manifest), damaged: null };
  } catch (error) {
    return { run, startedAt, contents: null, damaged: (error as Error).message };
  }
}

/** The moment that the name of a backup begins with. */
const startOf = (run: string): Date =>
  new Date(run.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z.*$/, '$1-$2-$3T$4:$5:$6Z'));

function contentsOf(manifest: Manifest): BackupContents {
  const { control, projects, files, secrets, gateway, postgres } = manifest;
  const parts = new Map(partsOfManifest(manifest).map(({ sha256, bytes }) => [sha256, bytes]));
  const saved = projects.flatMap((one) => one.saved ?? []);
  return {
    createdAt: new Date(manifest.createdAt),
    gateway,
    postgres,
    databases: 1 + saved.length,
    projects: projects.length,
    missing: projects.length - saved.length,
    rows: [control, ...saved].flatMap(({ tables }) => tables).reduce((sum, { rows }) => sum + rows, 0),
    files: files.length,
    bytes: [...parts.values()].reduce((sum, bytes) => sum + bytes, 0),
    secrets: secrets.by,
  };
}

/** The backups of a folder, as the program tells of them. */
export async function listBackups(folder: BackupFolder): Promise<object> {
  const runs = (await summariesOf(folder)).map(({ run, contents, damaged }) => {
    if (contents === null) return { run, damaged };
    const { createdAt, gateway, postgres, projects, missing, bytes, secrets } = contents;
    return { run, created_at: createdAt.toISOString(), gateway, postgres, projects, missing, bytes, secrets };
  });
  return { folder: folder.path, runs };
}
