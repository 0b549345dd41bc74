import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './error.ts';
import { identifyProcess, isRunning, type ProcessIdentity } from './process-identity.ts';

export interface FolderLock {
  /** Gives the folder back. Safe to call twice. */
  release(): Promise<void>;
}

interface Holder extends ProcessIdentity {
  /** Drawn anew for each acquisition, so a file can be told from its successor at the same path. */
  readonly token: string;
}

const dataFolderInUse = (folder: string, pid: number) =>
  `The data folder ${folder} is in use by process ${pid}; stop that process first, or set SVC_DATA_DIR to another folder.`;

/**
 * Takes a folder for this process alone. A holder that died without letting go (kill -9, power cut) is replaced.
 * @param inUse the sentence for a folder that another process holds
 * @throws EmbeddedPostgresError naming the pid of a living holder.
 */
export async function acquireFolderLock(folder: string, inUse = dataFolderInUse): Promise<FolderLock> {
  const self = (await identifyProcess(process.pid)) ?? { pid: process.pid, startedAt: '' };
  const me: Holder = { ...self, token: randomUUID() };
  const path = join(folder, 'gateway.lock');
  const living = await take(path, path, me);
  if (living !== undefined) {
    throw new EmbeddedPostgresError(inUse(folder, living.pid));
  }
  return {
    async release() {
      // No process replaces a living holder, so a file with our token is ours to remove.
      if ((await readHolder(path))?.token === me.token) await rm(path, { force: true });
    },
  };
}

/**
 * Puts `me` at `path` and returns undefined, or returns the living holder that is there.
 *
 * Two processes that find the same dead holder must not both replace it, and one that dozed off after finding it must
 * not replace the holder that came since. So replacing the holder with token T needs a second file, named after T and
 * taken by the same rules; and its holder looks again, since then no other process may touch a file that holds T.
 */
async function take(path: string, root: string, me: Holder): Promise<Holder | undefined> {
  for (;;) {
    if (await place(path, me, link)) return undefined;
    const holder = await readHolder(path);
    if (holder === undefined) continue; // released in between
    if (await isRunning(holder)) return holder;

    const right = `${root}.${holder.token}`;
    const rival = await take(right, root, me);
    if (rival !== undefined) return rival;
    try {
      if ((await readHolder(path))?.token === holder.token) {
        await place(path, me, rename);
        return undefined;
      }
    } finally {
      await rm(right, { force: true });
    }
  }
}

/** Written aside first, so that a lock is never seen half written. `link` refuses to overwrite (false), `rename` does overwrite. */
async function place(path: string, me: Holder, move: typeof link): Promise<boolean> {
  const aside = `${path}.${randomUUID()}.tmp`;
  await writeFile(aside, JSON.stringify(me), { flag: 'wx' });
  try {
    await move(aside, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

/** Undefined when there is no file. One that cannot be understood (a power cut mid-write) reads as a holder that is dead. */
async function readHolder(path: string): Promise<Holder | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const dead: Holder = { pid: 0, startedAt: '', token: 'unreadable' };
  try {
    const { pid, startedAt, token } = JSON.parse(text) as Partial<Holder>;
    if (typeof pid !== 'number' || typeof startedAt !== 'string' || !/^[\w-]+$/.test(token ?? '')) return dead;
    return { pid, startedAt, token: token! };
  } catch {
    return dead;
  }
}
