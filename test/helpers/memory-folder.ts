import { chmod, mkdtemp, readFile, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory, which most Linux has. */
const memory = '/dev/shm';

/** What all servers of a run take there at most, with room to spare; as much again is left to whoever needs memory. */
const roomBytes = 4 * 2 ** 30;

/**
 * A new folder for a Postgres server that is thrown away: in memory where there is room, else among temporary files. Each
 * project is a database of some three hundred files, and to make and remove them on a disk took a fourth of the run.
 */
export async function memoryFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join((await hasRoom()) ? memory : tmpdir(), prefix));
  // Postgres runs as another user when the tests run as root, and has to get in.
  await chmod(folder, 0o755);
  return folder;
}

async function hasRoom(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(memory);
    const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').map((line) => line.split(' '));
    const options = mounts.find(([, place]) => place === memory)?.[3] ?? '';
    // Its programs may have to be copied beside the data.
    const runsPrograms = !options.split(',').includes('noexec');
    return runsPrograms && bavail * bsize >= roomBytes && process.availableMemory() >= 2 * roomBytes;
  } catch {
    return false;
  }
}
