/**
 * Messages between the gateway and a process in a box: u32 length of what follows, u32 id of the call or 0, u32 length of
 * the head, the head as JSON, the body. Numbers are little-endian. Both sides use this file.
 */

/** Largest head, in bytes. */
export const headBytesMax = 64 * 1024;
/** Largest body of one message, and of all parts of an answer together, in bytes. */
export const bodyBytesMax = 6 * 1024 * 1024;

/** Most headers of an answer. */
export const headersMax = 500;

const prefix = 12;

export interface Frame {
  readonly id: number;
  /** Parsed JSON, of any shape. */
  readonly head: unknown;
  readonly body: Buffer;
}

/** The other side broke the rules: nothing more is read from it. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

/** The buffers that make up a message; a large body is not copied. */
export function encodeFrame(id: number, head: object, body: Uint8Array = new Uint8Array(0)): Uint8Array[] {
  const text = Buffer.from(JSON.stringify(head));
  if (text.length > headBytesMax || body.length > bodyBytesMax) throw new FrameError('The message is too large.');
  const start = Buffer.allocUnsafe(prefix + text.length);
  start.writeUInt32LE(prefix - 4 + text.length + body.length, 0);
  start.writeUInt32LE(id, 4);
  start.writeUInt32LE(text.length, 8);
  text.copy(start, prefix);
  return body.length === 0 ? [start] : [start, body];
}

/**
 * Takes bytes as they come and hands on each whole message. Lengths are judged before anything is kept for them.
 *
 * @throws FrameError from `push`
 */
export function createFrameReader(onFrame: (frame: Frame) => void): { readonly push: (bytes: Buffer) => void } {
  let waiting: Buffer[] = [];
  let length = 0;
  let needed = prefix;

  /** The bytes that wait, in one buffer. */
  const gather = () => {
    const all = waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting, length);
    waiting = [all];
    return all;
  };

  return {
    push(bytes) {
      waiting.push(bytes);
      length += bytes.length;
      while (length >= needed) {
        const all = gather();
        const headLength = all.readUInt32LE(8);
        const size = 4 + all.readUInt32LE(0);
        if (headLength > headBytesMax || size < prefix + headLength || size - prefix - headLength > bodyBytesMax)
          throw new FrameError('A message has impossible lengths.');
        needed = size;
        if (length < size) return;
        const body = all.subarray(prefix + headLength, size);
        const head = parsed(all.toString('utf8', prefix, prefix + headLength));
        waiting = size === length ? [] : [all.subarray(size)];
        length -= size;
        needed = prefix;
        onFrame({ id: all.readUInt32LE(4), head, body });
      }
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FrameError('The head of a message is no JSON.');
  }
}

/** Writes all messages of one turn of the event loop at once. */
export function createFrameWriter(
  write: (bytes: Uint8Array) => void,
): (...frame: Parameters<typeof encodeFrame>) => void {
  let waiting: Uint8Array[] = [];
  const flush = () => {
    const all = waiting;
    waiting = [];
    write(all.length === 1 ? all[0]! : Buffer.concat(all));
  };
  return (...frame) => {
    const buffers = encodeFrame(...frame);
    if (waiting.length === 0) setImmediate(flush);
    waiting.push(...buffers);
  };
}
