import { ArchiveFault } from './diagnostics.ts';
import { blockBytes } from './tar-write.ts';

/** A file of an archive, as it is met. */
export interface ArchiveFile {
  readonly path: string;
  readonly size: number;
  /** Where its bytes begin in the tar; undefined in a folder. */
  readonly offset?: number;
  /** Read once; what is left is passed over. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

const malformed = (message: string, path?: string) => new ArchiveFault('ARCHIVE_MALFORMED_TAR', message, path);

/** Bytes that come in pieces of any length, taken as they are needed. */
class Pieces {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);
  /** How many bytes were taken. */
  taken = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next bytes, so many at the most; undefined at the end. */
  async some(most: number): Promise<Uint8Array | undefined> {
    while (this.#rest.length === 0) {
      const next = await this.#source.next();
      if (next.done === true) return undefined;
      this.#rest = next.value;
    }
    const piece = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(piece.length);
    this.taken += piece.length;
    return piece;
  }

  /** A whole block; undefined at the end. @throws ArchiveFault for a part of one */
  async block(): Promise<Uint8Array | undefined> {
    const block = new Uint8Array(blockBytes);
    for (let filled = 0; filled < blockBytes; ) {
      const piece = await this.some(blockBytes - filled);
      if (piece === undefined) {
        if (filled === 0) return undefined;
        throw malformed('The tar ends within a block.');
      }
      block.set(piece, filled);
      filled += piece.length;
    }
    return block;
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }
}

const isEmpty = (block: Uint8Array) => block.every((byte) => byte === 0);

/**
 * The files of a tar (POSIX ustar) in their order, read as it comes: memory holds a block and a piece. Folders are passed
 * over; links, devices and extensions are refused.
 *
 * @throws ArchiveFault ARCHIVE_MALFORMED_TAR, ARCHIVE_ENTRY_TYPE_UNSUPPORTED
 */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveFile> {
  const pieces = new Pieces(source);
  try {
    for (;;) {
      const block = await pieces.block();
      if (block === undefined) throw malformed('The tar ends without its mark of the end.');
      if (isEmpty(block)) break;
      const { path, size, type } = headerOf(block);
      if (type === 'folder') {
        if (size !== 0) throw malformed('A folder has bytes.', path);
        continue;
      }
      const end = pieces.taken + size;
      yield { path, size, offset: pieces.taken, bytes: bodyOf(pieces, size, path) };
      for await (const _passed of bodyOf(pieces, end - pieces.taken, path));
      const padding = (blockBytes - (size % blockBytes)) % blockBytes;
      for (let left = padding; left > 0; ) {
        const piece = await pieces.some(left);
        if (piece === undefined) throw malformed('The tar ends within a block.', path);
        left -= piece.length;
      }
    }
    for (let block = await pieces.block(), first = true; ; block = await pieces.block(), first = false) {
      if (block === undefined) {
        if (first) throw malformed('The tar ends without its mark of the end.');
        return;
      }
      if (!isEmpty(block)) throw malformed('Something comes behind the end of the tar.');
    }
  } finally {
    await pieces.close();
  }
}

async function* bodyOf(pieces: Pieces, size: number, path: string): AsyncGenerator<Uint8Array> {
  for (let left = size; left > 0; ) {
    const piece = await pieces.some(left);
    if (piece === undefined) throw malformed('The tar ends within a file.', path);
    left -= piece.length;
    yield piece;
  }
}

const latin = new TextDecoder('latin1');

function headerOf(block: Uint8Array): {
  readonly path: string;
  readonly size: number;
  readonly type: 'file' | 'folder';
} {
  const text = (from: number, length: number) => {
    const field = latin.decode(block.subarray(from, from + length));
    const end = field.indexOf('\0');
    return end === -1 ? field : field.slice(0, end);
  };
  const number = (from: number, length: number) => {
    const field = text(from, length).trim();
    if (!/^[0-7]{1,12}$/.test(field)) throw malformed('A number in a head of the tar is none.');
    return Number.parseInt(field, 8);
  };
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (number(148, 8) !== sum) throw malformed('A head of the tar has another sum than it says.');
  const prefix = text(345, 155);
  const path = prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`;
  const magic = latin.decode(block.subarray(257, 265));
  // GNU tar writes its own mark for files that every tar can read.
  if (magic !== 'ustar\x0000' && magic !== 'ustar  \0') throw malformed('The tar is no ustar.', path);
  const type = String.fromCharCode(block[156]!);
  const plain = path.replace(/^\.\//, '');
  if (type === '5') return { path: plain, size: number(124, 12), type: 'folder' };
  if (type !== '0' && type !== '\0')
    throw new ArchiveFault(
      'ARCHIVE_ENTRY_TYPE_UNSUPPORTED',
      'The tar has an entry that is no plain file: a link, a device or an extension.',
      path,
    );
  return { path: plain, size: number(124, 12), type: 'file' };
}
