import { createHash } from 'node:crypto';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the bytes of an object are. */
export type Source = { readonly file: string } | { readonly bytes: Uint8Array };

/** An object as a specification names it, with where its bytes are. */
export interface LocalContent {
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  readonly source: Source;
}

/** Names that no site is meant to have. */
const left = new Set(['.git', '.hg', '.svn', 'node_modules', '.DS_Store', 'Thumbs.db']);

/**
 * The files of a folder and of those below it, by their paths in it with `/`, in order. Links are not followed.
 *
 * @throws Error with the code of the system, where the folder cannot be read
 */
export async function walkFolder(folder: string, below = ''): Promise<string[]> {
  const found: string[] = [];
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (left.has(entry.name)) continue;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await walkFolder(folder, path)));
    else if (entry.isFile()) found.push(path);
  }
  return found;
}

/** Bytes that are read of a file at a time: most files of a site are shorter, and read at once. */
const pieceBytes = 256 * 1024;

/** A file by its digest. It is read a piece at a time, so its size does not matter. */
export async function contentOfFile(path: string): Promise<LocalContent> {
  const hash = createHash('sha256');
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const piece = Buffer.allocUnsafe(Math.min(size, pieceBytes));
    for (let at = 0; at < size; ) {
      const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, size - at), at);
      if (bytesRead === 0) throw new Error(`${path} has become shorter while it was read.`);
      hash.update(piece.subarray(0, bytesRead));
      at += bytesRead;
    }
    return { sha256: hash.digest('hex'), size, source: { file: path } };
  } finally {
    await file.close();
  }
}

/** Bytes by their digest. */
export function contentOfBytes(bytes: Uint8Array): LocalContent {
  return { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.byteLength, source: { bytes } };
}

/** Does something for each of many, some of them at once, and answers in their order. */
export async function inParallel<From, To>(
  list: readonly From[],
  most: number,
  run: (one: From) => Promise<To>,
): Promise<To[]> {
  const results: To[] = new Array(list.length);
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < list.length; at = next++) results[at] = await run(list[at]!);
  };
  await Promise.all(Array.from({ length: Math.min(most, list.length) }, worker));
  return results;
}
