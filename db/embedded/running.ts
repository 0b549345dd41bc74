import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { dataIn, readPassword } from './data-folder.ts';
import { pointerIn } from './place.ts';
import { findLivingPostmaster, readPostmasterFile, superuserUrl, waitUntilReady } from './postmaster.ts';

/** Where the Postgres of a data folder lives; undefined where there is none. */
export async function homeOf(dataDir: string): Promise<string | undefined> {
  const wanted = join(resolve(dataDir), 'postgres');
  const moved = (await readFile(pointerIn(wanted), 'utf8').catch(() => undefined))?.trim();
  const home = moved ?? wanted;
  return (await stat(dataIn(home)).catch(() => undefined)) === undefined ? undefined : home;
}

/** The superuser's URL of the server that runs in a data folder, no matter which process started it; undefined when none does. */
export async function runningServerUrl(home: string): Promise<string | undefined> {
  const data = dataIn(home);
  const living = await findLivingPostmaster(data, await readPostmasterFile(data));
  if (living === undefined) return undefined;
  const password = await readPassword(home);
  const port = await waitUntilReady(data, living, password);
  return port === undefined ? undefined : superuserUrl(port, password);
}
