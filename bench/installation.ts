import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '../db/embedded/start.ts';
import { ensureDatabase } from '../db/ensure-database.ts';
import { type Server, startServer, stopAll } from './processes.ts';

/** A gateway with a Postgres server of its own, in a folder of its own. */
export interface Installation {
  readonly folder: string;
  /** Of the control database. */
  readonly databaseUrl: string;
  /** The root secret. */
  readonly root: Buffer;
  /** What the gateway was started with. */
  readonly environment: Readonly<Record<string, string>>;
  readonly gateway: Server;
  /** Starts one more gateway like it, which ends with the run. */
  readonly startNode: () => Promise<Server>;
  /** Ends and removes all of it. */
  readonly stop: () => Promise<void>;
}

export interface InstallationOptions {
  /** Of Postgres, beside those that all have. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Of the gateway, beside what every one needs. */
  readonly env?: Readonly<Record<string, string>>;
  /** Of Node, for the gateway. */
  readonly flags?: readonly string[];
}

/** Servers of this run that have not been stopped. */
const servers = new Set<() => Promise<void>>();

/** Starts one. Whatever began before a failure ends again. */
export async function startInstallation({
  settings = {},
  env = {},
  flags = [],
}: InstallationOptions = {}): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  // Postgres runs as another user when the bench runs as root, and has to get in.
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    // As a server would run, but that a commit does not wait for this machine's disk: that would be all one measures.
    settings: { synchronous_commit: 'off', shared_buffers: '256MB', ...settings },
  });
  const stopServer = async () => {
    servers.delete(stopServer);
    await postgres.stop();
    for (const path of [postgres.dataDir, folder]) await rm(path, { recursive: true, force: true, maxRetries: 5 });
  };
  servers.add(stopServer);
  try {
    const databaseUrl = await ensureDatabase(postgres.url, 'svc');
    const root = randomBytes(32);
    const environment = {
      DATABASE_URL: databaseUrl,
      PORT: '0',
      LOG_LEVEL: 'warn',
      SVC_DATA_DIR: join(folder, 'gateway'),
      SVC_SECRET_KEY: root.toString('hex'),
      ...env,
    };
    const unlimited = ['--import', fileURLToPath(new URL('subjects/unlimited.ts', import.meta.url))];
    const startNode = () => startServer('../server/main.ts', environment, folder, [...unlimited, ...flags]);
    const gateway = await startNode();
    const stop = async () => {
      await gateway.stop();
      await stopServer();
    };
    return { folder, databaseUrl, root, environment, gateway, startNode, stop };
  } catch (error) {
    await stopServer();
    throw error;
  }
}

/** Ends every process and every server of this run, whatever happened. */
export async function stopInstallations(): Promise<void> {
  await stopAll();
  await Promise.all([...servers].map((stop) => stop()));
}
