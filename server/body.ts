import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../core/errors.ts';

/** Largest request body, in bytes. */
export const bodyBytesMax = 1024 * 1024;

/**
 * Reads a request body up to a limit.
 *
 * @throws BODY_TOO_LARGE as soon as it is known: by the announced length, else when the limit is passed
 */
export async function readBody(request: IncomingMessage, limit = bodyBytesMax): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limit) throw tooLarge(limit);
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > limit) throw tooLarge(limit);
    parts.push(part);
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

const tooLarge = (limit: number) =>
  new ServiceError('BODY_TOO_LARGE', {
    message: `The body is larger than ${limit} bytes.`,
    details: { limit_bytes: limit },
  });
