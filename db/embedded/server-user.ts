import { chown, readFile, stat } from 'node:fs/promises';
import { EmbeddedPostgresError } from './error.ts';
import type { ServerUser } from './run.ts';
import { run } from './run.ts';

/** True on POSIX systems when this process is root. */
export const isRoot = () => process.getuid?.() === 0;

/**
 * `postgres` if the system has that user, else `nobody`. No user is ever made.
 * @throws EmbeddedPostgresError when the system has neither.
 */
export async function findServerUser(passwdFile = '/etc/passwd'): Promise<ServerUser> {
  const lines = (await readFile(passwdFile, 'utf8')).split('\n').map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find(([name]) => name === wanted) ?? [];
    // Where `nobody` is written as -2 (macOS), spawn wants the signed number.
    if (Number(uid)) return { uid: Number(uid) | 0, gid: Number(gid) | 0 };
  }
  throw new EmbeddedPostgresError(
    'Postgres refuses to run as root and this system has no user postgres or nobody to run it as; start as an ordinary user, or set DATABASE_URL to a Postgres of yours.',
  );
}

/** Who owns a file or folder, or undefined when it does not exist. */
export async function ownerOf(path: string): Promise<ServerUser | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined ? undefined : { uid: found.uid | 0, gid: found.gid | 0 };
}

/** Hands a file or folder to the server's user; nothing to do when Postgres runs as ourselves. */
export async function giveTo(user: ServerUser | undefined, path: string): Promise<void> {
  // chown, unlike spawn, wants the unsigned number.
  if (user !== undefined) await chown(path, user.uid >>> 0, user.gid >>> 0);
}

/** Whether that user can get into a folder, asked of the system itself: modes alone miss ACLs and mount options. */
export async function canEnter(user: ServerUser, folder: string): Promise<boolean> {
  return (await run('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], user)).ok;
}
