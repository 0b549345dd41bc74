import { createReadStream } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ArchiveFault } from './portable/diagnostics.ts';
import { type ArchiveSummary, summaryOf } from './portable/summary.ts';
import { type ArchiveFile, readTar } from './portable/tar-read.ts';
import { type ArchiveVerification, type ReadArchive, readArchive } from './portable/verify.ts';

/** Reads an archive of this machine: a file, or the folder that one was unpacked to. */
async function read(path: string): Promise<ReadArchive> {
  const isFolder = (await stat(path)).isDirectory();
  return isFolder
    ? readArchive(filesOf(path), 'directory')
    : readArchive(readTar(createReadStream(path) as AsyncIterable<Uint8Array>), 'tar');
}

/** The files below a folder, in the order of their names. @throws ArchiveFault for a link, or what else is no file */
async function* filesOf(root: string, below = ''): AsyncGenerator<ArchiveFile> {
  for (const name of (await readdir(join(root, below))).sort()) {
    const path = below === '' ? name : `${below}/${name}`;
    const found = await lstat(join(root, path));
    if (found.isDirectory()) yield* filesOf(root, path);
    else if (found.isFile())
      yield { path, size: found.size, bytes: createReadStream(join(root, path)) as AsyncIterable<Uint8Array> };
    else
      throw new ArchiveFault('ARCHIVE_ENTRY_TYPE_UNSUPPORTED', 'The folder has an entry that is no plain file.', path);
  }
}

/**
 * Checks an archive against its own digests and the rules of its form, without a gateway: as one does that imports it. For
 * Node.js and its like.
 *
 * @param path of a file, or of the folder that one was unpacked to
 */
export const verifyArchive = async (path: string): Promise<ArchiveVerification> => (await read(path)).verification;

/** Says what an archive holds and needs, without a gateway. For Node.js and its like. */
export const inspectArchive = async (path: string): Promise<ArchiveSummary> => summaryOf(await read(path));
