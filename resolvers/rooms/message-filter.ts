import type { Database, Statement } from '../../db/pool.ts';
import type { RoomMessage } from '../../db/schema/rooms.ts';
import type { Feed, FeedName, FeedSlice } from '../../kernel/feeds/feeds.ts';
import { type SliceRow, sliceColumns, toSlice } from './shared/room-feed.ts';

/** What of a room is read. Cursors know nothing of it: those of a room are good for every filter. Contract 02, 2.5. */
export interface MessageFilter {
  readonly threadId?: string | undefined;
  /** Only what names this presence, in `to` or `cc`. */
  readonly addressedTo?: string | undefined;
  /** Only what comes after this position, whatever the cursor says. */
  readonly beyond?: bigint | undefined;
}

/** Whether it leaves some messages out by what they are. */
export const picks = ({ threadId, addressedTo }: MessageFilter): boolean =>
  threadId !== undefined || addressedTo !== undefined;

/** Whether it leaves any out. */
export const isFilter = (filter: MessageFilter): boolean => picks(filter) || filter.beyond !== undefined;

/** Whether a message passes, but for its place. */
export const passes = (
  { threadId, addressedTo }: MessageFilter,
  { threadId: thread, recipients }: Pick<RoomMessage, 'threadId' | 'recipients'>,
): boolean =>
  (threadId === undefined || thread === threadId) &&
  (addressedTo === undefined || recipients.some(({ presenceId }) => presenceId === addressedTo));

/** The room's messages that pass, for one page: its positions have gaps, so nobody can follow it. */
export const filteredFeed = (feed: Feed<RoomMessage>, filter: MessageFilter): Feed<RoomMessage> => ({
  ...feed,
  fetch: (db, after, limit) => readSlice(db, feed.name, filter, 'asc', after, limit),
});

const positionMax = 2n ** 63n - 1n;

/** The other way: messages older than a position, newest first; from the newest on when there is no position. */
export const readRoomBack = (
  db: Database,
  name: FeedName,
  filter: MessageFilter,
  { before = positionMax, limit }: { readonly before: bigint | undefined; readonly limit: number },
): Promise<FeedSlice<RoomMessage>> => readSlice(db, name, filter, 'desc', before, limit);

async function readSlice(
  db: Database,
  { orgId, feedId }: FeedName,
  { threadId, addressedTo, beyond = 0n }: MessageFilter,
  order: Order,
  from: bigint,
  limit: number,
): Promise<FeedSlice<RoomMessage>> {
  const kind =
    `${threadId === undefined ? '' : 'thread-'}${addressedTo === undefined ? '' : 'named-'}${order}` as const;
  const filters = [threadId, addressedTo].filter((value) => value !== undefined);
  return toSlice(await db.rows<SliceRow>(statements[kind], [orgId, feedId, from, limit, beyond, ...filters]));
}

type Order = 'asc' | 'desc';

/** Where a page lies: `alias` has a place in the room. */
const within = (alias: string, order: Order) =>
  order === 'asc'
    ? `${alias}.seq > greatest($3::bigint, $5::bigint, h.floor)`
    : `${alias}.seq > greatest($5::bigint, h.floor) and ${alias}.seq < $3::bigint`;

const sliceOf = (name: string, messages: string, order: Order): Statement => ({
  name: `rooms.slice-${name}${order}`,
  text: `select ${sliceColumns} from feed_heads h ${messages}
    where h.org_id = $1 and h.kind = 'room' and h.feed_id = $2
    order by m.seq ${order}`,
});

const inRoom = (name: string, condition: string, order: Order): Statement =>
  sliceOf(
    name,
    `left join lateral (
      select * from room_messages m where m.org_id = $1 and ${condition} m.room_key = $2 and ${within('m', order)}
      order by m.seq ${order} limit $4
    ) m on true`,
    order,
  );

// Whom a message names is found first, and only the page is looked up.
const naming = (name: string, condition: string, order: Order): Statement =>
  sliceOf(
    name,
    `left join lateral (
      select a.seq from room_addressees a where a.org_id = $1 and ${condition} and ${within('a', order)}
      order by a.seq ${order} limit $4
    ) a on true
    left join lateral (
      select * from room_messages m where m.org_id = $1 and m.room_key = $2 and m.seq = a.seq offset 0
    ) m on true`,
    order,
  );

const bothWays = <Name extends string>(name: Name, make: (order: Order) => Statement) =>
  ({ [`${name}asc`]: make('asc'), [`${name}desc`]: make('desc') }) as Record<`${Name}${Order}`, Statement>;

const statements = {
  ...bothWays('', (order) => inRoom('', '', order)),
  ...bothWays('thread-', (order) => inRoom('thread-', 'm.thread_id = $6 and', order)),
  ...bothWays('named-', (order) => naming('named-', 'a.presence_id = $6', order)),
  ...bothWays('thread-named-', (order) => naming('thread-named-', 'a.thread_id = $6 and a.presence_id = $7', order)),
};
