import { createHash } from 'node:crypto';
import { Agent, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { addressKind } from '../../core/address-kinds.ts';
import { openGuarded } from '../../core/guarded-request.ts';
import { StorageUnavailableError } from './object-store.ts';
import { type S3Settings, urlOf } from './s3-settings.ts';
import { textOf } from './s3-xml.ts';

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Of an object. @default that of the bucket itself */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Longest time without a sign of life, in milliseconds. @default 30_000 */
  readonly idleMs?: number;
}

/** Bytes that are sent as they come, so that they cannot be sent again. */
export interface S3Pieces {
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly size: number;
  /** SHA-256 in hex, where it is known before: the store then holds the bytes against it. */
  readonly sha256?: string | undefined;
}

/** There is no such object, upload or bucket. */
export class S3MissingError extends Error {
  override readonly name = 'S3MissingError';
  readonly code: string;

  constructor(code: string) {
    super(`The object store has no such thing (${code}).`);
    this.code = code;
  }
}

/** The store answers, and not as it should. Its own words stay where they are: they repeat what was signed. */
export class S3RefusedError extends StorageUnavailableError {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(`The object store answers ${status} ${code}.`);
    this.status = status;
    this.code = code;
  }
}

/** An answer that was read whole. */
export interface S3Answer {
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** An object that is being read. */
export interface S3Reading {
  readonly pieces: AsyncGenerator<Buffer>;
  /** Ends it, whether or not anything was read. */
  readonly stop: () => void;
}

const connectMs = 10_000;
const attempts = 3;
/** Largest answer that is read whole: a list of 1,000 keys is far below. */
const answerBytesMax = 4 * 1024 * 1024;
const emptySha256 = createHash('sha256').digest('hex');

/** Bounds a wait that begins anew with each sign of life. */
class Patience {
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  wait(ms: number): void {
    clearTimeout(this.#timer);
    const late = () => this.#controller.abort(new StorageUnavailableError('The object store says nothing.'));
    this.#timer = setTimeout(late, ms).unref();
  }

  rest(): void {
    clearTimeout(this.#timer);
  }
}

export type S3Client = ReturnType<typeof createS3Client>;

/**
 * Speaks to a bucket by the S3 API, signature version 4. The operator named its address, so that it may be private and
 * speak plain HTTP; link-local and metadata addresses are refused even then. Connections are kept and shared.
 */
export function createS3Client(settings: S3Settings) {
  const agent =
    new URL(settings.endpoint).protocol === 'https:'
      ? new SecureAgent({ keepAlive: true })
      : new Agent({ keepAlive: true });
  const signingKeys = new Map<string, ArrayBuffer>();

  /** @returns the answer, whose body has yet to be read */
  async function open(request: S3Request, patience: Patience, sent?: S3Pieces): Promise<IncomingMessage> {
    const { method, key = '', query = {}, body, idleMs = 30_000 } = request;
    const url = urlOf(settings, key, query);
    const isAllowed = (address: string) => ['public', 'private'].includes(addressKind(address));
    const refusal = () => new StorageUnavailableError('The address of the object store is not one to connect to.');
    const { headers } = await new AwsV4Signer({
      ...settings,
      url: url.href,
      method,
      service: 's3',
      cache: signingKeys,
      headers: { ...request.headers, 'x-amz-content-sha256': digestOf(body, sent) },
    }).sign();
    const length = sent?.size ?? (body === undefined ? undefined : Buffer.byteLength(body));
    patience.wait(connectMs);
    const response = await openGuarded({
      url,
      method,
      headers: {
        ...Object.fromEntries(headers),
        ...(length === undefined && method !== 'PUT' && method !== 'POST'
          ? {}
          : { 'content-length': String(length ?? 0) }),
      },
      body: sent === undefined ? body : watched(sent.pieces, patience, idleMs),
      signal: patience.signal,
      // A connection that the store has just closed would fail what cannot be sent again.
      agent: sent === undefined ? agent : undefined,
      isAllowed,
      refusal,
      onStage: sent === undefined ? () => patience.wait(idleMs) : undefined,
    });
    const { statusCode: status = 0 } = response;
    if (status >= 200 && status < 300) return response;
    const code = textOf(await readText(response).catch(() => ''), 'Code') ?? '';
    patience.rest();
    response.destroy();
    // Without its bucket the store is away; a mere look at an object (HEAD) cannot tell that from an object that is not there.
    if (status === 404 && code !== 'NoSuchBucket') throw new S3MissingError(code);
    throw new S3RefusedError(status, /^\w{0,60}$/.test(code) ? code : '');
  }

  /** Tries again what the store was too busy or too far away for. */
  async function repeatedly<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        const refusal = asRefusal(error);
        if (attempt === attempts || !isPassing(refusal)) throw refusal;
        await pause(100 * 2 ** attempt * (0.5 + Math.random()));
      }
    }
  }

  const call = (request: S3Request): Promise<S3Answer> =>
    repeatedly(async () => {
      const patience = new Patience();
      try {
        const response = await open(request, patience);
        const text = await readText(response, () => patience.wait(request.idleMs ?? 30_000));
        // What takes long is answered 200 before it has been done.
        const failed = /<Error>/.test(text) ? (textOf(text, 'Code') ?? '') : undefined;
        if (failed !== undefined) throw new S3RefusedError(500, failed);
        return { headers: response.headers, text };
      } finally {
        patience.rest();
      }
    });

  return {
    /** Sends a request that may be sent again. @throws S3MissingError, StorageUnavailableError */
    call,

    /** Sends bytes as they come. Throws what `pieces` throw. @throws StorageUnavailableError */
    async send(request: S3Request, sent: S3Pieces): Promise<void> {
      const patience = new Patience();
      try {
        await readText(await open(request, patience, sent));
      } catch (error) {
        throw asRefusal(error);
      } finally {
        patience.rest();
      }
    },

    /** Opens an object. Its bytes have to be read, or it has to be stopped. @throws S3MissingError, StorageUnavailableError */
    read: (request: S3Request): Promise<S3Reading> =>
      repeatedly(async () => {
        const patience = new Patience();
        const response = await open(request, patience);
        patience.rest();
        return {
          pieces: readPieces(response, patience),
          stop: () => {
            patience.rest();
            response.destroy();
          },
        };
      }),
  };
}

function digestOf(body: string | undefined, sent: S3Pieces | undefined): string {
  if (sent !== undefined) return sent.sha256 ?? 'UNSIGNED-PAYLOAD';
  return body === undefined ? emptySha256 : createHash('sha256').update(body).digest('hex');
}

const isOurs = (error: unknown): error is Error =>
  error instanceof StorageUnavailableError || error instanceof S3MissingError;

/** What went wrong on the way, as the store being away; its cause is for the log. */
const asRefusal = (error: unknown): Error => {
  if (isOurs(error)) return error;
  const { code } = error as NodeJS.ErrnoException;
  return new StorageUnavailableError(`The object store cannot be reached${code === undefined ? '' : ` (${code})`}.`, {
    cause: error,
  });
};

/** Whether a moment later it may be otherwise. A store that said nothing for long is not waited for again. */
const isPassing = (error: Error): boolean =>
  error instanceof S3RefusedError
    ? error.status >= 500 || error.status === 429
    : error instanceof StorageUnavailableError &&
      error.cause !== undefined &&
      (error.cause as Error).name !== 'AbortError';

/** The time until the next piece comes is the sender's; that until it is taken is the store's. */
async function* watched(pieces: AsyncIterable<Uint8Array>, patience: Patience, idleMs: number) {
  patience.rest();
  for await (const piece of pieces) {
    patience.wait(idleMs);
    yield piece;
    patience.rest();
  }
  patience.wait(idleMs);
}

async function readText(response: IncomingMessage, onPiece = () => {}): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > answerBytesMax) throw new StorageUnavailableError('The object store says too much.');
    onPiece();
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** The time that whoever reads takes is their own; that of the store is bounded. */
async function* readPieces(response: IncomingMessage, patience: Patience): AsyncGenerator<Buffer> {
  try {
    patience.wait(30_000);
    for await (const piece of response as AsyncIterable<Buffer>) {
      patience.rest();
      yield piece;
      patience.wait(30_000);
    }
  } catch (error) {
    throw asRefusal(error);
  } finally {
    patience.rest();
    response.destroy();
  }
}
