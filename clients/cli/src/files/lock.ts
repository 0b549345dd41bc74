import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { local } from '../failure.ts';
import { hasCode, isAbsent } from './json-file.ts';

/** A process that held a lock for so long, in milliseconds, has been stopped or is on a machine that is gone: changes take some ms. */
const staleMs = 30_000;

/** Longest pause between two tries, in milliseconds. */
const pauseMaxMs = 25;

/** A process that has waited for so long, in milliseconds, waits for something that no time mends. */
const patienceMs = 2 * staleMs;

/** The machine, so that no process of another one is looked for here. */
const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);

/**
 * Does something while no other process does it, as far as all of them go by this lock. What a process that died left
 * behind holds no process up.
 *
 * The lock is a folder beside the file that has its holder's name in it: it is moved there as a whole, which works only
 * where there is none, or an empty one. A process that takes the name of a dead holder out of it can take no other's.
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
  // How long it holds is counted from here: a process that has waited long would seem gone as soon as it began.
  const now = new Date();
  await utimes(join(mine, holder), now, now);
  try {
    await rename(mine, lock);
    return true;
  } catch (error) {
    // Windows says EPERM or EACCES of a folder that is there.
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'EBUSY')) return false;
    throw error;
  }
}

async function release(lock: string, holder: string): Promise<void> {
  await orAlready(unlink(join(lock, holder)));
  await orAlready(rmdir(lock));
}

/** Does what another process may have done already, or undone: a holder that seemed gone, and the next one. */
async function orAlready(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isAbsent(error) && !hasCode(error, 'ENOTEMPTY', 'EEXIST', 'EPERM', 'EBUSY')) throw error;
  }
}

/** Takes names of holders out that are gone. */
async function clear(lock: string): Promise<void> {
  try {
    const names = await readdir(lock);
    for (const name of names) if (await isGone(join(lock, name), name)) await release(lock, name);
    // Windows moves nothing to where an empty folder is.
    if (names.length === 0) await orAlready(rmdir(lock));
  } catch (error) {
    // Another user's is theirs to take away, and waited for like any other.
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
