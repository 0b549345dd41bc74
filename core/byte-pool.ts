export interface BytePoolOptions {
  /** Smaller blocks are not worth keeping, in bytes. @default 65_536 */
  readonly from?: number;
  /** Most that is kept for later, in bytes. @default 16_777_216 */
  readonly keep?: number;
  /** How long an unused pool keeps anything, in milliseconds. @default 5_000 */
  readonly idleMs?: number;
}

/**
 * Large blocks of memory that are used for a moment and again. Each new one would bring the next collection of garbage
 * nearer, which then walks through everything that lives: bodies of a few megabytes cost more by that than by being read.
 */
export class BytePool {
  readonly #from: number;
  readonly #keep: number;
  readonly #idleMs: number;
  /** Whole blocks by what was handed out of them. */
  readonly #lent = new WeakMap<Buffer, Buffer>();
  #free: Buffer[] = [];
  #kept = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor({ from = 64 * 1024, keep = 16 * 1024 * 1024, idleMs = 5_000 }: BytePoolOptions = {}) {
    this.#from = from;
    this.#keep = keep;
    this.#idleMs = idleMs;
  }

  /** Bytes that are kept for later. */
  get kept(): number {
    return this.#kept;
  }

  /** So many bytes, with whatever was in them: the borrower writes all of them. What is never given back is forgotten. */
  take(size: number): Buffer {
    if (size < this.#from) return Buffer.allocUnsafeSlow(size);
    const at = this.#free.findIndex((block) => block.length >= size && block.length <= size * 4);
    const [block = Buffer.allocUnsafeSlow(roundedUp(size))] = at < 0 ? [] : this.#free.splice(at, 1);
    if (at >= 0) this.#kept -= block.length;
    const lent = block.subarray(0, size);
    this.#lent.set(lent, block);
    return lent;
  }

  /** Pieces one after the other. */
  concat(pieces: readonly Buffer[], size: number): Buffer {
    const whole = this.take(size);
    let at = 0;
    for (const piece of pieces) at += piece.copy(whole, at);
    return whole;
  }

  /** Takes back what no reader needs any more, once; anything that is not of the pool is left alone. */
  giveBack(lent: Buffer): void {
    const block = this.#lent.get(lent);
    if (block === undefined) return;
    this.#lent.delete(lent);
    if (this.#kept + block.length > this.#keep) return;
    this.#kept += block.length;
    this.#free.push(block);
    if (this.#idle === undefined) this.#idle = setTimeout(() => this.#forget(), this.#idleMs).unref();
    else this.#idle.refresh();
  }

  #forget(): void {
    this.#free = [];
    this.#kept = 0;
    this.#idle = undefined;
  }
}

/** To a quarter of the next power of two below, so that sizes that are nearly alike share blocks. */
function roundedUp(size: number): number {
  const step = 2 ** (31 - Math.clz32(size)) / 4;
  return Math.ceil(size / step) * step;
}

/** For bodies of requests, and for what is made of them on the way into a database. */
export const bodyBytes = new BytePool();
