import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import { ServiceError } from '../../core/errors.ts';
import { Lru } from '../../core/lru.ts';
import { contentDigestOf } from '../../engines/hosting/cache-headers.ts';
import type { Coding } from '../../engines/hosting/encoding.ts';
import { MissingObjectError } from '../../engines/objects/object-store.ts';
import type { StaticFile } from '../../engines/release/model.ts';
import type { Services } from '../../kernel/run/context.ts';
import { storing } from '../../resolvers/content/shared/storing.ts';

/** Bytes that are served, and as what. */
export type ServedFile = Pick<StaticFile, 'sha256' | 'size' | 'contentType'>;

/** Bytes as they are sent. */
export interface Encoded {
  readonly bytes: Buffer;
  /** `Content-Digest` of them. */
  readonly contentDigest: string;
}

/** Largest file that is kept in memory, in bytes. */
export const cachedBytesMax = 2 * 1024 * 1024;

/** Files that are packed at once: the threads that pack read files, too. */
const packedAtOnce = 2;
/** Files that wait to be packed; while there are as many, others are sent as they are. */
const waitingMax = 32;

const pack: Readonly<Record<Coding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: bytes.length > 256 * 1024 ? 5 : 9,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  zstd: (bytes) => promisify(zstdCompress)(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 10 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 6 }),
};

/** Files that are asked for often, in each coding that somebody asked for. They are packed once, beside the event loop. */
export class FileCache {
  readonly #services: Pick<Services, 'log' | 'objects'>;
  readonly #files = new Lru<Encoded>({ entries: 50_000, bytes: 96 * 1024 * 1024 });
  readonly #making = new Map<string, Promise<Encoded>>();
  readonly #waiting: (() => void)[] = [];
  #packing = 0;

  constructor(services: Pick<Services, 'log' | 'objects'>) {
    this.#services = services;
  }

  /** Whether a file is had in a coding without waiting long for it. */
  mayPack({ sha256 }: ServedFile, coding: Coding): boolean {
    return this.#waiting.length < waitingMax || this.#files.get(keyOf(sha256, coding)) !== undefined;
  }

  /**
   * A file, packed where that is asked for. One reads and packs it for all who ask at once.
   *
   * @throws STORAGE_UNAVAILABLE
   */
  get(file: ServedFile, coding: Coding | undefined): Promise<Encoded> {
    const key = keyOf(file.sha256, coding);
    const known = this.#files.get(key);
    if (known !== undefined) return Promise.resolve(known);
    let making = this.#making.get(key);
    if (making === undefined) {
      making = (coding === undefined ? this.#read(file) : this.#pack(file, coding))
        .then((made) => {
          this.#files.set(key, made, made.bytes.length + 512);
          return made;
        })
        .finally(() => this.#making.delete(key));
      this.#making.set(key, making);
    }
    return making;
  }

  async #read({ sha256, size }: ServedFile): Promise<Encoded> {
    const bytes = await reading(this.#services, sha256, async () => buffer(await this.#services.objects.read(sha256)));
    if (bytes.length !== size) throw lost(sha256);
    return { bytes, contentDigest: contentDigestOf(Buffer.from(sha256, 'hex')) };
  }

  async #pack(file: ServedFile, coding: Coding): Promise<Encoded> {
    const { bytes } = await this.get(file, undefined);
    if (this.#packing >= packedAtOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#packing += 1;
    try {
      const packed = await pack[coding](bytes);
      return { bytes: packed, contentDigest: contentDigestOf(createHash('sha256').update(packed).digest()) };
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#packing -= 1;
      else next();
    }
  }
}

const keyOf = (sha256: string, coding: Coding | undefined) => (coding === undefined ? sha256 : `${sha256} ${coding}`);

const lost = (sha256: string, cause?: unknown) =>
  new ServiceError('STORAGE_UNAVAILABLE', { cause, details: { sha256 }, retryAfter: 1 });

/** A file of a release is always there: a store that has lost it is away. @throws STORAGE_UNAVAILABLE */
export async function reading<Result>(
  services: Pick<Services, 'log'>,
  sha256: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await storing(services, work);
  } catch (error) {
    throw error instanceof MissingObjectError ? lost(sha256, error) : error;
  }
}
