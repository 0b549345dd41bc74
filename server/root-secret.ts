import { randomBytes } from 'node:crypto';
import { chmod, link, open, readFile, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../db/make-folder.ts';
import { type Config, ConfigError } from './config.ts';
import { readSecretKey } from './config-values.ts';

/** Bits of a file's mode that let anybody but its owner in. */
const othersMask = 0o077;

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
  await makeFolder(config.dataDir);
  const path = join(config.dataDir, 'secret.key');
  const found = await readSecretFile(path);
  if (found !== undefined) return { roots: [found], takeBack: kept };
  return { roots: [await makeSecretFile(path)], takeBack: () => rm(path, { force: true }) };
}

/** The secret that the file holds, or undefined when there is no file. Access by others is taken away. */
async function readSecretFile(path: string): Promise<Buffer | undefined> {
  let content: string;
  try {
    content = await readFile(path, 'utf8');
    if (process.platform !== 'win32' && ((await stat(path)).mode & othersMask) !== 0) await chmod(path, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const key = readSecretKey(content.trim());
  if (key !== undefined) return key;
  throw new ConfigError([
    `SVC_SECRET_KEY is not set and ${path} is damaged: restore the file, or remove it together with the data it belongs to.`,
  ]);
}

async function makeSecretFile(path: string): Promise<Buffer> {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${randomBytes(32).toString('hex')}\n`);
    await file.sync();
    await file.close();
    // A link appears whole or not at all, and never replaces the file of a process that was faster.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await file.close();
    await unlink(draft);
  }
  return (await readSecretFile(path))!;
}
