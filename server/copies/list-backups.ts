import type { BackupFolder } from './backup-folder.ts';
import { partsOfManifest } from './manifest.ts';

/** What backups a folder has, the newest first. */
export async function listBackups(folder: BackupFolder): Promise<object> {
  const runs = [];
  for (const run of (await folder.runs()).reverse()) {
    try {
      const { manifest } = await folder.read(run);
      const parts = new Map(partsOfManifest(manifest).map(({ sha256, bytes }) => [sha256, bytes]));
      runs.push({
        run,
        created_at: manifest.createdAt,
        gateway: manifest.gateway,
        postgres: manifest.postgres,
        projects: manifest.projects.length,
        missing: manifest.projects.filter(({ saved }) => saved === null).length,
        bytes: [...parts.values()].reduce((sum, bytes) => sum + bytes, 0),
        secrets: manifest.secrets.by,
      });
    } catch (error) {
      runs.push({ run, damaged: (error as Error).message });
    }
  }
  return { folder: folder.path, runs };
}
