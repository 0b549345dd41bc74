import { open, rename, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';

/**
 * Writes a file beside its place, and puts it there once it is whole: what breaks off leaves the file that was there before.
 *
 * @param mode of a new file
 * @param write resolves once everything is written and right
 * @returns its length in bytes
 */
export async function writeWhole(
  path: string,
  mode: number,
  write: (file: Writable) => Promise<void>,
): Promise<number> {
  const aside = `${path}.part`;
  try {
    // It is there before anything can break off, so that what takes it away finds it.
    const file = await open(aside, 'w', mode);
    await write(file.createWriteStream());
    const { size } = await stat(aside);
    await rename(aside, path);
    return size;
  } finally {
    await rm(aside, { force: true });
  }
}
