import { randomBytes, randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { programIn } from './binaries.ts';
import { EmbeddedPostgresError } from './error.ts';
import type { Log } from './log.ts';
import type { Place } from './place.ts';
import { run } from './run.ts';
import { giveTo } from './server-user.ts';

const passwordBytes = 32;

/** The folder `postgres -D` is given. It exists only once it is complete. */
export const dataIn = (home: string) => join(home, 'data');

/**
 * The superuser's password, kept 0600 beside the data.
 * @throws EmbeddedPostgresError when the file is gone or empty.
 */
export async function readPassword(home: string): Promise<string> {
  const path = join(home, 'password');
  const password = await readFile(path, 'utf8').catch(() => '');
  if (password.trim() !== '') return password.trim();
  throw new EmbeddedPostgresError(
    `The password file ${path} of the database beside it is lost; put it back, or remove ${home} to start with an empty database.`,
  );
}

/**
 * Makes the data folder unless there is one. `initdb` works in a folder of its own, which is renamed into place when it
 * is finished: one that was killed midway leaves rubbish, never a database that looks made.
 * @param programs Folder of the Postgres programs.
 * @param durable false skips the wait for the disk; for tests.
 */
export async function prepareData(place: Place, programs: string, durable: boolean, log: Log): Promise<void> {
  const { home, user } = place;
  await removeUnfinished(home);
  if (await stat(dataIn(home)).catch(() => undefined)) return;

  const workshop = join(home, `tmp-${randomUUID()}`);
  await mkdir(workshop, { mode: 0o700 });
  const password = randomBytes(passwordBytes).toString('base64url');
  // initdb reads it as the server's user; our own copy stays out of that user's reach.
  const passwordForInitdb = join(workshop, 'password');
  await writeSecret(passwordForInitdb, password);
  await giveTo(user, passwordForInitdb);
  await giveTo(user, workshop);

  const finished = join(workshop, 'data');
  const { ok, output } = await run(
    programIn(programs, 'initdb'),
    [
      ...['-D', finished, '-U', 'postgres', '--pwfile', passwordForInitdb, '-A', 'scram-sha-256', '-E', 'UTF8'],
      // The same ordering and case rules on every system, whatever its libc knows.
      ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--no-instructions'],
      ...(durable ? [] : ['--no-sync']),
    ],
    user,
  );
  if (!ok) {
    await removeUnfinished(home);
    const reason = output.match(/(?:error|FATAL): *(.+)/)?.[1] ?? output.split('\n').at(-1);
    throw new EmbeddedPostgresError(`A new database could not be made in ${home}: ${reason}.`);
  }
  await writeSecret(join(home, 'password'), password);
  await rename(finished, dataIn(home));
  // Or a power cut could take the rename back after commits were acknowledged.
  if (durable && process.platform !== 'win32') await syncFolder(home);
  await rm(workshop, { recursive: true, force: true });
  log('made a new database', { folder: home });
}

/** What starts that were cut short left behind. An `initdb` that outlived its gateway may still be writing: hence the retries. */
async function removeUnfinished(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (name.startsWith('tmp-')) await rm(join(home, name), { recursive: true, force: true, maxRetries: 10 });
  }
}

async function writeSecret(path: string, secret: string): Promise<void> {
  const aside = `${path}.new`;
  await rm(aside, { force: true });
  await writeFile(aside, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
  await rename(aside, path);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/**
 * The folder for the server's unix socket, or undefined where the socket's path would not fit the system's limit.
 * Sockets of dead servers are removed: call only when no server runs here.
 */
export async function prepareSocketFolder({ home, user }: Place): Promise<string | undefined> {
  const folder = join(home, 'socket');
  const longestPath = `${folder}/.s.PGSQL.65535.lock`;
  if (process.platform === 'win32' || Buffer.byteLength(longestPath) > socketPathBytesMax) return undefined;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  await chmod(folder, 0o700);
  await giveTo(user, folder);
  return folder;
}

/** Systems allow 103 (macOS) or 107 (Linux). */
const socketPathBytesMax = 100;
