import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from './config.ts';

/** Where a restore makes a data folder before it is whole. */
export const unfinishedRestore = (dataDir: string) => join(dataDir, 'restoring');

/** @throws ConfigError while the data folder is not whole: a start would make a new database beside what is restored */
export async function requireNoRestore(dataDir: string): Promise<void> {
  const path = unfinishedRestore(dataDir);
  if ((await stat(path).catch(() => undefined)) === undefined) return;
  throw new ConfigError([
    `A restore into ${dataDir} has not finished: run svc restore again, or remove ${path} to give it up.`,
  ]);
}
