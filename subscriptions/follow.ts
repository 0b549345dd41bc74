import type { Feed } from '../kernel/feeds/feeds.ts';
import type { Services } from '../kernel/run/context.ts';

export interface FollowFrom {
  /** Position of the last row that the reader already has; 0 for none. */
  readonly after: bigint;
  /** Ends the generator, quietly. */
  readonly signal: AbortSignal;
  /** Most rows of one batch. @default 200 */
  readonly pageSize?: number | undefined;
}

/**
 * Yields a feed's rows in batches, never empty, oldest first: what there is, then what comes. Every row once and in
 * order. Positions are dense, so a batch that does not start right after the last one tells that the feed was set back
 * (a restore) or that retention overtook the reader.
 *
 * Not a generator function itself: the hub's `return()` ends even a pending `next()`, which a wrapper would hide.
 */
export const follow = <Row>(
  { feeds }: Pick<Services, 'feeds'>,
  feed: Feed<Row>,
  { after, signal, pageSize = 200 }: FollowFrom,
): AsyncGenerator<readonly Row[], void, undefined> => feeds.follow(feed, after, { signal, pageSize });
