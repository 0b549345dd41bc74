import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { local } from '../failure.ts';
import { hasCode, isAbsent } from './json-file.ts';

/**
 * Age in milliseconds at which a lock is stale: its process was stopped, or its machine is gone. A change takes a few
 * ms.
 */
const staleMs = 30_000;

/** Longest pause between two attempts, in milliseconds. */
const pauseMaxMs = 25;

/** Timeout of the wait for a lock, in milliseconds. A longer wait would not help. */
const patienceMs = 2 * staleMs;

/** Identifies the machine, so that process ids of another machine are not looked up on this one. */
const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);

/**
 * Runs `work` while no other process that uses this lock does. A lock that a dead process left behind blocks no
 * process.
 *
 * The lock is a folder beside the file. It contains a file named after its holder. It is moved into place as a whole,
 * which works only where no folder or an empty one exists. A process that removes the name of a dead holder can
 * remove no other's.
 */
export async function locked<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const lock = `${path}.lock`;
  const holder = `${process.pid}-${machine}-${randomBytes(8).toString('hex')}`;
  const mine = `${lock}.${holder}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await mkdir(mine, { mode: 0o700 });
  try {
    await writeFile(join(mine, holder), '', { mode: 0o600 });
    for (const until = Date.now() + patienceMs; !(await put(mine, holder, lock)); ) {
      if (Date.now() > until)
        throw local('LOCAL_ERROR', `${path} is being changed by another process, and stays so.`, {
          hint: `When none is at it: rm -r ${lock}`,
          details: { path },
          retryable: true,
        });
      await clear(lock);
      await delay(Math.ceil(Math.random() * pauseMaxMs));
    }
  } catch (error) {
    await rm(mine, { recursive: true, force: true });
    throw error;
  }
  try {
    return await work();
  } finally {
    await release(lock, holder);
  }
}

async function put(mine: string, holder: string, lock: string): Promise<boolean> {
  // The age of the lock starts here: otherwise the lock of a process that has waited long would be stale at once.
  const now = new Date();
  await utimes(join(mine, holder), now, now);
  try {
    await rename(mine, lock);
    return true;
  } catch (error) {
    // Windows reports EPERM or EACCES for an existing folder.
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'EBUSY')) return false;
    throw error;
  }
}

async function release(lock: string, holder: string): Promise<void> {
  await orAlready(unlink(join(lock, holder)));
  await orAlready(rmdir(lock));
}

/** Runs a step that another process may already have done or undone: a holder considered dead, or the next holder. */
async function orAlready(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isAbsent(error) && !hasCode(error, 'ENOTEMPTY', 'EEXIST', 'EPERM', 'EBUSY')) throw error;
  }
}

/** Removes the names of dead holders. */
async function clear(lock: string): Promise<void> {
  try {
    const names = await readdir(lock);
    for (const name of names) if (await isGone(join(lock, name), name)) await release(lock, name);
    // Windows cannot move a folder onto an empty one.
    if (names.length === 0) await orAlready(rmdir(lock));
  } catch (error) {
    // Another user's lock cannot be removed, so this process waits for it as for any other.
    if (!isAbsent(error) && !hasCode(error, 'EACCES', 'EPERM')) throw error;
  }
}

async function isGone(path: string, name: string): Promise<boolean> {
  const [pid, where] = name.split('-');
  if (where === machine && !isRunning(Number(pid))) return true;
  return Date.now() - (await stat(path)).mtimeMs > staleMs;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
