import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, ConfigError } from './config.ts';
import { readSecretKey } from './config-values.ts';
import { keptSecret } from './secret-file.ts';

export interface RootSecret {
  /** For the key ring, current first. */
  readonly roots: readonly Buffer[];
  /** Removes the file again if this start made it: its database turned out to belong to a secret that was lost. */
  readonly takeBack: () => Promise<void>;
}

const kept = async () => {};

/**
 * The root secrets for the key ring, current first: from the environment, else (in development) from
 * `<dataDir>/secret.key`, which is made at the first start. Processes that start together agree on one.
 *
 * @throws ConfigError in production without SVC_SECRET_KEY, or when the file is damaged
 */
export async function loadRootSecret(
  config: Pick<Config, 'production' | 'secretKey' | 'previousSecretKey' | 'dataDir'>,
): Promise<RootSecret> {
  const { secretKey, previousSecretKey } = config;
  if (secretKey !== undefined) {
    return { roots: previousSecretKey === undefined ? [secretKey] : [secretKey, previousSecretKey], takeBack: kept };
  }
  if (config.production) throw new ConfigError(['SVC_SECRET_KEY must be set when NODE_ENV is production.']);
  const path = join(config.dataDir, 'secret.key');
  const { value, made } = await keptSecret(path, {
    read: readSecretKey,
    make: () => randomBytes(32).toString('hex'),
    damaged: () =>
      new ConfigError([
        `SVC_SECRET_KEY is not set and ${path} is damaged: restore the file, or remove it together with the data it belongs to.`,
      ]),
  });
  return { roots: [value], takeBack: made ? () => rm(path, { force: true }) : kept };
}
