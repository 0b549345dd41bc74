import type { Readable } from 'node:stream';
import type { SavedTable } from '../copies/archive.ts';
import { partsOfRows } from '../copies/copy-rows.ts';
import { DamagedPartError, type Part, type PartReader } from '../copies/parts.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { ReadFile } from './portable/read-files.ts';

/** The files of an archive whose bytes are an object of the store. */
export class ArchiveSource implements PartReader {
  readonly #objects: Pick<ObjectStore, 'read'>;
  readonly #sha256: string;
  readonly #files: ReadonlyMap<string, ReadFile>;
  /** Where parts lie, by the name that they have here. */
  readonly #places = new Map<string, { readonly offset: number; readonly bytes: number }>();

  /** @param files as the archive was read */
  constructor(objects: Pick<ObjectStore, 'read'>, sha256: string, files: ReadonlyMap<string, ReadFile>) {
    this.#objects = objects;
    this.#sha256 = sha256;
    this.#files = files;
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  fileOf(path: string): ReadFile {
    const file = this.#files.get(path);
    if (file?.offset === undefined) throw new DamagedPartError(path, 'is missing');
    return file;
  }

  /** The bytes of a file. */
  file(path: string): AsyncGenerator<Buffer> {
    const { offset, size } = this.fileOf(path);
    return this.#range(offset!, size);
  }

  async *#range(offset: number, bytes: number): AsyncGenerator<Buffer> {
    if (bytes === 0) return;
    const stream: Readable = await this.#objects.read(this.#sha256, { start: offset, end: offset + bytes - 1 });
    yield* stream as AsyncIterable<Buffer>;
  }

  async text(path: string): Promise<string> {
    return textOf(this.file(path));
  }

  /** A file as one part. */
  partOf(path: string): Part {
    const { offset, size } = this.fileOf(path);
    return this.#placed(path, offset!, size, '');
  }

  /** The rows of a table, in the parts that they are compared by once they are there. */
  async rowsOf(path: string): Promise<SavedTable['parts']> {
    let { offset } = this.fileOf(path);
    const parts = await partsOfRows(this.file(path));
    return parts.map(({ bytes, content }, at) => {
      const part = this.#placed(`${path}#${at}`, offset!, bytes, content);
      offset = offset! + bytes;
      return part;
    });
  }

  #placed(name: string, offset: number, bytes: number, content: string): Part {
    this.#places.set(name, { offset, bytes });
    return { sha256: name, bytes, content };
  }

  async *read({ sha256: name }: Part): AsyncIterable<Buffer> {
    const place = this.#places.get(name);
    if (place === undefined) throw new DamagedPartError(name, 'is missing');
    yield* this.#range(place.offset, place.bytes);
  }

  async readText(part: Part): Promise<string> {
    return textOf(this.read(part));
  }
}

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of chunks) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}
