import { setImmediate } from 'node:timers/promises';
import type { Services } from '../resolvers/context.ts';
import type { FeedHub } from '../resolvers/feeds.ts';
import { batchMax, type EventSource } from './audience.ts';
import { authorityLost, type OpenedFeed } from './feed-source.ts';

/** Whoever is at the other end of a subscription. */
export interface Reader<Event> {
  /** So much waits to be taken already that nothing more is to be sent. */
  readonly full: boolean;
  /** Resolves when it is worth to go on: everything was taken, or nobody is there any more. */
  readonly drained: () => Promise<void>;
  /** Takes what is due together. All of one audience are given the very same array. */
  readonly send: (events: readonly Event[]) => void;
  /** There is nothing more to come; with an error when that is why. Called at most once, and not after `stop`. */
  readonly end: (error?: unknown) => void;
}

/**
 * One subscriber. As long as it keeps up with its audience, this record and its place there are all there is of it; else
 * it reads by itself, no faster than its reader takes.
 */
export class Follower<Row, Event> {
  /** The last row that it was sent. */
  position: bigint;
  readonly #feeds: FeedHub;
  readonly #source: EventSource<Row, Event>;
  readonly #reader: Reader<Event>;
  #unwatch = () => {};
  #left: number;
  #reset: boolean;
  /** Set while it reads by itself. */
  #reading: AbortController | undefined;
  #gone = false;

  constructor(
    { feeds, authority }: Pick<Services, 'feeds' | 'authority'>,
    opened: Pick<OpenedFeed<Row, unknown>, 'position' | 'reset' | 'first' | 'authority' | 'revoked'>,
    source: EventSource<Row, Event>,
    reader: Reader<Event>,
  ) {
    const { revoked } = opened;
    this.position = opened.position;
    this.#feeds = feeds;
    this.#source = source;
    this.#reader = reader;
    this.#reset = opened.reset;
    this.#left = opened.first ?? Number.POSITIVE_INFINITY;
    source.enter();
    try {
      this.#unwatch = authority.watch(opened.authority, (reason) => this.finish(authorityLost(reason, revoked)));
      if (!this.#joins()) void this.#read();
    } catch (error) {
      // Nobody gets to know it, so nobody else could.
      this.stop();
      throw error;
    }
  }

  /** Ends it without a word. */
  stop(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#reading?.abort();
    this.#unwatch();
    this.#source.leave(this);
  }

  /** Ends it, and tells the reader; with an error when that is why. */
  finish(error?: unknown): void {
    if (this.#gone) return;
    this.stop();
    this.#reader.end(error);
  }

  /** Is given what everybody of its audience was, from one position to another. */
  take(events: readonly Event[], first: bigint, last: bigint): void {
    if (this.#reader.full) {
      this.#source.release(this);
      return void this.#read();
    }
    if (last <= this.position) return;
    let due = first > this.position ? events : events.slice(Number(this.position - first) + 1);
    if (due.length > this.#left) due = due.slice(0, this.#left);
    this.position = last;
    this.#left -= due.length;
    this.#reader.send(due);
    if (this.#left === 0) this.finish();
  }

  #joins(): boolean {
    return !this.#reset && this.#source.admit(this);
  }

  async #read(): Promise<void> {
    const stop = new AbortController();
    this.#reading = stop;
    try {
      if (!(await this.#catchUp(stop.signal))) this.finish();
    } catch (error) {
      this.finish(error);
    } finally {
      if (this.#reading === stop) this.#reading = undefined;
    }
  }

  /** @returns whether it has joined its audience; else there is nothing more to read */
  async #catchUp(signal: AbortSignal): Promise<boolean> {
    const source = this.#source;
    await this.#room();
    if (signal.aborted) return false;
    if (this.#joins()) return true;
    for await (const rows of this.#feeds.follow(source.feed, this.position, { signal, pageSize: batchMax })) {
      for (const row of rows) {
        const event = await (this.#reset ? source.renderedAnew(row) : source.rendered(row));
        await this.#room();
        if (signal.aborted) return false;
        this.#reset = false;
        this.position = source.feed.positionOf(row);
        this.#reader.send([event]);
        if (--this.#left === 0) return false;
      }
      await this.#room();
      if (signal.aborted) return false;
      if (this.#joins()) return true;
    }
    return false;
  }

  /** Waits until the reader takes more. */
  async #room(): Promise<void> {
    while (this.#reader.full && !this.#gone) {
      await this.#reader.drained();
      // Whatever the reader resolves by: others have their turn before it is asked again.
      await setImmediate();
    }
  }
}
