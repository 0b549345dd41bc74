import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asideWriter, wholePart } from '../copies/part-writer.ts';
import { DamagedPartError, type Part, type PartStore, type PartWriter } from '../copies/parts.ts';

/** Bytes of an archive that can be read again. */
export interface Bytes {
  readonly size: number;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
  readonly open: () => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
}

/** Bytes that are in memory. */
export function bytesOfText(text: string): Bytes {
  const bytes = Buffer.from(text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { size: bytes.length, sha256, open: () => oneChunk(bytes) };
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

/** What an archive is made of lies in a folder of this machine, until its length is known. */
export class Spool implements PartStore {
  #folder: Promise<string> | undefined;
  #made = 0;
  readonly #paths = new Map<string, string>();

  async writer(): Promise<PartWriter> {
    this.#folder ??= mkdtemp(join(tmpdir(), 'svc-archive-'));
    const path = join(await this.#folder, String(++this.#made));
    return asideWriter(path, false, async (file, part) => {
      await file.close();
      this.#paths.set(part.sha256, path);
      return part;
    });
  }

  text(text: string): Promise<Part> {
    return this.writer().then((writer) => wholePart(writer, (into) => into.write(Buffer.from(text))));
  }

  async *read(part: Part): AsyncIterable<Buffer> {
    yield* createReadStream(this.#pathOf(part));
  }

  async readText(part: Part): Promise<string> {
    return readFile(this.#pathOf(part), 'utf8');
  }

  #pathOf({ sha256 }: Part): string {
    const path = this.#paths.get(sha256);
    if (path === undefined) throw new DamagedPartError(sha256, 'is missing');
    return path;
  }

  /** Several parts one after the other. */
  async joined(parts: readonly Part[]): Promise<Bytes> {
    const open = () => this.#chain(parts);
    const hash = createHash('sha256');
    let size = 0;
    for await (const piece of open()) {
      hash.update(piece);
      size += piece.length;
    }
    return { size, sha256: hash.digest('hex'), open };
  }

  async *#chain(parts: readonly Part[]): AsyncGenerator<Uint8Array> {
    for (const part of parts) yield* this.read(part);
  }

  /** Removes what lies on this machine. */
  async close(): Promise<void> {
    if (this.#folder !== undefined) await rm(await this.#folder, { recursive: true, force: true });
  }
}
