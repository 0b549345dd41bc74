export interface LruBounds {
  readonly entries: number;
  /** Sum of what the entries weigh, in bytes. */
  readonly bytes: number;
}

interface Entry<Value> {
  /** As it was first written: an equal one that is asked with need not be kept for it. */
  readonly key: string;
  readonly value: Value;
  bytes: number;
}

/** A map that forgets what was used longest ago once it holds too many entries or too many bytes. */
export class Lru<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #bounds: LruBounds;
  #bytes = 0;
  /** What was asked for last is the newest already. */
  #newest: Entry<Value> | undefined;

  constructor(bounds: LruBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry !== this.#newest) {
      // A map iterates in insertion order, so entering again makes this the newest.
      this.#entries.delete(key);
      this.#entries.set(entry.key, entry);
      this.#newest = entry;
    }
    return entry.value;
  }

  /** An entry heavier than the whole cache is not kept, rather than emptying it for nothing. */
  set(key: string, value: Value, bytes: number): void {
    this.#forget(key);
    if (bytes > this.#bounds.bytes) return;
    const entry = { key, value, bytes };
    this.#entries.set(key, entry);
    this.#newest = entry;
    this.#bytes += bytes;
    this.#shrink();
  }

  /** Counts what an entry weighs more by now. One that came to outweigh the whole cache is forgotten alone. */
  grow(key: string, bytes: number): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    if (entry.bytes + bytes > this.#bounds.bytes) {
      this.#forget(key);
      return;
    }
    entry.bytes += bytes;
    this.#bytes += bytes;
    this.#shrink();
  }

  #shrink(): void {
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#bounds.entries && this.#bytes <= this.#bounds.bytes) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#bytes -= entry.bytes;
    this.#entries.delete(key);
    if (entry === this.#newest) this.#newest = undefined;
  }
}
