import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { inParallel } from '../../core/in-parallel.ts';
import { checkedPieces } from './checked-pieces.ts';
import {
  type ArrivedPart,
  type Content,
  MissingObjectError,
  type ObjectStore,
  type Part,
  type Upload,
} from './object-store.ts';
import { createS3Client, S3MissingError } from './s3-client.ts';
import { listKeys, listUploads } from './s3-lists.ts';
import type { S3Settings } from './s3-settings.ts';
import { escaped, textOf } from './s3-xml.ts';

/** Requests of one piece of work that are under way at a time. */
const atOnce = 8;
/** What a store copies within itself may take long. */
const copyMs = 120_000;
/** Some stores put an object together only when they are told that it is complete. */
const completeMs = 600_000;

const keyOf = (sha256: string) => `objects/${sha256.slice(0, 2)}/${sha256}`;
const stagingOf = ({ id }: Pick<Upload, 'id'>) => `staging/${id}/`;

/** The digest of a part is known when its bytes have gone by, so that its key is told by the rest of its tag. */
const partKey = (upload: Pick<Upload, 'id'>, { number, etag }: ArrivedPart) =>
  `${stagingOf(upload)}${number}-${etag.slice(65)}`;
const digestOf = ({ etag }: ArrivedPart) => etag.slice(0, 64);

/**
 * Objects in a bucket of an S3 API, as `objects/ab/<sha256>`; what is on its way is below `staging/`. A part is an object
 * of its own there. What is put together of parts is copied within the store, while it is read and hashed here: the store
 * is not trusted to know what it holds.
 */
export function createS3Store(settings: S3Settings): ObjectStore {
  const s3 = createS3Client(settings);

  async function putPart(upload: Upload, part: Part, body: Readable): ReturnType<ObjectStore['putPart']> {
    const nonce = randomBytes(12).toString('hex');
    const checked = checkedPieces(part, body);
    const sent = { pieces: checked.pieces, size: part.size, sha256: hexOf(part.sha256) };
    try {
      // A request without a body is whole with its headers: what comes has to be judged before.
      if (part.size === 0) for await (const _piece of checked.pieces);
      const key = partKey(upload, { number: part.number, etag: `${'-'.repeat(65)}${nonce}` });
      await s3.send({ method: 'PUT', key }, part.size === 0 ? { ...sent, pieces: nothing() } : sent);
    } catch (error) {
      const { outcome } = checked;
      if (outcome === undefined) throw error;
      if (outcome.failure !== undefined) throw outcome.failure;
      if (outcome.refusal !== undefined) return outcome.refusal;
      throw error;
    }
    return { etag: `${checked.outcome!.sha256}-${nonce}` };
  }

  async function finish(upload: Upload, content: Content, parts: readonly ArrivedPart[]) {
    const outcome = (await size(content.sha256)) === content.size ? 'kept' : await assemble(upload, content, parts);
    if (outcome === 'kept') await discard(upload);
    return outcome;
  }

  async function assemble(upload: Upload, content: Content, parts: readonly ArrivedPart[]) {
    const [only] = parts;
    try {
      if (only === undefined || parts.length > 1) return await join(upload, content, parts);
      // Its one part was hashed as it came.
      if (digestOf(only) !== content.sha256) return 'mismatch';
      await s3.call({ ...copyOf(partKey(upload, only)), key: keyOf(content.sha256) });
      return 'kept';
    } catch (error) {
      if (!(error instanceof S3MissingError)) throw error;
      // Another node may have finished it meanwhile.
      return (await size(content.sha256)) === content.size ? 'kept' : 'incomplete';
    }
  }

  const copyOf = (source: string) =>
    ({
      method: 'PUT',
      headers: { 'x-amz-copy-source': `/${settings.bucket}/${source}` },
      idleMs: copyMs,
    }) as const;

  /** The object appears when the store is told that it is complete, and not before it was found to be right. */
  async function join(upload: Upload, content: Content, parts: readonly ArrivedPart[]) {
    const key = keyOf(content.sha256);
    const begun = await s3.call({ method: 'POST', key, query: { uploads: '' } });
    const uploadId = textOf(begun.text, 'UploadId') ?? '';
    let isComplete = false;
    try {
      const hashing = digest(upload, parts);
      const copying = inParallel(parts, atOnce, async (part) => {
        const query = { partNumber: String(part.number), uploadId };
        const { text } = await s3.call({ ...copyOf(partKey(upload, part)), key, query });
        return { number: part.number, etag: textOf(text, 'ETag') ?? '' };
      });
      const [read, copied] = await Promise.allSettled([hashing, copying]);
      if (read.status === 'rejected') throw read.reason;
      if (copied.status === 'rejected') throw copied.reason;
      if (read.value.bytes !== content.size || read.value.sha256 !== content.sha256) return 'mismatch';
      await s3.call({ method: 'POST', key, query: { uploadId }, body: listOf(copied.value), idleMs: completeMs });
      isComplete = true;
      return 'kept';
    } finally {
      // Nobody sees what is left of it, and the sweep ends it where this cannot.
      if (!isComplete) await s3.call({ method: 'DELETE', key, query: { uploadId } }).catch(() => undefined);
    }
  }

  async function digest(upload: Upload, parts: readonly ArrivedPart[]) {
    const hash = createHash('sha256');
    let bytes = 0;
    for (const part of parts) {
      const { pieces } = await s3.read({ method: 'GET', key: partKey(upload, part) });
      for await (const piece of pieces) {
        hash.update(piece);
        bytes += piece.length;
      }
    }
    return { sha256: hash.digest('hex'), bytes };
  }

  async function discard(upload: Pick<Upload, 'id'>): Promise<void> {
    for await (const keys of listKeys(s3, stagingOf(upload)))
      await inParallel(keys, atOnce, ({ key }) => removeKey(key));
  }

  async function removeKey(key: string, query: Readonly<Record<string, string>> = {}): Promise<void> {
    try {
      await s3.call({ method: 'DELETE', key, query });
    } catch (error) {
      if (!(error instanceof S3MissingError)) throw error;
    }
  }

  async function size(sha256: string): Promise<number | undefined> {
    try {
      const { headers } = await s3.call({ method: 'HEAD', key: keyOf(sha256) });
      return Number(headers['content-length']);
    } catch (error) {
      if (error instanceof S3MissingError) return undefined;
      throw error;
    }
  }

  return {
    putPart,
    finish,
    discard,
    size,
    remove: (sha256) => removeKey(keyOf(sha256)),
    async *objectsBefore(moment, prefix) {
      for await (const keys of listKeys(s3, `objects/${prefix}/`))
        yield keys.filter(({ madeAt }) => madeAt < moment).map(({ key }) => key.slice('objects/ab/'.length));
    },
    async *uploadsBefore(moment) {
      // Keys come in their order, so that those of an upload stand together.
      let last: { readonly id: string; isOld: boolean } | undefined;
      for await (const keys of listKeys(s3, 'staging/')) {
        const old: string[] = [];
        for (const { key, madeAt } of keys) {
          const [, id = ''] = key.split('/');
          if (last?.id !== id) {
            if (last?.isOld === true) old.push(last.id);
            last = { id, isOld: true };
          }
          if (!(madeAt < moment)) last.isOld = false;
        }
        yield old;
      }
      if (last?.isOld === true) yield [last.id];
    },
    async endBefore(moment) {
      for await (const uploads of listUploads(s3, 'objects/')) {
        const old = uploads.filter(({ madeAt }) => madeAt < moment);
        await inParallel(old, atOnce, ({ key, uploadId }) => removeKey(key, { uploadId }));
      }
    },
    async read(sha256, range) {
      try {
        const headers = range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` };
        const { pieces, stop } = await s3.read({ method: 'GET', key: keyOf(sha256), headers });
        // A generator that was never asked for anything would not hear that its reader is gone.
        return Readable.from(pieces, { objectMode: false }).once('close', stop);
      } catch (error) {
        throw error instanceof S3MissingError ? new MissingObjectError(sha256) : error;
      }
    },
  };
}

/** A digest in hex; undefined for what is none, which then fits no bytes. */
function hexOf(base64: string | undefined): string | undefined {
  const digest = Buffer.from(base64 ?? '', 'base64');
  return digest.length === 32 ? digest.toString('hex') : undefined;
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

const listOf = (parts: readonly ArrivedPart[]): string =>
  `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts
    .map(({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`)
    .join('')}</CompleteMultipartUpload>`;
