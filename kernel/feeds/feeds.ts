import { openCursor, sealCursor } from '../../core/cursors.ts';
import type { KeyRing } from '../../core/keys.ts';
import type { Database } from '../../db/pool.ts';

/** Names one ordered log. */
export interface FeedName {
  readonly orgId: string;
  /** `room`: its messages; `events`: what happened in an organization; the others: changes of what they name. */
  readonly kind:
    | 'room'
    | 'events'
    | 'presences'
    | 'claims'
    | 'escalations'
    | 'deploys'
    | 'function_logs'
    | 'job_logs'
    | 'function_runs'
    | 'mail';
  readonly feedId: string;
}

export const feedKey = ({ orgId, kind, feedId }: FeedName): string => `${kind}:${orgId}:${feedId}`;

/** Rows of a feed after a position, and the newest position of the feed. */
export interface FeedSlice<Row> {
  /** Position of the newest row; 0 for an empty feed. */
  readonly head: bigint;
  /** Everything up to here is gone by retention. */
  readonly floor: bigint;
  /** Ascending, dense from the position asked for. */
  readonly rows: readonly Row[];
}

/** How rows of one kind of feed are read. */
export interface Feed<Row> {
  readonly name: FeedName;
  readonly cursorPrefix: string;
  readonly positionOf: (row: Row) => bigint;
  /** What a row takes in memory, in bytes, roughly: for the bounds on what is kept. */
  readonly sizeOf: (row: Row) => number;
  /**
   * One statement, so that head and rows are of one moment. Feeds of one name read the same rows for every caller. A limit
   * of 0 asks for the newest position only.
   */
  readonly fetch: (db: Database, after: bigint, limit: number) => Promise<FeedSlice<Row>>;
}

/**
 * Wakes readers and spares the database: one read serves all followers of a feed on this node. The log is the truth; a
 * lost signal costs a delay, never a row.
 */
export interface FeedHub {
  /** The epoch of the installation: a position is good only in the epoch in which it was read. */
  readonly epoch: string;
  /** Tells this node and the others that a feed has reached a position. Called after the commit. */
  publish(name: FeedName, head: bigint): void;
  /** Rows after a position, always read: it sees every commit that came before the call, on whatever node. */
  fetch<Row>(feed: Feed<Row>, after: bigint, limit: number): Promise<FeedSlice<Row>>;
  /**
   * Waits until the feed has moved past a position, or another epoch has begun; false when the time ran out or the signal
   * aborted.
   *
   * @param options.matching waits on until such a row has come: all who wait are told by one read
   */
  moved<Row>(
    feed: Feed<Row>,
    after: bigint,
    options: {
      readonly timeoutMs: number;
      readonly signal: AbortSignal;
      readonly matching?: ((row: Row) => boolean) | undefined;
    },
  ): Promise<boolean>;
  /**
   * Batches of what comes after a position, for ever; served from the shared tail where it reaches back that far. In
   * another epoch it starts over at the earliest row that is kept.
   */
  follow<Row>(feed: Feed<Row>, after: bigint, options: FollowOptions): AsyncGenerator<readonly Row[], void, undefined>;
}

export interface FollowOptions {
  /** Ends the generator, quietly; `return()` does too, even while a `next()` is pending. */
  readonly signal: AbortSignal;
  /** Most rows of one batch. @default the hub's page size */
  readonly pageSize?: number | undefined;
}

const viewOf = <Row>(feed: Feed<Row>) =>
  ({ prefix: feed.cursorPrefix, kind: 'feed', view: feedKey(feed.name) }) as const;

/** The cursor right after a position of a feed. */
export const feedCursor = <Row>(keys: KeyRing, feed: Feed<Row>, position: bigint): string =>
  sealCursor(keys, viewOf(feed), position.toString());

/** The position of a cursor, or undefined for a cursor of anything else. */
export function feedPosition<Row>(keys: KeyRing, feed: Feed<Row>, cursor: string): bigint | undefined {
  const position = openCursor(keys, viewOf(feed), cursor);
  return position === undefined ? undefined : BigInt(position);
}

/** One page of a feed. Contract 02, sections 1.3 and 2.5. */
export interface FeedPage<Row> {
  readonly rows: readonly Row[];
  /** High-water mark of this page. */
  readonly position: bigint;
  readonly hasMore: boolean;
  /** The given cursor could not be used; the page starts at the earliest row that is kept. */
  readonly reset: boolean;
  readonly floor: bigint;
  /** Where the feed stood. */
  readonly head: bigint;
}

/**
 * Reads again when another epoch has begun meanwhile: what a cursor was found to say before does not hold for what was read
 * then.
 */
export async function inOneEpoch<Result>(keys: KeyRing, read: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const epoch = keys.feedEpoch;
    const result = await read();
    if (keys.feedEpoch === epoch) return result;
  }
}

/** Reads what comes after a cursor, at most `limit` rows. An unusable cursor restarts, it never fails nor skips. */
export const readFeed = <Row>(
  services: { readonly keys: KeyRing; readonly feeds: FeedHub },
  feed: Feed<Row>,
  page: { readonly cursor: string | undefined; readonly limit: number },
): Promise<FeedPage<Row>> => inOneEpoch(services.keys, () => readPage(services, feed, page));

async function readPage<Row>(
  { keys, feeds }: { readonly keys: KeyRing; readonly feeds: FeedHub },
  feed: Feed<Row>,
  { cursor, limit }: { readonly cursor: string | undefined; readonly limit: number },
): Promise<FeedPage<Row>> {
  const given = cursor === undefined ? 0n : feedPosition(keys, feed, cursor);
  // One row more than asked tells whether there are more.
  let slice = await feeds.fetch(feed, given ?? 0n, limit + 1);
  // Behind retention, or ahead of a feed that was set back: the reader starts over and is told so.
  const unusable = cursor !== undefined && (given === undefined || given < slice.floor || given > slice.head);
  if (unusable && given !== undefined) slice = await feeds.fetch(feed, slice.floor, limit + 1);
  const rows = slice.rows.slice(0, limit);
  const last = rows.at(-1);
  const start = unusable || given === undefined || given < slice.floor ? slice.floor : given;
  return {
    rows,
    position: last === undefined ? start : feed.positionOf(last),
    hasMore: slice.rows.length > limit,
    reset: unusable,
    floor: slice.floor,
    head: slice.head,
  };
}
