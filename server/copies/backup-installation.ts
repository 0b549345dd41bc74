import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type pg from 'pg';
import type { KeyRing } from '../../core/keys.ts';
import { measureDatabases } from '../../db/database-sizes.ts';
import { withClient } from '../../db/with-client.ts';
import type { ContentStore } from '../../engines/copies/content-store.ts';
import { saveDatabase } from '../../engines/copies/save-database.ts';
import { saveProjectDatabase } from '../../engines/copies/save-project.ts';
import { seal } from '../../engines/copies/sealed.ts';
import { previousSecretFile } from '../root-secret.ts';
import type { BackupFolder } from './backup-folder.ts';
import { type Manifest, type SavedProject, writeManifest } from './manifest.ts';
import type { Report } from './report.ts';

export interface Installation {
  readonly controlUrl: string;
  /** Administrators' URLs of the project servers by name. */
  readonly servers: Readonly<Record<string, string>>;
  readonly dataDir: string;
  /** Where objects are instead, so that a backup does not hold them. */
  readonly bucket?: string | undefined;
  readonly keys: KeyRing;
  /** Root secrets, current first. */
  readonly roots: readonly Buffer[];
  readonly version: string;
}

export interface BackupOptions {
  readonly installation: Installation;
  readonly folder: BackupFolder;
  /** Undefined: secrets are sealed under the root secret, which is then not among them. */
  readonly passphrase: string | undefined;
  readonly report: Report;
  readonly signal: AbortSignal;
}

/** What a backup amounts to. */
export interface BackupResult {
  readonly run: string;
  readonly databases: number;
  readonly rows: number;
  readonly stored_parts: number;
  readonly stored_bytes: number;
  /** Databases of projects that could not be saved, and why. */
  readonly missing: readonly { readonly database: string; readonly reason: string }[];
  readonly left_out: readonly string[];
}

/** Saves a whole installation while it serves. */
export async function backupInstallation(options: BackupOptions): Promise<BackupResult> {
  const { installation, folder, passphrase, report, signal } = options;
  const id = `${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}-${randomBytes(3).toString('hex')}`;
  report.step('begin', { run: id });
  const store = await folder.openStore();

  report.step('control');
  let facts: ControlFacts | undefined;
  let sizes: ReadonlyMap<string, number> = new Map();
  const control = await saveDatabase({
    url: installation.controlUrl,
    store,
    onSize: report.expect,
    onBytes: report.done,
    signal,
    also: async (client) => {
      const first = facts === undefined;
      facts = await readControl(client, installation.keys);
      if (first) report.stretch(facts.bytes);
      sizes = await databaseSizes(installation, facts.projects);
      report.all([...sizes.values()].reduce((sum, bytes) => sum + bytes, facts.bytes));
    },
  });
  const { projects: found, postgres } = facts!;
  report.step('control-saved');
  const leftOut = [
    ...control.leftOut.map((one) => `Control database: ${one}`),
    ...(installation.bucket === undefined ? [] : [`Objects: those of the bucket ${installation.bucket}`]),
  ];
  const projects: SavedProject[] = [];
  for (const project of found) {
    signal.throwIfAborted();
    report.step('project', { database: project.databaseName });
    const { saved, left } = await saveProject(project, options, store, sizes.get(sizeKey(project)) ?? 0);
    projects.push(saved);
    leftOut.push(...left.map((one) => `${project.databaseName}: ${one}`));
    report.step('project-saved', { database: project.databaseName });
  }
  report.step('files');
  const files = await saveFiles(join(installation.dataDir, 'objects'), store);
  const manifest: Manifest = {
    format: 1,
    id,
    createdAt: new Date().toISOString(),
    gateway: installation.version,
    postgres,
    rootFingerprint: installation.keys.fingerprints()[0]!,
    control: control.database,
    projects,
    files,
    secrets: await sealSecrets(installation, passphrase, id),
    leftOut,
  };
  report.step('manifest');
  await folder.add(id, writeManifest(manifest, installation.keys.key('backups')));
  const tables = [control.database, ...projects.flatMap(({ saved }) => saved ?? [])].flatMap((one) => one.tables);
  return {
    run: id,
    databases: 1 + projects.filter(({ saved }) => saved !== null).length,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    stored_parts: store.added.parts,
    stored_bytes: store.added.bytes,
    missing: projects.flatMap(({ databaseName, missing }) =>
      missing === null ? [] : [{ database: databaseName, reason: missing }],
    ),
    left_out: leftOut,
  };
}

type FoundProject = Pick<SavedProject, 'id' | 'server' | 'databaseName' | 'roleName'>;

interface ControlFacts {
  readonly projects: readonly FoundProject[];
  readonly postgres: string;
  /** What the control database takes on disk. */
  readonly bytes: number;
}

/** The control database and the root secret of this process do not belong together. */
export class OtherRootError extends Error {
  override readonly name = 'OtherRootError';
}

async function readControl(client: pg.Client, keys: KeyRing): Promise<ControlFacts> {
  const facts = await client.query<{ value: unknown }>(
    "select value from public.platform_facts where key = 'root_fingerprint'",
  );
  if (facts.rows[0]?.value !== keys.fingerprints()[0])
    throw new OtherRootError('This control database belongs to another root secret than SVC_SECRET_KEY or secret.key.');
  // What is being made or dropped is made or dropped by its operation after a restore, too.
  const projects = await client.query<FoundProject>(
    `select id, server, database_name as "databaseName", role_name as "roleName"
      from public.projects where state = 'ready' order by created_at, id`,
  );
  const server = await client.query<{ postgres: string; bytes: number }>(
    `select current_setting('server_version') as postgres, pg_database_size(current_database())::float8 as bytes`,
  );
  return { projects: projects.rows, ...server.rows[0]! };
}

const sizeKey = ({ server, databaseName }: Pick<FoundProject, 'server' | 'databaseName'>) =>
  `${server}/${databaseName}`;

/** What databases take on disk. One of a server that does not answer is missing; its project tells why, later. */
async function databaseSizes(
  { servers }: Installation,
  projects: readonly FoundProject[],
): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (const [server, url] of Object.entries(servers)) {
    const names = projects.filter((one) => one.server === server).map(({ databaseName }) => databaseName);
    const measured = await withClient(url, (client) => measureDatabases(client, names), { name: 'backup' }).catch(
      () => undefined,
    );
    for (const [databaseName, bytes] of measured ?? []) sizes.set(sizeKey({ server, databaseName }), bytes);
  }
  return sizes;
}

/** One that fails keeps no other from being saved: a tenant can be at fault. */
async function saveProject(
  project: FoundProject,
  { installation, report, signal }: BackupOptions,
  store: ContentStore,
  size: number,
): Promise<{ readonly saved: SavedProject; readonly left: readonly string[] }> {
  const empty = { ...project, saved: null, missing: null, templateVersion: 0, live: [] };
  const server = installation.servers[project.server];
  if (server === undefined)
    return {
      saved: { ...empty, missing: `PROJECT_DATABASE_URLS does not name its server ${project.server}` },
      left: [],
    };
  const url = new URL(server);
  url.pathname = `/${project.databaseName}`;
  report.stretch(size);
  try {
    const { database, template, leftOut } = await saveProjectDatabase({
      url: url.href,
      store,
      onSize: report.expect,
      onBytes: report.done,
      signal,
    });
    return { saved: { ...empty, ...template, saved: database }, left: leftOut };
  } catch (error) {
    signal.throwIfAborted();
    return { saved: { ...empty, missing: (error as Error).message }, left: [] };
  }
}

/** Copies files that are addressed by content; those that an earlier run has stored are not read again. */
async function saveFiles(folder: string, store: ContentStore): Promise<Manifest['files']> {
  const files: Manifest['files'] = [];
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  for (const path of names.sort()) {
    const source = join(folder, path);
    // What comes and goes meanwhile belongs to no finished upload.
    const found = await stat(source).catch(() => undefined);
    if (found?.isFile() !== true) continue;
    const sha256 = basename(path);
    const known = { sha256, bytes: found.size, content: sha256 };
    if (/^[0-9a-f]{64}$/.test(sha256) && (await store.has(known))) files.push({ path, part: known });
    else files.push({ path, part: await store.file(createReadStream(source)) });
  }
  return files;
}

/** Small files of secrets in the data folder, by their names; the root secret is among them only under a passphrase. */
async function sealSecrets({ dataDir, roots, keys }: Installation, passphrase: string | undefined, id: string) {
  const secrets: Record<string, string> = {};
  for (const name of (await readdir(dataDir).catch(() => [])).filter((one) => one.endsWith('.key')))
    secrets[name] = await readFile(join(dataDir, name), 'utf8');
  delete secrets['secret.key'];
  delete secrets[previousSecretFile];
  if (roots[1] !== undefined) secrets[previousSecretFile] = `${roots[1].toString('hex')}\n`;
  if (passphrase === undefined) return seal(JSON.stringify(secrets), { key: keys.key('backup-secrets') }, id);
  secrets['secret.key'] = `${roots[0]!.toString('hex')}\n`;
  return seal(JSON.stringify(secrets), { passphrase }, id);
}
