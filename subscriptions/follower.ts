import { setImmediate } from 'node:timers/promises';
import type { FeedHub } from '../kernel/feeds/feeds.ts';
import type { Services } from '../kernel/run/context.ts';
import { batches } from './batches.ts';
import { batchMax, type EventSource, type Member, shownOf } from './event-source.ts';
import { authorityLost, projectFollowed } from './feed-source.ts';
import type { OpenedFeed } from './opened-feed.ts';

/** The other end of a subscription. */
export interface Reader<Event> {
  /** So much waits to be taken already that nothing more is to be sent. */
  readonly full: boolean;
  /** Resolves when it is worth to go on: everything was taken, or the client has gone. */
  readonly drained: () => Promise<void>;
  /** Makes up an event that was missed and sends it, as one of a few at a time. */
  readonly turn: <Result>(run: () => Promise<Result>) => Promise<Result>;
  /** Told what it would have been sent, had it taken what it was sent before. @param bytes roughly */
  readonly miss: (bytes: number) => void;
  /** Takes what is due together. All of one audience are given the very same array. */
  readonly send: (events: readonly Event[]) => void;
  /**
   * There is nothing more to come; with an error when that is why. Called at most once, and not after `stop`.
   *
   * @param projectId that was followed: of what everybody of an audience is told, each hears as of its own
   */
  readonly end: (error?: unknown, projectId?: string) => void;
}

/**
 * One subscriber. As long as it keeps up with its audience, this record and its place there are all there is of it; else
 * it reads by itself, no faster than its reader takes.
 */
export class Follower<Row, Event> implements Member<Event> {
  /** The last row that it was sent. */
  position: bigint;
  readonly #feeds: FeedHub;
  readonly #source: EventSource<Row, Event>;
  readonly #reader: Reader<Event>;
  readonly #projectId: string | undefined;
  #unwatch = () => {};
  #left: number;
  #reset: boolean;
  /** The epoch of its position. */
  #epoch: string;
  /** How it reads what it comes too late for; used once. */
  #past: OpenedFeed<Row, unknown>['past'];
  /** Set while it reads by itself. */
  #reading: AbortController | undefined;
  #gone = false;

  constructor(
    { feeds, authority }: Pick<Services, 'feeds' | 'authority'>,
    opened: Pick<OpenedFeed<Row, unknown>, 'position' | 'reset' | 'first' | 'authority' | 'revoked' | 'past'>,
    source: EventSource<Row, Event>,
    reader: Reader<Event>,
  ) {
    const { revoked } = opened;
    this.#past = opened.past;
    this.position = opened.position;
    this.#feeds = feeds;
    this.#epoch = feeds.epoch;
    this.#source = source;
    this.#reader = reader;
    this.#reset = opened.reset;
    this.#projectId = projectFollowed(opened.authority);
    this.#left = opened.first ?? Number.POSITIVE_INFINITY;
    source.enter(this);
    try {
      this.#unwatch = authority.watch(opened.authority, (reason) => this.finish(authorityLost(reason, revoked)));
      if (!this.#joins()) void this.#read();
    } catch (error) {
      // The caller gets no follower, so no other code could stop it.
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
    this.#reader.end(error, this.#projectId);
  }

  /**
   * Is given what everybody of its audience was, an event or nothing for each position from one to another.
   *
   * @param shown all of it that is sent, one array for everybody
   */
  take(events: readonly (Event | undefined)[], first: bigint, last: bigint, shown = shownOf(events)): void {
    // One that begins anew is told so, and reads by itself.
    if (this.#reader.full || this.#reset) {
      this.#source.release(this);
      return void this.#read();
    }
    if (last <= this.position) return;
    let due = first > this.position ? shown : shownOf(events.slice(Number(this.position - first) + 1));
    this.position = last;
    if (due.length === 0) return;
    if (due.length > this.#left) due = due.slice(0, this.#left);
    this.#left -= due.length;
    this.#reader.send(due);
    if (this.#left === 0) this.finish();
  }

  restart(position: bigint): void {
    this.position = position;
    this.#reset = true;
    this.#epoch = this.#feeds.epoch;
  }

  /** Its audience was sent so much without it. */
  miss(bytes: number): void {
    this.#reader.miss(bytes);
  }

  #joins(): boolean {
    if (this.#epoch !== this.#feeds.epoch) {
      this.#past = undefined;
      this.restart(0n);
    }
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
    const past = this.#past;
    this.#past = undefined;
    const read = { after: this.position, past, signal, pageSize: batchMax };
    for await (const { rows, upTo } of batches(this.#feeds, source.feed, read)) {
      // Set back, or in another epoch: what it was sent belongs to another past.
      if (rows.length > 0 && source.feed.positionOf(rows[0]!) <= this.position) this.restart(0n);
      for (const row of rows) {
        // However many subscriptions one reader has: of what is made up for it, only so much waits for room.
        await this.#reader.turn(() => this.#sendMissed(row, signal));
        if (signal.aborted || this.#left === 0) return false;
      }
      if (upTo > this.position) this.position = upTo;
      await this.#room();
      if (signal.aborted) return false;
      if (this.#joins()) return true;
    }
    return false;
  }

  async #sendMissed(row: Row, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const source = this.#source;
    const event = await (this.#reset ? source.renderedAnew(row) : source.rendered(row));
    await this.#room();
    if (signal.aborted) return;
    this.position = source.feed.positionOf(row);
    if (event === undefined) return;
    this.#reset = false;
    this.#left--;
    this.#reader.send([event]);
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
