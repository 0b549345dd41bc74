import type { Feed, FeedHub } from '../kernel/feeds/feeds.ts';
import { batchMax, type EventSource, type Member, type Rendered, shownOf } from './event-source.ts';

/**
 * Makes of a row what is sent, or undefined when it is not what was subscribed to; `reset` tells that the subscriber
 * begins anew. What goes wrong is part of what is sent.
 */
export type Render<Row, Event> = (row: Row, reset: boolean) => Promise<Event | undefined>;

/** Events of a subscriber that shares with no other. */
export const alone = <Row, Event>(feed: Feed<Row>, render: Render<Row, Event>): EventSource<Row, Event> => ({
  feed,
  enter: () => {},
  leave: () => {},
  admit: () => false,
  release: () => {},
  rendered: (row) => render(row, false),
  renderedAnew: (row) => render(row, true),
});

export interface AudienceOptions<Row, Event> {
  readonly feeds: FeedHub;
  readonly feed: Feed<Row>;
  /** Position of the feed: what comes after it is for all followers. */
  readonly position: bigint;
  readonly render: Render<Row, Event>;
  /** Resolves when what was sent is on its way, and sending more is worth it. */
  readonly rested: () => Promise<void>;
  /** Told when the last one has left, or nothing more will come: no follower may join. */
  readonly onOver: () => void;
}

/** Bytes of rows, roughly, that are made up and handed over in one go: so much is made up before any follower asks. */
const batchBytesMax = 256 * 1024;

/** What was rendered lately, for those who are a moment behind. */
const recentMax = 256;
const recentBytesMax = 256 * 1024;
/** How long it is kept at most, in milliseconds. */
const recentMs = 2_000;

/**
 * Everybody who subscribed alike: one execution of each event for all of them. Who comes reads by itself what it has
 * missed, from its own cursor on, and joins where the audience is; who takes too slowly leaves and does so again.
 */
export class Audience<Row, Event extends Rendered> implements EventSource<Row, Event> {
  readonly feed: Feed<Row>;
  readonly #options: AudienceOptions<Row, Event>;
  readonly #members = new Set<Member<Event>>();
  /** Those who read by themselves. */
  readonly #behind = new Set<Member<Event>>();
  /** How many are here, those who are behind included. */
  #size = 0;
  /** The last row that every member has been sent. */
  #position: bigint;
  readonly #stop = new AbortController();
  /** Set when its following has ended by itself. */
  #over: { readonly error: unknown } | undefined;
  readonly #recent = new Map<bigint, Recent<Event>>();
  #recentBytes = 0;
  #forgetting: NodeJS.Timeout | undefined;

  constructor(options: AudienceOptions<Row, Event>) {
    this.feed = options.feed;
    this.#options = options;
    this.#position = options.position;
  }

  enter(follower: Member<Event>): void {
    this.#behind.add(follower);
    if (this.#size++ === 0) void this.#follow();
  }

  leave(follower: Member<Event>): void {
    this.#members.delete(follower);
    this.#behind.delete(follower);
    if (--this.#size > 0) return;
    this.#stop.abort();
    this.#forget();
    this.#options.onOver();
  }

  /** Takes a follower in that has everything up to here, or can be given it at once; any other has to read on. */
  admit(follower: Member<Event>): boolean {
    if (this.#over !== undefined) {
      follower.finish(this.#over.error);
      return true;
    }
    const missed: (Event | undefined)[] = [];
    for (let position = follower.position + 1n; position <= this.#position; position++) {
      const recent = this.#recent.get(position);
      if (recent?.done !== true) return false;
      missed.push(recent.event);
    }
    this.#behind.delete(follower);
    this.#members.add(follower);
    if (missed.length > 0) follower.take(missed, follower.position + 1n, this.#position);
    return true;
  }

  release(follower: Member<Event>): void {
    this.#members.delete(follower);
    this.#behind.add(follower);
  }

  /** However many ask for a row within a moment, it is executed once. */
  rendered(row: Row): Promise<Event | undefined> {
    const position = this.feed.positionOf(row);
    const known = this.#recent.get(position);
    if (known !== undefined) return known.rendering;
    const recent: Recent<Event> = { rendering: this.#options.render(row, false), done: false, event: undefined };
    this.#recent.set(position, recent);
    this.#forgetting ??= setTimeout(() => this.#forget(), recentMs).unref();
    recent.rendering.then(
      (event) => this.#keep(position, recent, event),
      () => this.#recent.delete(position),
    );
    return recent.rendering;
  }

  renderedAnew(row: Row): Promise<Event | undefined> {
    return this.#options.render(row, true);
  }

  #keep(position: bigint, recent: Recent<Event>, event: Event | undefined): void {
    if (this.#recent.get(position) !== recent) return;
    recent.done = true;
    recent.event = event;
    this.#recentBytes += event?.bytes ?? 0;
    for (const [oldest, { event: kept }] of this.#recent) {
      if (this.#recent.size <= recentMax && this.#recentBytes <= recentBytesMax) break;
      this.#recent.delete(oldest);
      this.#recentBytes -= kept?.bytes ?? 0;
    }
  }

  #forget(): void {
    clearTimeout(this.#forgetting);
    this.#forgetting = undefined;
    this.#recent.clear();
    this.#recentBytes = 0;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    let error: unknown;
    try {
      for await (const rows of this.#options.feeds.follow(this.feed, this.#position, { signal, pageSize: batchMax })) {
        for (const together of this.#handedTogether(rows)) {
          await this.#hand(together);
          if (signal.aborted) return;
        }
        // What comes meanwhile waits in the feed, and is sent together.
        await this.#options.rested();
        if (signal.aborted) return;
      }
    } catch (failure) {
      error = failure;
    }
    this.#over = { error };
    this.#options.onOver();
    for (const member of this.#members) member.finish(error);
  }

  async #hand(rows: readonly Row[]): Promise<void> {
    const first = this.feed.positionOf(rows[0]!);
    // Set back, as by a restore: what was sent under these positions belongs to another past.
    if (first <= this.#position) this.#startOver(first - 1n);
    const events = await Promise.all(rows.map((row) => this.rendered(row)));
    if (this.#stop.signal.aborted) return;
    this.#position = this.feed.positionOf(rows.at(-1)!);
    const shown = shownOf(events);
    for (const member of this.#members) member.take(events, first, this.#position, shown);
    if (this.#behind.size === 0) return;
    const bytes = shown.reduce((sum, event) => sum + event.bytes, 0);
    for (const follower of this.#behind) follower.miss(bytes);
  }

  /** A batch in pieces that are not too large; mostly one. */
  *#handedTogether(rows: readonly Row[]): Generator<readonly Row[]> {
    let from = 0;
    let bytes = 0;
    for (let at = 0; at < rows.length; at++) {
      const size = this.feed.sizeOf(rows[at]!);
      if (at > from && bytes + size > batchBytesMax) {
        yield rows.slice(from, at);
        from = at;
        bytes = 0;
      }
      bytes += size;
    }
    yield from === 0 ? rows : rows.slice(from);
  }

  #startOver(position: bigint): void {
    this.#forget();
    this.#position = position;
    for (const member of this.#members) member.restart(position);
  }
}

interface Recent<Event> {
  readonly rendering: Promise<Event | undefined>;
  done: boolean;
  event: Event | undefined;
}
