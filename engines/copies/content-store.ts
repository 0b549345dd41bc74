import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { syncFolder } from '../../core/sync-folder.ts';
import { asideWriter, wholePart } from './part-writer.ts';
import { DamagedPartError, type Part, type PartStore, type PartWriter } from './parts.ts';

/** The path of a part inside a store. */
export const partPath = (sha256: string) => join('objects', sha256.slice(0, 2), sha256);

/**
 * Files by the SHA-256 of their content, written aside and renamed when they are on the disk: a file that is there is
 * whole. What is stored once is not stored again.
 */
export class ContentStore implements PartStore {
  readonly #folder: string;
  readonly #known: Map<string, Part>;
  readonly #onStored: (part: Part) => Promise<void>;
  /** Parts whose files were read again, or written, by this object. */
  readonly #sound = new Set<string>();
  #made = 0;
  /** What this object has added. */
  readonly added = { parts: 0, bytes: 0 };

  /**
   * @param known parts of earlier copies, which are used again
   * @param onStored told of every part that was added
   */
  constructor(folder: string, known: Iterable<Part> = [], onStored: (part: Part) => Promise<void> = async () => {}) {
    this.#folder = folder;
    this.#known = new Map([...known].map((part) => [part.content, part]));
    this.#onStored = onStored;
  }

  /** @param compressed false for what is stored as it is */
  async writer(compressed = true): Promise<PartWriter> {
    const aside = join(this.#folder, 'tmp', String(++this.#made));
    await mkdir(join(this.#folder, 'tmp'), { recursive: true, mode: 0o700 });
    return asideWriter(aside, compressed, (file, part) => this.#keep(aside, file, part));
  }

  async #keep(aside: string, file: FileHandle, part: Part): Promise<Part> {
    const known = this.#known.get(part.content) ?? part;
    if (await this.#isSound(known)) {
      await file.close();
      await rm(aside);
      this.#known.set(known.content, known);
      return known;
    }
    await file.datasync();
    await file.close();
    const path = join(this.#folder, partPath(part.sha256));
    const folder = join(path, '..');
    if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) await syncFolder(join(folder, '..'));
    await rename(aside, path);
    await syncFolder(folder);
    this.#known.set(part.content, part);
    this.#sound.add(part.sha256);
    this.added.parts += 1;
    this.added.bytes += part.bytes;
    await this.#onStored(part);
    return part;
  }

  /** Whether a part can be used again. Its file is read once: it may be damaged since it was written. */
  async #isSound(part: Part): Promise<boolean> {
    if (this.#sound.has(part.sha256)) return true;
    try {
      await this.verify(part);
    } catch {
      return false;
    }
    this.#sound.add(part.sha256);
    return true;
  }

  /** Whether a part's file is there, with its length. */
  async has({ sha256, bytes }: Pick<Part, 'sha256' | 'bytes'>): Promise<boolean> {
    return (await stat(join(this.#folder, partPath(sha256))).catch(() => undefined))?.size === bytes;
  }

  /** Stores a text. */
  async text(text: string): Promise<Part> {
    return wholePart(await this.writer(), (writer) => writer.write(Buffer.from(text)));
  }

  /** Stores a stream as it is. */
  async file(source: Readable): Promise<Part> {
    return wholePart(await this.writer(false), async (writer) => {
      for await (const chunk of source) await writer.write(chunk as Buffer);
    });
  }

  /**
   * Copies what was stored as it is to a file, which is then on the disk.
   *
   * @throws DamagedPartError for a part that was changed since it was verified
   */
  async copyTo(part: Part, path: string): Promise<void> {
    const content = createHash('sha256');
    const hashed = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        content.update(chunk);
        yield chunk;
      }
    };
    await pipeline(this.read(part, false), hashed, createWriteStream(path, { mode: 0o600, flush: true }));
    if (hex(content) !== part.content) throw new DamagedPartError(partPath(part.sha256), 'is damaged');
  }

  /** Reads a part, compressed or not. */
  read(part: Part, compressed = true): Readable {
    const file = createReadStream(join(this.#folder, partPath(part.sha256)), { highWaterMark: 1024 * 1024 });
    if (!compressed) return file;
    const output = createZstdDecompress();
    pipeline(file, output).catch(() => undefined);
    return output;
  }

  /** @throws DamagedPartError */
  async readText(part: Part): Promise<string> {
    const pieces: Buffer[] = [];
    for await (const chunk of this.read(part)) pieces.push(chunk as Buffer);
    const text = Buffer.concat(pieces);
    // What is run is what was saved, though the file was changed since it was verified.
    if (hex(createHash('sha256').update(text)) !== part.content)
      throw new DamagedPartError(partPath(part.sha256), 'is damaged');
    return text.toString();
  }

  /** @throws DamagedPartError */
  async verify(part: Part): Promise<void> {
    const stored = createHash('sha256');
    try {
      for await (const chunk of this.read(part, false)) stored.update(chunk as Buffer);
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      throw new DamagedPartError(partPath(part.sha256), missing ? 'is missing' : `cannot be read (${error})`);
    }
    if (hex(stored) !== part.sha256) throw new DamagedPartError(partPath(part.sha256), 'is damaged');
  }

  /** Removes every part that is not among these. @returns the bytes that were freed */
  async retain(kept: ReadonlySet<string>): Promise<number> {
    let freed = 0;
    const objects = join(this.#folder, 'objects');
    for (const name of await readdir(objects, { recursive: true }).catch(() => [])) {
      const path = join(objects, name);
      const found = await stat(path);
      if (!found.isFile() || !/^[0-9a-f]{64}$/.test(basename(name)) || kept.has(basename(name))) continue;
      await rm(path);
      freed += found.size;
    }
    return freed;
  }
}

const hex = (hash: Hash) => hash.digest('hex');
