import { createHash, randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder } from '../make-folder.ts';
import { EmbeddedPostgresError } from './error.ts';
import type { Log } from './log.ts';
import type { ServerUser } from './run.ts';
import { canEnter, findServerUser, isRoot, ownerOf } from './server-user.ts';

/** Where Postgres lives and as whom it runs. */
export interface Place {
  /** Holds `data`, `password`, `postgres.log` and `socket`. */
  readonly home: string;
  /** Undefined: as the user that the gateway runs as. */
  readonly user: ServerUser | undefined;
}

const privateParent = '/var/lib';
export const pointerIn = (wanted: string) => join(wanted, 'moved-to');

/** Makes `<dataDir>/postgres` and answers its true path (without symlinks, for Postgres and we compare it by text). */
export async function makeWantedHome(dataDir: string): Promise<string> {
  const folder = resolve(dataDir);
  // A tight umask must not hide from Postgres' own user what root has only just made.
  if ((await makeFolder(folder)) && isRoot()) await chmod(folder, 0o755);
  return makeHome(join(await realpath(folder), 'postgres'));
}

/**
 * Decides where Postgres lives. Data in use stays where it is and keeps its owner. New data goes to the wanted folder or,
 * when we are root and the user Postgres must run as cannot reach that folder or the programs, to a private folder below
 * /var/lib; a file `moved-to` in the wanted folder then says where, so that who deletes the wanted folder starts afresh
 * and who moves it takes the data along.
 * @param wanted What {@link makeWantedHome} answered, locked by the caller.
 * @param canRun Whether a user can run the Postgres programs where npm put them.
 */
export async function choosePlace(
  wanted: string,
  canRun: (user: ServerUser) => Promise<boolean>,
  log: Log,
): Promise<Place> {
  const moved = (await readFile(pointerIn(wanted), 'utf8').catch(() => undefined))?.trim();
  const home = moved ?? wanted;
  if (!isRoot()) {
    if (moved === undefined) return { home, user: undefined };
    throw new EmbeddedPostgresError(
      `The database of ${wanted} was made by root and lives in ${moved}; start as root, or set SVC_DATA_DIR to another folder.`,
    );
  }

  const data = join(home, 'data');
  const owner = await ownerOf(data);
  if (owner?.uid === 0) {
    throw new EmbeddedPostgresError(
      `The database folder ${data} belongs to root, as whom Postgres refuses to run; give it back to its user with chown -R.`,
    );
  }
  if (owner !== undefined && !(await canEnter(owner, data))) {
    throw new EmbeddedPostgresError(
      `Postgres runs as user ${owner.uid}, which cannot enter its database folder ${data} any more; allow it to pass all folders above (chmod o+x).`,
    );
  }
  const user = owner ?? (await findServerUser());
  if (moved === undefined && (owner !== undefined || ((await canEnter(user, wanted)) && (await canRun(user))))) {
    return { home, user };
  }
  const chosen = moved ?? (await choosePrivateHome(wanted));
  log('Postgres cannot run as root, and its own user cannot reach this folder: the database lives elsewhere', {
    wanted,
    folder: chosen,
    uid: user.uid,
  });
  return { home: await makeHome(chosen), user };
}

/** One level only. Root's is passable, since `data` and `socket` in it belong to another user and guard themselves. */
async function makeHome(home: string): Promise<string> {
  try {
    await mkdir(home);
    await chmod(home, isRoot() ? 0o711 : 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return home;
}

async function choosePrivateHome(wanted: string): Promise<string> {
  await makeFolder(privateParent);
  for (let nth = 0; ; nth += 1) {
    const hash = createHash('sha256').update(`${wanted}\n${nth}`).digest('hex').slice(0, 12);
    const home = join(privateParent, `svc-gateway-${hash}`);
    // Without a pointer to it, what lies there is of a wanted folder that was deleted since. It is not ours to reuse or remove.
    if ((await lstat(home).catch(() => undefined)) !== undefined) continue;
    // The pointer comes first: a start that is cut short here finds its folder again.
    const aside = join(wanted, `tmp-${randomUUID()}`);
    await writeFile(aside, `${home}\n`, { flag: 'wx' });
    await rename(aside, pointerIn(wanted));
    return home;
  }
}
