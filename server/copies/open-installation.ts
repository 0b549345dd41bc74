import { join } from 'node:path';
import { KeyRing } from '../../core/keys.ts';
import { EmbeddedPostgresError } from '../../db/embedded/error.ts';
import { homeOf, runningServerUrl } from '../../db/embedded/running.ts';
import { startEmbeddedPostgres } from '../../db/embedded/start.ts';
import { type Config, ConfigError } from '../config.ts';
import { previousSecret, rootsOf, secretFile } from '../root-secret.ts';
import type { Installation } from './backup-installation.ts';

export interface OpenInstallation extends Installation {
  /** Stops what was started for it. */
  readonly close: () => Promise<void>;
}

/**
 * Finds the databases of an installation as its configuration names them. The embedded server is used as it runs; one
 * that does not run is started, and stopped at the end.
 */
export async function openInstallation(config: Config, version: string): Promise<OpenInstallation> {
  const { dataDir, databaseUrl } = config;
  const roots = await readRoots(config);
  const { url, close } =
    databaseUrl === undefined ? await openEmbedded(dataDir) : { url: databaseUrl, close: async () => {} };
  return {
    controlUrl: url,
    servers: config.projectDatabaseUrls ?? { main: url },
    dataDir,
    bucket: config.s3?.bucket,
    keys: new KeyRing(...roots),
    roots,
    version,
    close,
  };
}

/** The root secrets, current first. Unlike a start, this makes none. @throws ConfigError without one */
async function readRoots(config: Config): Promise<readonly Buffer[]> {
  const { secretKey, dataDir } = config;
  const found = secretKey ?? (await secretFile(dataDir));
  if (found !== undefined) return rootsOf(found, await previousSecret(config));
  throw new ConfigError([
    `SVC_SECRET_KEY is not set and ${join(dataDir, 'secret.key')} does not exist: name the data folder by SVC_DATA_DIR.`,
  ]);
}

async function openEmbedded(dataDir: string): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const home = await homeOf(dataDir);
  if (home === undefined)
    throw new EmbeddedPostgresError(
      `There is no database in ${dataDir}; name the data folder by SVC_DATA_DIR, or the server by DATABASE_URL.`,
    );
  const running = await runningServerUrl(home);
  if (running !== undefined) return { url: controlIn(running), close: async () => {} };
  const server = await startEmbeddedPostgres({ dataDir });
  return { url: controlIn(server.url), close: () => server.stop() };
}

/** The control database of an embedded server. */
export function controlIn(serverUrl: string): string {
  const url = new URL(serverUrl);
  url.pathname = '/svc';
  return url.href;
}
