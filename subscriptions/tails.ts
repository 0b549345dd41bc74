/** What is read once for all who follow it on this node. */
interface Closable {
  close(): void;
}

export interface TailEntry<Tail> {
  readonly key: string;
  readonly tail: Tail;
  /** Those who follow, and those who are about to. */
  followers: number;
  linger: NodeJS.Timeout | undefined;
}

export interface TailsOptions {
  /** How long a tail is kept after its last follower has left, in milliseconds: a client that polls comes back. */
  readonly lingerMs: number;
  /** Called when the last tail is gone. */
  readonly onEmpty?: () => void;
}

/** Tails by key. Each is made for its first follower, and closed a while after its last. */
export class Tails<Tail extends Closable> {
  readonly #options: TailsOptions;
  readonly #entries = new Map<string, TailEntry<Tail>>();

  constructor(options: TailsOptions) {
    this.#options = options;
  }

  get(key: string): Tail | undefined {
    return this.#entries.get(key)?.tail;
  }

  /** In the order in which they were made. */
  entries(): IterableIterator<TailEntry<Tail>> {
    return this.#entries.values();
  }

  /** Those that have followers now. */
  followed(): TailEntry<Tail>[] {
    return [...this.#entries.values()].filter(({ followers }) => followers > 0);
  }

  /** Counts a follower in. Each call needs a {@link leave}. */
  enter(key: string, make: () => Tail): TailEntry<Tail> {
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { key, tail: make(), followers: 0, linger: undefined };
      this.#entries.set(key, entry);
    }
    clearTimeout(entry.linger);
    entry.followers += 1;
    return entry;
  }

  leave(entry: TailEntry<Tail>): void {
    entry.followers -= 1;
    // It may have been dropped meanwhile, and another be there by its key.
    if (entry.followers === 0 && this.#entries.get(entry.key) === entry)
      entry.linger = setTimeout(() => this.drop(entry), this.#options.lingerMs).unref();
  }

  /** Closes a tail at once. */
  drop(entry: TailEntry<Tail>): void {
    clearTimeout(entry.linger);
    this.#entries.delete(entry.key);
    entry.tail.close();
    if (this.#entries.size === 0) this.#options.onEmpty?.();
  }

  close(): void {
    for (const entry of [...this.#entries.values()]) this.drop(entry);
  }
}
