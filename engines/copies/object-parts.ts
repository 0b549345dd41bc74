import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import type { ObjectStore } from '../objects/object-store.ts';
import { asideWriter, wholePart } from './part-writer.ts';
import { DamagedPartError, type Part, type PartStore, type PartWriter } from './parts.ts';

export interface ObjectPartsOptions {
  readonly objects: ObjectStore;
  /** Says that a part is held, before it is stored: what nobody holds is removed from the store. */
  readonly hold: (part: Part) => Promise<void>;
  /** A name for each part on its way that no other upload has. */
  readonly newUploadId: () => string;
}

/** Parts of a copy in the object store. One at a time lies in a file of this machine, until its length is known. */
export class ObjectParts implements PartStore {
  readonly #options: ObjectPartsOptions;
  readonly #held = new Set<string>();
  #folder: Promise<string> | undefined;
  #made = 0;

  constructor(options: ObjectPartsOptions) {
    this.#options = options;
  }

  writer = (): Promise<PartWriter> => this.#writer(true);

  async #writer(compressed: boolean): Promise<PartWriter> {
    this.#folder ??= mkdtemp(join(tmpdir(), 'svc-copy-'));
    const aside = join(await this.#folder, String(++this.#made));
    return asideWriter(aside, compressed, (file, part) => this.#keep(aside, file, part));
  }

  async #keep(aside: string, file: FileHandle, part: Part): Promise<Part> {
    await file.close();
    try {
      if (!this.#held.has(part.sha256)) await this.#store(aside, part);
      this.#held.add(part.sha256);
      return part;
    } finally {
      await rm(aside, { force: true });
    }
  }

  /** Two copies of the same rows are the same bytes, which are stored once. */
  async #store(aside: string, part: Part): Promise<void> {
    const { objects, hold, newUploadId } = this.#options;
    await hold(part);
    if ((await objects.size(part.sha256)) === part.bytes) return;
    const upload = { id: newUploadId(), size: part.bytes };
    const put = await objects.putPart(upload, { number: 1, size: part.bytes }, createReadStream(aside));
    const content = { sha256: part.sha256, size: part.bytes };
    const kept = typeof put === 'string' ? put : await objects.finish(upload, content, [{ number: 1, etag: put.etag }]);
    if (kept !== 'kept') throw new Error(`The store has taken other bytes than it was given: ${kept}.`);
  }

  async text(text: string): Promise<Part> {
    return wholePart(await this.#writer(true), (writer) => writer.write(Buffer.from(text)));
  }

  /** Stores a text as it is: what its name says is the SHA-256 of the text. */
  async plainText(text: string): Promise<Part> {
    return wholePart(await this.#writer(false), (writer) => writer.write(Buffer.from(text)));
  }

  /** Stores bytes as they are: what their name says is the SHA-256 of them. */
  async plain(source: AsyncIterable<Uint8Array>): Promise<Part> {
    return wholePart(await this.#writer(false), async (writer) => {
      for await (const piece of source)
        await writer.write(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    });
  }

  async *read(part: Part): AsyncIterable<Buffer> {
    const output = createZstdDecompress();
    const source = await this.#options.objects.read(part.sha256);
    pipeline(source, output).catch(() => undefined);
    yield* output;
  }

  readText = (part: Part): Promise<string> => textOf(part, this.read(part));

  /** @throws DamagedPartError, MissingObjectError */
  async readPlainText(part: Part): Promise<string> {
    return textOf(part, await this.#options.objects.read(part.sha256));
  }

  /** Removes what lies on this machine. */
  async close(): Promise<void> {
    if (this.#folder !== undefined) await rm(await this.#folder, { recursive: true, force: true });
  }
}

async function textOf(part: Part, chunks: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  const text = Buffer.concat(pieces);
  if (createHash('sha256').update(text).digest('hex') !== part.content)
    throw new DamagedPartError(part.sha256, 'is damaged');
  return text.toString();
}
