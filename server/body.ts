import type { IncomingMessage } from 'node:http';
import { bodyBytes } from '../core/byte-pool.ts';
import { ServiceError } from '../core/errors.ts';

/** Largest request body, in bytes. */
export const bodyBytesMax = 1024 * 1024;

const announcedBytes = ({ headers }: Pick<IncomingMessage, 'headers'>) => Number(headers['content-length'] ?? 0);

/** Judges a body by its announced length, before any of it is sent. @throws BODY_TOO_LARGE */
export function refuseLargeBody(request: Pick<IncomingMessage, 'headers'>, limit = bodyBytesMax): void {
  if (announcedBytes(request) > limit) throw tooLarge(limit);
}

/** Judges a body by its headers, before any of it is sent. @throws UNSUPPORTED_MEDIA_TYPE for what would be misread */
export function refuseOddBody(request: Pick<IncomingMessage, 'headers'>): void {
  const { headers } = request;
  if (announcedBytes(request) === 0 && headers['transfer-encoding'] === undefined) return;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (!/^identity$/i.test(encoding.trim())) {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', {
      message: 'The request body must not be compressed.',
      details: { content_encoding: encoding },
    });
  }
  const type = headers['content-type'] ?? '';
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type)?.[1] ?? 'utf-8';
  if (/^[^;]*json\s*;/i.test(type) && !/^utf-?8$/i.test(charset)) {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', {
      message: 'JSON is read as UTF-8 alone.',
      details: { content_type: type },
    });
  }
}

/** Bodies that are announced to be so large are put together as they come, in bytes. */
const wholeFrom = 256 * 1024;

/**
 * Reads a request body up to a limit, into memory that may be given back.
 *
 * @throws BODY_TOO_LARGE when the limit is passed
 */
export function readBody(request: IncomingMessage, limit = bodyBytesMax): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const announced = Number(request.headers['content-length'] ?? 0);
    let whole: Buffer | undefined;
    // By hand: an async iterator with its listeners costs more than a small body is worth, and so does taking these off.
    let isOver = false;
    const take = (part: Buffer) => {
      if (isOver) return;
      const { length } = part;
      if (whole === undefined) parts.push(part);
      else copyAndFree(part, whole, bytes);
      bytes += length;
      if (bytes > limit) return fail(tooLarge(limit));
      // Pieces that are held until the end grow old, and are only freed with everything that is. Nothing is laid out for
      // who announces much and sends little.
      if (whole !== undefined || announced < wholeFrom || bytes * 4 < announced) return;
      whole = bodyBytes.take(announced);
      let at = 0;
      for (const early of parts.splice(0)) at += copyAndFree(early, whole, at);
    };
    const end = () => {
      if (isOver) return;
      isOver = true;
      resolve(whole ?? (parts.length === 1 ? parts[0]! : bodyBytes.concat(parts, bytes)));
    };
    // Paused, not destroyed: the refusal has to go out on its socket.
    const fail = (error: Error) => {
      if (isOver) return;
      isOver = true;
      parts.length = 0;
      request.pause();
      reject(error);
    };
    // Most bodies are over by then, and an error with its stack is not made for nothing.
    const closed = () => {
      if (!isOver) fail(new Error('The client has gone.'));
    };
    request.on('data', take).on('end', end).on('error', fail).on('close', closed);
    if (request.readableEnded) end();
    else if (request.destroyed) closed();
  });
}

/**
 * Copies a piece of a body and frees its memory at once. Pieces left to the collector of garbage are memory outside its
 * heap, by which it is called to walk all of it every few bodies. The piece is empty then.
 *
 * @returns how many bytes it had
 */
function copyAndFree(part: Buffer, whole: Buffer, at: number): number {
  const copied = part.copy(whole, at);
  const { buffer } = part;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === part.length) buffer.transfer(0);
  return copied;
}

const tooLarge = (limit: number) =>
  new ServiceError('BODY_TOO_LARGE', {
    message: `The body is larger than ${limit} bytes.`,
    details: { limit_bytes: limit },
  });

/** How much of a body is read and forgotten after its answer, in bytes, and for how long, in milliseconds. */
const discardBytesMax = 64 * 1024 * 1024;
const discardMs = 5_000;

/**
 * Reads and forgets what is left of a body. Closing a connection on which something arrives unread resets it, and the
 * client may lose the answer that was sent before.
 */
export function discardBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const done = () => {
      clearTimeout(patience);
      resolve();
    };
    const patience = setTimeout(done, discardMs);
    request.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > discardBytesMax) done();
    });
    request.once('end', done).once('close', done).resume();
  });
}
