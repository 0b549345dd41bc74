import type { ExecutionResult } from 'graphql';

/** From this size on a payload is not copied into the frame of each socket, in bytes. */
const copiedMax = 8 * 1024;

const textFrame = 0x81;

/** The answer to an event as JSON, made once for all sockets that are sent it. */
export class Payload {
  /** What every frame of it ends with: the payload, and the brace that closes the message. */
  readonly #tail: Buffer;

  constructor(result: ExecutionResult) {
    this.#tail = Buffer.from(`${JSON.stringify(result)}}`);
  }

  get bytes(): number {
    return this.#tail.length;
  }

  /** Adds its `next` message as WebSocket frames to what is to be written. @param opening see {@link openingOf} */
  addTo(parts: Buffer[], opening: Buffer): void {
    const length = opening.length + this.#tail.length;
    const head = length < 126 ? 2 : length < 65_536 ? 4 : 10;
    const copied = this.#tail.length <= copiedMax;
    const part = Buffer.allocUnsafe(head + (copied ? length : opening.length));
    part[0] = textFrame;
    if (head === 2) part[1] = length;
    else if (head === 4) {
      part[1] = 126;
      part.writeUInt16BE(length, 2);
    } else {
      part[1] = 127;
      part.writeBigUInt64BE(BigInt(length), 2);
    }
    part.set(opening, head);
    if (copied) part.set(this.#tail, head + opening.length);
    parts.push(part);
    if (!copied) parts.push(this.#tail);
  }
}

/** What each `next` message of a subscription begins with. @param id the client's own */
export const openingOf = (id: string): Buffer => Buffer.from(`{"id":${JSON.stringify(id)},"type":"next","payload":`);

/** Small parts as one: the system is handed one piece cheaper than many. */
export function joined(parts: readonly Buffer[]): readonly Buffer[] {
  if (parts.length < 2) return parts;
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return length <= 4 * copiedMax ? [Buffer.concat(parts, length)] : parts;
}
