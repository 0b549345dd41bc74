import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { syncFolder } from '../../core/sync-folder.ts';
import { writeAll } from '../../core/write-all.ts';
import { filesBefore, foldersBefore } from './local-lists.ts';
import {
  type ArrivedPart,
  type Content,
  MissingObjectError,
  type ObjectStore,
  type Part,
  StorageUnavailableError,
  type Upload,
} from './object-store.ts';

/** Bytes that are read of a file at a time. */
const pieceBytes = 256 * 1024;

/** What the operating system says when a disk is full, broken or gone. */
const unavailable = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EACCES', 'EMFILE', 'ENFILE', 'ENODEV']);

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException | undefined)?.code;
const isMissing = (error: unknown) => codeOf(error) === 'ENOENT';

/** Refusals of the operating system, as those of a store. */
async function onDisk<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!unavailable.has(codeOf(error) ?? '')) throw error;
    throw new StorageUnavailableError('The disk takes nothing.', { cause: error });
  }
}

/**
 * Objects in a folder, as `objects/ab/<sha256>`, which several nodes may share; what is on its way is in `staging`. Parts are files of their own, under the
 * digest of their bytes, so that a part that is sent again replaces none that was noted.
 */
export function createLocalStore(folder: string): ObjectStore {
  const stagingOf = ({ id }: Pick<Upload, 'id'>) => join(folder, 'staging', id);
  const pathOf = (sha256: string) => join(folder, 'objects', sha256.slice(0, 2), sha256);
  const partPath = (upload: Pick<Upload, 'id'>, { number, etag }: ArrivedPart) =>
    join(stagingOf(upload), `${number}-${etag}`);

  /**
   * Writes a file beside its place, and puts it there once its bytes are on the disk.
   *
   * @param put how it is put there
   */
  async function writeAside<Result>(
    aside: string,
    fill: (file: FileHandle) => Promise<{ readonly path: string | undefined; readonly result: Result }>,
    put: (from: string, to: string) => Promise<void> = place,
  ): Promise<Result> {
    const file = await open(aside, 'wx', 0o600);
    let isAside = true;
    try {
      const { path, result } = await fill(file);
      if (path === undefined) return result;
      await file.datasync();
      await file.close();
      await put(aside, path);
      isAside = false;
      return result;
    } finally {
      await file.close();
      if (isAside) await rm(aside, { force: true });
    }
  }

  /** Puts a file in its place, where it is found whatever happens to the machine from then on. */
  async function place(from: string, to: string): Promise<void> {
    const parent = join(to, '..');
    try {
      await rename(from, to);
    } catch (error) {
      if (!isMissing(error)) throw error;
      // Its folder is there but for the first object in it.
      if ((await mkdir(parent, { recursive: true, mode: 0o700 })) !== undefined) await syncFolder(join(parent, '..'));
      await rename(from, to);
    }
    await syncFolder(parent);
  }

  async function putPart(upload: Upload, part: Part, body: Readable): ReturnType<ObjectStore['putPart']> {
    const staging = stagingOf(upload);
    await makeStaging(staging);
    const aside = join(staging, `.${part.number}-${randomBytes(6).toString('hex')}`);
    const fill = async (file: FileHandle) => {
      const hash = createHash('sha256');
      let bytes = 0;
      // Its sender is answered, whatever is left of it.
      for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > part.size) break;
        hash.update(chunk);
        await writeAll(file, chunk);
      }
      if (bytes !== part.size) return { path: undefined, result: 'wrong_length' as const };
      const digest = hash.digest();
      if (part.sha256 !== undefined && part.sha256 !== digest.toString('base64'))
        return { path: undefined, result: 'wrong_checksum' as const };
      const etag = digest.toString('hex');
      return { path: partPath(upload, { number: part.number, etag }), result: { etag } };
    };
    // What a machine forgets that loses its power is sent again. Of a large object that would be much; for a small one the
    // disk is not waited for twice: its bytes are on it, and its name is when the object is finished.
    return writeAside<Awaited<ReturnType<ObjectStore['putPart']>>>(
      aside,
      fill,
      part.size === upload.size ? rename : place,
    );
  }

  /** Each upload has a folder of its own, in one that is there but for the first. */
  async function makeStaging(staging: string): Promise<void> {
    try {
      await mkdir(staging, { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return;
      if (!isMissing(error)) throw error;
      await mkdir(staging, { recursive: true, mode: 0o700 });
    }
  }

  async function finish(upload: Upload, content: Content, parts: readonly ArrivedPart[]) {
    const outcome = (await size(content.sha256)) === content.size ? 'kept' : await assemble(upload, content, parts);
    if (outcome === 'kept') await clear(upload);
    return outcome;
  }

  /** The one part of a small object was hashed as it came: it is only moved. */
  async function assemble(upload: Upload, content: Content, parts: readonly ArrivedPart[]) {
    const path = pathOf(content.sha256);
    try {
      const [only] = parts;
      if (only !== undefined && parts.length === 1) {
        if (only.etag !== content.sha256) return 'mismatch';
        await place(partPath(upload, only), path);
        return 'kept';
      }
      return await writeAside(join(stagingOf(upload), `.whole-${randomBytes(6).toString('hex')}`), async (file) => {
        const hash = createHash('sha256');
        let bytes = 0;
        for (const part of parts) {
          for await (const chunk of readPieces(partPath(upload, part))) {
            hash.update(chunk);
            bytes += chunk.length;
            await writeAll(file, chunk);
          }
        }
        const isRight = bytes === content.size && hash.digest('hex') === content.sha256;
        return isRight ? { path, result: 'kept' as const } : { path: undefined, result: 'mismatch' as const };
      });
    } catch (error) {
      if (!isMissing(error)) throw error;
      // Another node may have finished it meanwhile.
      return (await size(content.sha256)) === content.size ? 'kept' : 'incomplete';
    }
  }

  const discard = (upload: Pick<Upload, 'id'>) => rm(stagingOf(upload), { recursive: true, force: true });

  /** Removes the folder of an upload, in which nothing is left of an object of one part. */
  async function clear(upload: Upload): Promise<void> {
    try {
      await rmdir(stagingOf(upload));
    } catch {
      await discard(upload);
    }
  }

  async function size(sha256: string): Promise<number | undefined> {
    try {
      return (await stat(pathOf(sha256))).size;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  return {
    putPart: (...given) => onDisk(() => putPart(...given)),
    finish: (...given) => onDisk(() => finish(...given)),
    discard: (upload) => onDisk(() => discard(upload)),
    size: (sha256) => onDisk(() => size(sha256)),
    remove: (sha256) => onDisk(() => rm(pathOf(sha256), { force: true })),
    objectsBefore: (moment, prefix) => filesBefore(join(folder, 'objects', prefix), moment),
    uploadsBefore: (moment) => foldersBefore(join(folder, 'staging'), moment),
    // What is put together lies among the parts of its upload.
    endBefore: async () => undefined,
    read: (sha256, range) =>
      onDisk(async () => {
        try {
          const file = await open(pathOf(sha256), 'r');
          return file.createReadStream({ highWaterMark: pieceBytes, ...range });
        } catch (error) {
          throw isMissing(error) ? new MissingObjectError(sha256) : error;
        }
      }),
  };
}

/** The bytes of a file, a piece at a time; a piece is good until the next one is taken. */
async function* readPieces(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  try {
    const piece = Buffer.allocUnsafe(pieceBytes);
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, piece.length, null);
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
