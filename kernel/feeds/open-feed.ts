import type { KeyRing } from '../../core/keys.ts';
import { type Feed, type FeedHub, readFeed } from './feeds.ts';

export interface Opened<Row> {
  readonly feed: Feed<Row>;
  /** Where following begins. */
  readonly position: bigint;
  /** Where the feed stood at that moment. */
  readonly head: bigint;
  /** The cursor could not be used: following begins at the earliest row that is kept. */
  readonly reset: boolean;
}

/** Where a subscription begins: at its cursor, or at the earliest row that is kept. */
export async function openFeed<Row>(
  services: { readonly keys: KeyRing; readonly feeds: FeedHub },
  feed: Feed<Row>,
  cursor: string | undefined,
): Promise<Opened<Row>> {
  // A page of one row gives the position of the cursor; the rows themselves come with the following.
  const { rows, position, head, reset } = await readFeed(services, feed, { cursor, limit: 1 });
  return { feed, position: rows.length === 0 ? position : position - 1n, head, reset };
}
