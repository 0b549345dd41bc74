import { isConnectionLoss, isTimeout } from '../db/pool.ts';
import type { Feed, FeedHub } from '../kernel/feeds/feeds.ts';
import { follow } from './follow.ts';
import type { OpenedFeed, PastPage } from './opened-feed.ts';

/** Rows of the past that are read at once. */
const pastRows = 50;

export interface BatchesOptions<Row> {
  readonly after: bigint;
  readonly past?: OpenedFeed<Row, unknown>['past'];
  readonly signal: AbortSignal;
  /** Most rows of one batch of what comes. */
  readonly pageSize?: number | undefined;
}

/** What comes after a position, for ever: first what has come already, where there is a quicker way to it. */
export async function* batches<Row>(
  feeds: FeedHub,
  feed: Feed<Row>,
  { after, past, signal, pageSize }: BatchesOptions<Row>,
): AsyncGenerator<PastPage<Row>, void, undefined> {
  let position = after;
  while (past !== undefined && !signal.aborted) {
    const page: PastPage<Row> | undefined = await past(position, pastRows).catch((error: unknown) => {
      // The feed itself is read again and again until the database is there.
      if (isConnectionLoss(error) || isTimeout(error)) return undefined;
      throw error;
    });
    if (page === undefined || signal.aborted) break;
    yield page;
    position = page.upTo;
    if (page.rows.length < pastRows) break;
  }
  for await (const rows of follow({ feeds }, feed, { after: position, signal, pageSize }))
    yield { rows, upTo: feed.positionOf(rows.at(-1)!) };
}
