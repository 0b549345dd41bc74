import type { Database } from '../db/pool.ts';
import { type Feed, type FeedSlice, feedKey } from '../kernel/feeds/feeds.ts';

export interface FeedTailOptions {
  readonly db: Database;
  /** The epoch of the installation, now. */
  readonly epoch: () => string;
  /** Most rows of one read. */
  readonly pageMax: number;
  /** Most rows kept for followers that are a little behind. */
  readonly ringMax: number;
  /** Most bytes of these rows, roughly. */
  readonly ringBytesMax: number;
  /** Told by how many bytes the kept rows have grown, or shrunk. */
  readonly onKept: (bytes: number) => void;
  /** Told of each read that failed and will be repeated. */
  readonly onFailure: (error: unknown) => void;
  readonly onSuccess: () => void;
}

const retryMsMin = 100;
const retryMsMax = 2_000;

/**
 * The newest rows of one feed, read once for all who follow it on this node. Everything is level-triggered: it knows
 * how far the feed is said to reach and reads until it is there, so a signal more or less makes no difference.
 */
export class FeedTail<Row> {
  readonly feed: Feed<Row>;
  readonly #options: FeedTailOptions;
  /** Rows of (from, last]. */
  #ring: Row[] = [];
  #bytes = 0;
  #from = 0n;
  #last = 0n;
  /** Position of the feed by what was heard so far. */
  #known = 0n;
  /** False until the first read has given the position of the feed. */
  #ready = false;
  /** Set when signals may have been missed, so that only a read can tell. */
  #stale = true;
  /** The epoch of everything that it knows. */
  #epoch: string;
  /** Grows when the feed turns out to have been set back, as by a restore. */
  #generation = 0;
  /** All followers, and of them those that want rows. */
  #followers = 0;
  #readers = 0;
  #reading = false;
  #closed = false;
  readonly #waiting = new Set<() => void>();
  /** Page reads underway, so that followers that resume from the same place share them. */
  readonly #pages = new Map<string, Promise<FeedSlice<Row>>>();

  constructor(feed: Feed<Row>, options: FeedTailOptions) {
    this.feed = feed;
    this.#options = options;
    this.#epoch = options.epoch();
  }

  get last(): bigint {
    return this.#last;
  }

  /**
   * Counts a follower in, before it looks at anything: from here on nothing can land unseen.
   *
   * @param wants whether it will read rows; who only waits for the feed to move costs no row
   */
  enter(after: bigint, wants: FollowerWants): void {
    // Without followers, the tail did not listen either.
    if (this.#followers++ === 0) this.#stale = true;
    if (wants === 'rows') this.#readers++;
    if (!this.#ready && !this.#reading) this.#last = after;
    void this.#catchUp();
  }

  leave(wants: FollowerWants): void {
    if (wants === 'rows') this.#readers--;
    if (--this.#followers === 0) this.#changed();
  }

  /** Drops the rows it keeps; followers that were behind read them again. */
  forget(): void {
    this.#keep([], this.#last, 0);
  }

  /** In another epoch nothing that it knows holds, and followers start over. */
  align(): void {
    const epoch = this.#options.epoch();
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.#generation++;
    this.#ready = false;
    this.#stale = true;
    this.#known = 0n;
    this.#restart(0n);
    this.#changed();
    void this.#catchUp();
  }

  /** The feed is said to have reached a position. */
  raise(head: bigint): void {
    this.align();
    if (head <= this.#known) return;
    this.#known = head;
    void this.#catchUp();
  }

  /** What the database said of the head; `lastBefore` is what the tail had read before it was asked. */
  observe(head: bigint, lastBefore: bigint): void {
    this.align();
    if (this.#ready && head < lastBefore) {
      this.#stale = true;
      void this.#catchUp();
    }
    this.raise(head);
  }

  close(): void {
    this.#closed = true;
    this.forget();
    this.#changed();
  }

  /** Whether the feed moves past a position, or into another epoch, before the time runs out or the signal aborts. */
  moved(after: bigint, wait: WaitOptions): Promise<boolean> {
    const epoch = this.#options.epoch();
    return this.#until(() => this.#epoch !== epoch || (this.#ready && this.#last > after), wait);
  }

  /**
   * Batches of rows after a position, oldest first, until the signal aborts. A follower holds nothing but its position:
   * what the ring no longer has, it reads in pages. Should the feed be set back below it, or another epoch begin, it starts
   * over at the floor.
   */
  async *follow(after: bigint, { signal, size }: { readonly signal: AbortSignal; readonly size: number }) {
    let position = after;
    let epoch = this.#options.epoch();
    /** Generation in which the database itself confirmed that the feed reaches this far. */
    let confirmedIn = -1;
    for (;;) {
      this.align();
      await this.#until(() => this.#ready, { signal });
      if (signal.aborted || this.#closed) return;
      if (epoch !== this.#epoch) {
        epoch = this.#epoch;
        position = 0n;
      }
      const generation = this.#generation;
      let rows: readonly Row[] = [];
      if (position >= this.#from && position <= this.#last) {
        rows = this.#after(position, size);
      } else if (position < this.#from || confirmedIn !== generation) {
        const slice = await this.#page(position, size, signal);
        if (slice === undefined) return;
        if (epoch !== this.#options.epoch()) continue;
        confirmedIn = generation;
        this.raise(slice.head);
        rows = slice.rows;
        if (rows.length === 0 && (slice.head < position || slice.floor > position)) {
          position = slice.floor;
          continue;
        }
      }
      if (rows.length > 0) {
        position = this.feed.positionOf(rows.at(-1)!);
        yield rows;
      } else {
        await this.#until(() => this.#last > position || this.#generation !== generation, { signal });
      }
    }
  }

  /** Reads until the tail is where the feed is said to be. Never two at once; a follower that comes meanwhile is served by it. */
  async #catchUp(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    let retryMs = retryMsMin;
    while (this.#followers > 0 && !this.#closed && (this.#stale || this.#known > this.#last)) {
      const wanted = this.#known;
      const limit = this.#readers > 0 ? this.#options.pageMax : 0;
      const epoch = this.#epoch;
      this.#stale = false;
      try {
        const slice = await this.#read(this.#last, limit);
        this.align();
        // Of another epoch than the position that it was read from: nobody knows what lies between.
        if (this.#epoch === epoch) this.#accept(slice, wanted, limit > 0);
        retryMs = retryMsMin;
      } catch (error) {
        this.#stale = true;
        this.#options.onFailure(error);
        await this.#until(() => this.#followers === 0, { timeoutMs: retryMs });
        retryMs = Math.min(retryMs * 2, retryMsMax);
      }
    }
    this.#reading = false;
  }

  #accept({ head, floor, rows }: FeedSlice<Row>, wanted: bigint, withRows: boolean): void {
    if (this.#closed) return;
    const newest = rows.length === 0 ? undefined : this.feed.positionOf(rows.at(-1)!);
    if (!this.#ready) {
      this.#ready = true;
      // A page that does not reach the head is no tail. The tail starts at the head then, and followers behind it read pages.
      if (newest === undefined || newest < head) this.#restart(head);
      else this.#append(rows, newest, this.#last);
    } else if (head < this.#last) {
      // Only one read at a time, so this one began after the tail had got to where it is: the feed was set back.
      this.#generation++;
      this.#restart(head);
    } else if (!withRows) {
      // No follower wants rows: the tail goes on from the head, and who comes to read what is before it pages.
      if (head > this.#last) this.#restart(head);
    } else if (newest !== undefined) {
      this.#append(rows, newest, this.#from);
    } else if (floor > this.#last) {
      this.#restart(floor);
    }
    const reached = head > this.#last ? head : this.#last;
    // A signal that promised more than a later read found was wrong, or older than a restore.
    if (this.#known === wanted || this.#known < reached) this.#known = reached;
    this.#changed();
  }

  #restart(position: bigint): void {
    this.#last = position;
    this.#keep([], position, 0);
  }

  /** Takes in what was read, and lets go of the oldest rows that are too many or too large. */
  #append(rows: readonly Row[], newest: bigint, from: bigint): void {
    const { ringMax, ringBytesMax } = this.#options;
    const ring = [...this.#ring, ...rows];
    let bytes = rows.reduce((sum, row) => sum + this.feed.sizeOf(row), this.#bytes);
    let first = 0;
    while (first < ring.length && (ring.length - first > ringMax || bytes > ringBytesMax)) {
      bytes -= this.feed.sizeOf(ring[first++]!);
    }
    this.#last = newest;
    this.#keep(ring.slice(first), first === 0 ? from : this.feed.positionOf(ring[first - 1]!), bytes);
  }

  #keep(ring: Row[], from: bigint, bytes: number): void {
    const grown = bytes - this.#bytes;
    this.#ring = ring;
    this.#from = from;
    this.#bytes = bytes;
    if (grown !== 0) this.#options.onKept(grown);
  }

  /** Rows of the ring after a position, at most `limit`. */
  #after(position: bigint, limit: number): readonly Row[] {
    let low = 0;
    let high = this.#ring.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.feed.positionOf(this.#ring[middle]!) > position) high = middle;
      else low = middle + 1;
    }
    return this.#ring.slice(low, low + limit);
  }

  async #page(after: bigint, limit: number, signal: AbortSignal): Promise<FeedSlice<Row> | undefined> {
    const key = `${this.#epoch}:${after}:${limit}`;
    for (let retryMs = retryMsMin; !signal.aborted && !this.#closed; retryMs = Math.min(retryMs * 2, retryMsMax)) {
      let page = this.#pages.get(key);
      if (page === undefined) {
        page = this.#read(after, limit).finally(() => this.#pages.delete(key));
        this.#pages.set(key, page);
      }
      try {
        return await page;
      } catch (error) {
        this.#options.onFailure(error);
        await this.#until(() => false, { timeoutMs: retryMs, signal });
      }
    }
    return undefined;
  }

  async #read(after: bigint, limit: number): Promise<FeedSlice<Row>> {
    const slice = await this.feed.fetch(this.#options.db, after, limit);
    const { head, floor, rows } = slice;
    // Rows up to the head are committed with it, so a read that misses them is wrong; passing over it would lose them.
    if (floor > head || (limit > 0 && rows.length === 0 && head > after && floor <= after)) {
      throw new Error(`Feed ${feedKey(this.feed.name)} is at ${floor} to ${head} but has no rows after ${after}.`);
    }
    this.#options.onSuccess();
    return slice;
  }

  #changed(): void {
    for (const check of this.#waiting) check();
  }

  /** Waits for a condition on the tail; false when the time ran out, the signal aborted or the tail was closed. */
  #until(condition: () => boolean, { timeoutMs, signal }: WaitOptions): Promise<boolean> {
    if (signal?.aborted === true || this.#closed) return Promise.resolve(false);
    if (condition()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const finish = (answer: boolean) => {
        this.#waiting.delete(check);
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        resolve(answer);
      };
      const check = () => {
        if (this.#closed) finish(false);
        else if (condition()) finish(true);
      };
      const giveUp = () => finish(false);
      const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs);
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(check);
    });
  }
}

/** What a follower is there for. */
export type FollowerWants = 'rows' | 'head';

interface WaitOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}
