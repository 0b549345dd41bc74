import type { AuthorityEntry } from '../access/authority-watch.ts';
import type { Context } from '../run/context.ts';
import type { Feed } from './feeds.ts';

export interface HeldReadOptions<Row> {
  /** Position of the last row that the reader already has. */
  readonly after: bigint;
  readonly timeoutMs: number;
  /** By what right it waits. */
  readonly authority: AuthorityEntry;
  /** Waits on until such a row has come. @default any row */
  readonly matching?: ((row: Row) => boolean) | undefined;
}

/**
 * Holds a read until a feed has moved, for as long as its caller may read it: a wait must not outlive the right to what
 * is waited for. Whether the right still holds has to be asked afterwards, whatever came of the wait.
 *
 * @returns whether the feed has moved
 */
export async function movedWhileAllowed<Row>(
  { services: { authority, feeds }, signal }: Pick<Context, 'services' | 'signal'>,
  feed: Feed<Row>,
  { after, timeoutMs, authority: entry, matching }: HeldReadOptions<Row>,
): Promise<boolean> {
  const lost = new AbortController();
  const unwatch = authority.watch(entry, () => lost.abort());
  try {
    return await feeds.moved(feed, after, { timeoutMs, matching, signal: AbortSignal.any([signal, lost.signal]) });
  } finally {
    unwatch();
  }
}
