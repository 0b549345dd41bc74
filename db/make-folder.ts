import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it that are missing, one after the other: Node's own recursive `mkdir` never comes
 * back from a file system that takes no folders and says so by ENOENT, such as /proc.
 *
 * @returns whether it was missing
 */
export async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    const above = dirname(resolve(path));
    // When nothing above was missing, the folder itself cannot be.
    if (code !== 'ENOENT' || !(await makeFolder(above))) throw error;
    await mkdir(path);
    return true;
  }
}
