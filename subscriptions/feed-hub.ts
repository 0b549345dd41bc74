import type { Logger } from 'pino';
import { sql } from '../db/drizzle.ts';
import { type Database, isConnectionLoss } from '../db/pool.ts';
import { feedHeads } from '../db/schema/rooms.ts';
import { computed, statement, typed } from '../db/sql.ts';
import { type Feed, type FeedHub, feedKey } from '../kernel/feeds/feeds.ts';
import { FeedTail, type FollowerWants } from './feed-tail.ts';
import type { Signals } from './signals.ts';
import { type TailEntry, Tails } from './tails.ts';

export interface FeedHubOptions {
  readonly db: Database;
  readonly signals: Signals;
  readonly log: Logger;
  /** The epoch of the installation, now. @default always the same */
  readonly epoch?: () => string;
  /** How often the heads of all followed feeds are looked up, in milliseconds: the longest a lost signal delays. @default 1_000 */
  readonly backstopMs?: number;
  /** Most rows of one read, and of one batch. @default 500 */
  readonly pageMax?: number;
  /** Most rows a feed keeps for followers that are a little behind. @default 512 */
  readonly ringMax?: number;
  /** Most bytes of these rows, roughly. @default 1 MiB */
  readonly ringBytesMax?: number;
  /** Most bytes that all feeds together keep, roughly. @default 64 MiB */
  readonly bytesMax?: number;
  /** Aborted when the server drains: held reads stop waiting for a feed to move, followers go on. */
  readonly draining?: AbortSignal | undefined;
  /** How long a feed's rows are kept after its last follower has left, in milliseconds. @default 30_000 */
  readonly lingerMs?: number;
}

export interface RunningFeedHub extends FeedHub {
  /** How many feeds have followers. */
  followed(): number;
  /** What the rows kept for followers take, in bytes, roughly. */
  keptBytes(): number;
  /** Ends all followers, quietly. Leaves the signals and the database to the part that opened them. */
  close(): Promise<void>;
}

const mebibyte = 1_048_576;

// Rows of a feed are of one type, which its name implies.
// biome-ignore lint/suspicious/noExplicitAny: as above.
type AnyTail = FeedTail<any>;

export function createFeedHub({
  db,
  signals,
  log,
  epoch = () => '',
  backstopMs = 1_000,
  pageMax = 500,
  ringMax = 512,
  ringBytesMax = mebibyte,
  bytesMax = 64 * mebibyte,
  lingerMs = 30_000,
  draining,
}: FeedHubOptions): RunningFeedHub {
  const tails = new Tails<AnyTail>({ lingerMs });
  let backstop: NodeJS.Timeout | undefined;
  let looking = false;
  let closed = false;
  let away = false;
  let keptBytes = 0;
  const stopListening = signals.onSignal((key, head) => tails.get(key)?.raise(head));

  const onSuccess = () => {
    if (away) log.info('feeds are read from the database again');
    away = false;
  };
  // One line for an outage, however many feeds it stops.
  const onFailure = (error: unknown) => {
    if (!away && !closed)
      log.warn({ err: error }, 'feeds cannot be read from the database; trying again until they can');
    away = true;
  };

  /** Makes room for what a feed has just taken in: feeds without followers go first, then rows of the oldest ones. */
  function shed(taker: string): void {
    for (const entry of tails.entries()) if (keptBytes > bytesMax && entry.followers === 0) tails.drop(entry);
    for (const { key, tail } of tails.entries()) if (keptBytes > bytesMax && key !== taker) tail.forget();
    if (keptBytes > bytesMax) tails.get(taker)?.forget();
  }

  function tailOf<Row>(feed: Feed<Row>, key: string): FeedTail<Row> {
    let failing = false;
    return new FeedTail(feed, {
      db,
      epoch,
      pageMax,
      ringMax: Math.max(ringMax, pageMax),
      ringBytesMax,
      onKept: (bytes) => {
        keptBytes += bytes;
        if (bytes > 0 && keptBytes > bytesMax) shed(key);
      },
      onSuccess: () => {
        failing = false;
        onSuccess();
      },
      onFailure: (error) => {
        if (isConnectionLoss(error)) return onFailure(error);
        if (!failing) log.error({ err: error, feed: key }, 'a feed cannot be read; trying again until it can');
        failing = true;
      },
    });
  }

  function enter<Row>(feed: Feed<Row>, after: bigint, wants: FollowerWants): TailEntry<FeedTail<Row>> {
    const key = feedKey(feed.name);
    const entry: TailEntry<FeedTail<Row>> = tails.enter(key, () => tailOf(feed, key));
    entry.tail.enter(after, wants);
    schedule();
    return entry;
  }

  function leave(entry: TailEntry<AnyTail>, wants: FollowerWants): void {
    entry.tail.leave(wants);
    tails.leave(entry);
  }

  function schedule(): void {
    if (backstop === undefined && !looking && !closed) backstop = setTimeout(lookUpHeads, backstopMs);
  }

  /** One statement for all feeds that are followed here: what no signal told is found this way. */
  async function lookUpHeads(): Promise<void> {
    backstop = undefined;
    const followed = tails.followed().map(({ tail }) => tail);
    if (followed.length === 0) return;
    looking = true;
    const lastBefore = followed.map(({ last }) => last);
    const names = followed.map(({ feed }) => feed.name);
    try {
      const heads = await db.rows(
        headsStatement.with({
          orgIds: names.map(({ orgId }) => orgId),
          kinds: names.map(({ kind }) => kind),
          feedIds: names.map(({ feedId }) => feedId),
        }),
      );
      onSuccess();
      for (const { index, position } of heads) followed[index]!.observe(position, lastBefore[index]!);
    } catch (error) {
      onFailure(error);
    }
    looking = false;
    schedule();
  }

  const endedBy = (signal: AbortSignal) => (draining === undefined ? signal : AbortSignal.any([signal, draining]));

  const hub: RunningFeedHub = {
    get epoch() {
      return epoch();
    },

    publish: (name, head) => {
      const key = feedKey(name);
      tails.get(key)?.raise(head);
      try {
        signals.publish(key, head);
      } catch (error) {
        // The change is committed; its caller must not hear that the news of it got stuck.
        log.warn({ err: error }, 'a signal could not be sent');
      }
    },

    fetch: async (feed, after, limit) => {
      const slice = await feed.fetch(db, after, limit);
      tails.get(feedKey(feed.name))?.raise(slice.head);
      return slice;
    },

    moved: async (feed, after, { timeoutMs, signal, matching }) => {
      if (closed || signal.aborted) return false;
      if (matching !== undefined) {
        const until = AbortSignal.any([endedBy(signal), AbortSignal.timeout(timeoutMs)]);
        const before = epoch();
        for await (const rows of hub.follow(feed, after, { signal: until }))
          if (epoch() !== before || rows.some(matching)) return true;
        return false;
      }
      const entry = enter(feed, after, 'head');
      try {
        return await entry.tail.moved(after, { timeoutMs, signal: endedBy(signal) });
      } finally {
        leave(entry, 'head');
      }
    },

    follow: (feed, after, { signal, pageSize = pageMax }) => {
      const stop = new AbortController();
      const rows = followUntil(stop);
      const finish = rows.return.bind(rows);
      // The generator's own return() waits for a pending next(), so for the next row.
      rows.return = (value) => {
        stop.abort();
        return finish(value);
      };
      return rows;

      async function* followUntil(stop: AbortController) {
        if (closed || signal.aborted) return;
        const entry = enter(feed, after, 'rows');
        const abort = () => stop.abort();
        signal.addEventListener('abort', abort, { once: true });
        // At once, not when the reader comes back for more: it may never.
        stop.signal.addEventListener('abort', () => leave(entry, 'rows'), { once: true });
        try {
          yield* entry.tail.follow(after, { signal: stop.signal, size: Math.min(pageSize, pageMax) });
        } finally {
          signal.removeEventListener('abort', abort);
          stop.abort();
        }
      }
    },

    followed: () => tails.followed().length,
    keptBytes: () => keptBytes,

    close: async () => {
      closed = true;
      stopListening();
      clearTimeout(backstop);
      tails.close();
    },
  };
  return hub;
}

const headsStatement = statement(
  'feeds.heads',
  {
    params: {
      orgIds: typed<readonly string[]>('uuid[]'),
      kinds: typed<readonly string[]>('text[]'),
      feedIds: typed<readonly string[]>('text[]'),
    },
    row: {
      index: computed<number>('integer', sql`(f.number - 1)::int`),
      position: computed<bigint>('bigint', sql`coalesce(${feedHeads.position}, 0)`),
    },
    // All feeds of the node wait for it.
    timeoutMs: 3_000,
  },
  ({ orgIds, kinds, feedIds }, row) => sql`select ${row}
    from unnest(${orgIds}::uuid[], ${kinds}::text[], ${feedIds}::text[])
      with ordinality as f (org_id, kind, feed_id, number)
    left join ${feedHeads} on ${feedHeads.orgId} = f.org_id and ${feedHeads.kind} = f.kind
      and ${feedHeads.feedId} = f.feed_id`,
);
