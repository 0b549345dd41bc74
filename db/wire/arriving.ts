import type pg from 'pg';
import { connectionOf } from './connection.ts';

/** Bytes that a connection may receive until it is ready again: more than any answer has that is given to anybody. */
const arrivingBytesMax = 40 * 1024 * 1024;

/** What a tenant's SQL said was too long to be listened to. Whether it was done is not known. */
export class ArrivingTooLargeError extends Error {
  override readonly name = 'ArrivingTooLargeError';
}

/**
 * Cuts a connection that is told more than may be. Rows are kept small by the statements that ask for them; errors,
 * notices and settings that a tenant's function makes are as long as it likes, and the driver would hold all of one.
 */
export function limitArriving(client: pg.Client): void {
  const connection = connectionOf(client);
  let bytes = 0;
  connection.on('readyForQuery', () => {
    bytes = 0;
  });
  // Before the driver has looked at it.
  connection.stream.prependListener('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes > arrivingBytesMax)
      connection.stream.destroy(new ArrivingTooLargeError('A project’s database said more than may be.'));
  });
}
