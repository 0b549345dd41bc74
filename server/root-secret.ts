import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
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

/** Name of the file in which a restore keeps the root secret that was being taken out of use. */
export const previousSecretFile = 'secret-previous.key';

/** The root secret that a data folder keeps; undefined when it keeps none. */
export async function secretFile(dataDir: string): Promise<Buffer | undefined> {
  const text = await readFile(join(dataDir, 'secret.key'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : readSecretKey(text.trim());
}

/**
 * The root secret before the current one: from the environment, else as a restore has kept it.
 *
 * @throws ConfigError when the file is damaged: what that secret made would be refused without a word
 */
export async function previousSecret({
  previousSecretKey,
  dataDir,
}: Pick<Config, 'previousSecretKey' | 'dataDir'>): Promise<Buffer | undefined> {
  if (previousSecretKey !== undefined) return previousSecretKey;
  const path = join(dataDir, previousSecretFile);
  const text = await readFile(path, 'utf8').catch(() => undefined);
  const found = text === undefined ? undefined : readSecretKey(text.trim());
  if (text !== undefined && found === undefined)
    throw new ConfigError([`${path} is damaged: restore the file, or set SVC_SECRET_KEY_PREVIOUS.`]);
  return found;
}

/** Root secrets for a key ring, current first. */
export const rootsOf = (current: Buffer, previous: Buffer | undefined): readonly Buffer[] =>
  previous === undefined || previous.equals(current) ? [current] : [current, previous];

/**
 * The root secrets for the key ring, current first: from the environment, else (in development) from
 * `<dataDir>/secret.key`, which is made at the first start. Processes that start together agree on one. A previous one
 * comes from the environment, too, else from the file that a restore has made.
 *
 * @throws ConfigError in production without SVC_SECRET_KEY, or when the file is damaged
 */
export async function loadRootSecret(
  config: Pick<Config, 'production' | 'secretKey' | 'previousSecretKey' | 'dataDir'>,
): Promise<RootSecret> {
  const { secretKey } = config;
  const previous = await previousSecret(config);
  if (secretKey !== undefined) return { roots: rootsOf(secretKey, previous), takeBack: kept };
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
  return { roots: rootsOf(value, previous), takeBack: made ? () => rm(path, { force: true }) : kept };
}
