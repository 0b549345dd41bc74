import type { Feed } from '../kernel/feeds/feeds.ts';

/** An event as it is sent: made once, and handed to everybody it is for. */
export interface Rendered {
  /** What it takes in memory, roughly. */
  readonly bytes: number;
}

/** What a source knows of one who follows it. */
export interface Member<Event> {
  /** The last row that it was sent. */
  readonly position: bigint;
  /** Is given what everybody of its audience was, an event or nothing for each position from one to another. */
  take(events: readonly (Event | undefined)[], first: bigint, last: bigint, shown?: readonly Event[]): void;
  /** The feed was set back to a position: what was sent belongs to another past, and it begins anew. */
  restart(position: bigint): void;
  /** Its audience was sent so much without it. */
  miss(bytes: number): void;
  /** Ends it; with an error when that is why. */
  finish(error?: unknown): void;
}

/** Where a follower's events come from. */
export interface EventSource<Row, Event> {
  readonly feed: Feed<Row>;
  enter(follower: Member<Event>): void;
  leave(follower: Member<Event>): void;
  /** Adds a follower that has caught up. */
  admit(follower: Member<Event>): boolean;
  /** Leaves a follower to itself again; it reads on from where it is. */
  release(follower: Member<Event>): void;
  /** A row as it is sent; undefined when it is not for these subscribers. */
  rendered(row: Row): Promise<Event | undefined>;
  /** The same as the first event of a subscriber that begins anew. */
  renderedAnew(row: Row): Promise<Event | undefined>;
}

/** Rows that are read at once, and leave in one go. */
export const batchMax = 50;

/** What of a batch is sent; the very same array where all of it is. */
export const shownOf = <Event>(events: readonly (Event | undefined)[]): readonly Event[] =>
  events.includes(undefined) ? events.filter((event) => event !== undefined) : (events as readonly Event[]);
