import { mkdir, rename } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { KeyRing } from '../../core/keys.ts';
import { syncFolder } from '../../core/sync-folder.ts';
import { startEmbeddedPostgres } from '../../db/embedded/start.ts';
import { ensureDatabase } from '../../db/ensure-database.ts';
import { templateVersion } from '../../db/project-template.ts';
import type { ContentStore } from '../../engines/copies/content-store.ts';
import { type Opener, unseal } from '../../engines/copies/sealed.ts';
import type { Config } from '../config.ts';
import { readSecretKey } from '../config-values.ts';
import { previousSecretFile, rootsOf, secretFile } from '../root-secret.ts';
import type { BackupFolder } from './backup-folder.ts';
import { type Manifest, ManifestError, partsOfManifest } from './manifest.ts';
import type { Report } from './report.ts';
import { type RestoreDatabasesOptions, restoreDatabases } from './restore-databases.ts';
import { PassphraseNeededError, RestoreError } from './restore-error.ts';
import { Staging } from './staging.ts';

export interface RestoreOptions {
  readonly config: Config;
  readonly folder: BackupFolder;
  /** @default the latest */
  readonly run: string | undefined;
  readonly leaveOut: ReadonlySet<string>;
  /** Longest that the tenant's statements of one project may take together, in milliseconds. */
  readonly projectMs: number;
  readonly report: Report;
  readonly signal: AbortSignal;
}

/** Settings of a server that has no clients yet: rows of new tables need not be written twice. */
const loadSettings = {
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
  checkpoint_timeout: '1h',
};

/** Long enough for the last checkpoint, in milliseconds. */
const stopMs = 600_000;

/** Brings a saved installation back: into an empty data folder, or into the servers of `DATABASE_URL`. */
export async function restoreInstallation(options: RestoreOptions): Promise<object> {
  const { config, folder, leaveOut, report } = options;
  const staging = new Staging(config.dataDir);
  const begun = await staging.begun();
  const id = options.run ?? begun?.run ?? (await folder.runs()).at(-1);
  if (id === undefined) throw new RestoreError(`There is no finished backup in ${folder.path}.`);
  if (begun !== undefined && begun.run !== id)
    throw new RestoreError(
      `A restore of the backup ${begun.run} was cut short in ${config.dataDir}; go on with --run ${begun.run}.`,
    );
  if (begun === undefined) await staging.requireEmpty();
  const { manifest, writtenBy } = await folder.read(id);
  report.step('secrets', { run: id });
  const { roots, secrets, closed } = await openSecrets(manifest, config, staging);
  const keys = new KeyRing(...roots);
  // Definitions of the control database are run by an administrator: no other role may have written them.
  if (!roots.some((root) => writtenBy(new KeyRing(root).key('backups'))))
    throw new ManifestError(
      `The manifest of the backup ${id} was changed by somebody who does not have the root secret.`,
    );
  checkPlan(manifest, config, leaveOut);
  report.step('verify');
  const store = await folder.openStore();
  await verifyParts(manifest, store, options);

  const lock = await staging.make(id);
  try {
    let notes: string[] = [];
    if (begun?.moving !== true) {
      report.step('files');
      await writeSecrets(secrets, staging);
      await restoreFiles(manifest, store, staging);
      notes = await intoServers(options, { manifest, store, keys, resumed: begun !== undefined }, staging);
      report.step('move');
      await staging.markMoving();
    }
    await staging.move((name) => report.step('moved', { name }));
    return {
      run: id,
      created_at: manifest.createdAt,
      data_dir: staging.target,
      databases: 1 + manifest.projects.length,
      left_out: [
        ...manifest.leftOut,
        ...(closed ? ['Files of secrets (*.key) besides the root secret: they need the passphrase.'] : []),
        ...notes,
      ],
    };
  } catch (error) {
    // With a server of the operator's own there is nothing to go on with but copies of small files.
    if (begun === undefined && config.databaseUrl !== undefined) await staging.giveUp();
    throw error;
  } finally {
    await lock.release();
    await staging.clear();
  }
}

async function intoServers(
  { config, leaveOut, projectMs, report, signal }: RestoreOptions,
  what: Pick<RestoreDatabasesOptions, 'manifest' | 'store' | 'keys' | 'resumed'>,
  staging: Staging,
): Promise<string[]> {
  const common = { ...what, leaveOut, projectMs, report, signal };
  if (config.databaseUrl !== undefined) {
    const servers = config.projectDatabaseUrls ?? { main: config.databaseUrl };
    return restoreDatabases({ ...common, controlUrl: config.databaseUrl, servers });
  }
  report.step('server');
  const server = await startEmbeddedPostgres({ dataDir: staging.path, settings: loadSettings });
  try {
    const controlUrl = await ensureDatabase(server.url, 'svc');
    return await restoreDatabases({
      ...common,
      controlUrl,
      servers: config.projectDatabaseUrls ?? { main: controlUrl },
    });
  } finally {
    report.step('stop');
    await server.stop(stopMs);
  }
}

/** @throws RestoreError for what cannot go well, before anything is made */
function checkPlan({ projects }: Manifest, config: Config, leaveOut: ReadonlySet<string>): void {
  const servers = config.projectDatabaseUrls ?? { main: '' };
  for (const { databaseName, server, saved, missing, templateVersion: version } of projects) {
    if (!Object.hasOwn(servers, server))
      throw new RestoreError(`Projects live on a server ${server}; name one by PROJECT_DATABASE_URLS.`);
    if (version > templateVersion)
      throw new RestoreError('The backup is of a newer version of the gateway; restore with that one.');
    if (saved === null && !leaveOut.has(databaseName))
      throw new RestoreError(
        `The backup lacks the database ${databaseName} (${missing}); make it empty with --leave-out ${databaseName}, or take another run.`,
      );
  }
  const names = new Set(projects.map(({ databaseName }) => databaseName));
  for (const name of leaveOut) if (!names.has(name)) throw new RestoreError(`The backup has no database ${name}.`);
}

interface OpenedSecrets {
  readonly roots: readonly Buffer[];
  /** Files for the data folder by their names. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Whether files of secrets stay closed, because no passphrase was given. */
  readonly closed: boolean;
}

/** The root secret comes from the environment, from a file in the data folder, or from the backup by its passphrase. */
async function openSecrets(manifest: Manifest, config: Config, staging: Staging): Promise<OpenedSecrets> {
  const { rootFingerprint, secrets: sealed, id } = manifest;
  const { previousSecretKey } = config;
  const given = config.secretKey ?? (await secretFile(staging.target)) ?? (await secretFile(staging.path));
  const fits = (root: Buffer) => new KeyRing(root).fingerprints()[0] === rootFingerprint;
  if (given !== undefined && !fits(given) && !(previousSecretKey !== undefined && fits(previousSecretKey)))
    throw new RestoreError('The backup belongs to another root secret than SVC_SECRET_KEY or secret.key.');
  const open = async (opener: Opener): Promise<Record<string, string> | undefined> => {
    const text = await unseal(sealed, opener, id);
    if (text === undefined) return undefined;
    const secrets = JSON.parse(text) as Record<string, string>;
    // One that the environment gives is not written down.
    if (previousSecretKey !== undefined) delete secrets[previousSecretFile];
    return secrets;
  };
  if (sealed.by === 'root') {
    if (given === undefined)
      throw new RestoreError(
        'The root secret is not in this backup: give it as SVC_SECRET_KEY, or put secret.key into the data folder.',
      );
    const root = fits(given) ? given : previousSecretKey!;
    const secrets = await open({ key: new KeyRing(root).key('backup-secrets') });
    if (secrets === undefined) throw new ManifestError(`The secrets of the backup ${id} are damaged.`);
    return { roots: rootsOf(given, previousSecretKey ?? sealedPrevious(secrets)), secrets, closed: false };
  }
  if (config.backupPassphrase === undefined && given === undefined) throw new PassphraseNeededError();
  const closed = config.backupPassphrase === undefined;
  const secrets = closed ? {} : await open({ passphrase: config.backupPassphrase });
  if (secrets === undefined) throw new RestoreError(`The passphrase is not the one of the backup ${id}.`);
  const root = given ?? readSecretKey((secrets['secret.key'] ?? '').trim());
  if (root === undefined || (given === undefined && !fits(root)))
    throw new ManifestError(`The secrets of the backup ${id} are damaged.`);
  const roots = rootsOf(root, previousSecretKey ?? sealedPrevious(secrets));
  if (config.secretKey !== undefined) delete secrets['secret.key'];
  return { roots, secrets, closed };
}

/** The root secret that was being taken out of use as the backup was made. */
const sealedPrevious = (secrets: OpenedSecrets['secrets']) => readSecretKey((secrets[previousSecretFile] ?? '').trim());

/** Reads every part before any of them is used. @throws DamagedPartError */
async function verifyParts(manifest: Manifest, store: ContentStore, { report, signal }: RestoreOptions): Promise<void> {
  const parts = new Map(partsOfManifest(manifest).map((part) => [part.sha256, part]));
  const all = [...parts.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  // Read once to be verified; then what it holds, which is a few times as long.
  report.all(4);
  report.stretch(1);
  report.expect(all);
  for (const part of parts.values()) {
    signal.throwIfAborted();
    await store.verify(part);
    report.done(part.bytes);
  }
  report.stretch(3);
  report.expect(all * 3);
}

async function writeSecrets(secrets: OpenedSecrets['secrets'], staging: Staging): Promise<void> {
  for (const [name, text] of Object.entries(secrets)) {
    if (!/^[\w.-]+\.key$/.test(name))
      throw new ManifestError(`The backup has a secret of a name that is none: ${name}.`);
    await staging.write(name, text);
  }
}

async function restoreFiles({ files }: Manifest, store: ContentStore, staging: Staging): Promise<void> {
  const folders = new Set<string>();
  for (const { path, part } of files) {
    const clean = normalize(path);
    if (clean.startsWith('..') || clean.startsWith('/'))
      throw new ManifestError(`A file of the backup has a path that leads out of it.`);
    const target = join(staging.path, 'objects', clean);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await store.copyTo(part, `${target}.new`);
    await rename(`${target}.new`, target);
    folders.add(dirname(target));
  }
  for (const folder of folders) await syncFolder(folder);
}
