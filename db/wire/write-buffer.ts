import type { Column, Connection, Wire } from './connection.ts';

/** Where messages are written before they are sent in one piece: hundreds of a few bytes each cost more to send than to copy. */
export interface WriteBuffer {
  readonly parts: Buffer[];
  /** The connection, but that what is written to it is not sent yet. */
  readonly whole: Connection;
  /** Nothing written to it ends in a Sync. */
  readonly describing: Wire;
  /** Nor asks for columns. */
  readonly plain: Wire;
  /** Columns of what was answered on the connection, by name; null: it answers no rows. */
  readonly columns: Map<string, readonly Column[] | null>;
}

const buffers = new WeakMap<Connection, WriteBuffer>();

export function writeBufferOf(connection: Connection): WriteBuffer {
  let buffer = buffers.get(connection);
  if (buffer === undefined) {
    const parts: Buffer[] = [];
    const nothing = { value: () => undefined };
    const whole: Connection = Object.create(connection, {
      _send: { value: (bytes: Buffer) => void parts.push(bytes) },
    });
    const describing: Wire = Object.create(whole, { sync: nothing });
    const plain: Wire = Object.create(describing, { describe: nothing });
    buffer = { parts, whole, describing, plain, columns: new Map() };
    buffers.set(connection, buffer);
  }
  return buffer;
}

/** Bytes that are not worth to be copied once more. */
const largeFrom = 64 * 1024;
export const isLarge = (bytes: Buffer): boolean => bytes.length >= largeFrom;

/** Sends what was written for a connection. */
export function sendWritten(connection: Connection): void {
  const { parts } = writeBufferOf(connection);
  const { stream } = connection;
  if (stream.writable && parts.length > 0) {
    if (parts.some(isLarge)) {
      stream.cork();
      for (const part of parts) stream.write(part);
      stream.uncork();
    } else stream.write(Buffer.concat(parts));
  }
  parts.length = 0;
}

/** Sends what was written for a connection, with a Sync behind it. */
export function sendWithSync(connection: Connection): void {
  writeBufferOf(connection).whole.sync();
  sendWritten(connection);
}
