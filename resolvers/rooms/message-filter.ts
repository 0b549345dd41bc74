import { type Column, type SQL, sql } from '../../db/drizzle.ts';
import type { Database } from '../../db/pool.ts';
import { feedHeads, type RoomMessage, roomAddressees, roomMessages } from '../../db/schema/rooms.ts';
import { type ParametersOf, statement, typed } from '../../db/sql.ts';
import type { Bound } from '../../db/statement.ts';
import type { Feed, FeedName, FeedSlice } from '../../kernel/feeds/feeds.ts';
import { type SliceRow, sliceRow, toSlice } from './shared/room-feed.ts';

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

/** The room's messages that pass, for one page: its positions have gaps, so it cannot be followed. */
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

const readSlice = async (
  db: Database,
  { orgId, feedId }: FeedName,
  filter: MessageFilter,
  order: Order,
  from: bigint,
  limit: number,
): Promise<FeedSlice<RoomMessage>> =>
  toSlice(await db.rows(asked({ orgId, roomKey: feedId, from, limit, beyond: filter.beyond ?? 0n }, filter, order)));

/** The statement that finds what passes a filter. */
function asked(page: Page, { threadId, addressedTo }: MessageFilter, order: Order): Bound<SliceRow> {
  if (addressedTo === undefined)
    return threadId === undefined ? all[order].with(page) : ofThread[order].with({ ...page, threadId });
  return threadId === undefined
    ? naming[order].with({ ...page, addressedTo })
    : namingInThread[order].with({ ...page, addressedTo, threadId });
}

type Order = 'asc' | 'desc';

/** One page of a room. */
type Page = ParametersOf<typeof page>;
const page = {
  orgId: roomMessages.orgId,
  roomKey: roomMessages.roomKey,
  from: typed<bigint>('bigint'),
  limit: typed<number>('bigint'),
  beyond: typed<bigint>('bigint'),
};
type PageSql = { readonly [Name in keyof typeof page]: SQL };

/** Whether a place in the room lies on the page. */
const within = (seq: Column, { from, beyond }: PageSql, order: Order): SQL =>
  order === 'asc'
    ? sql`${seq} > greatest(${from}::bigint, ${beyond}::bigint, ${feedHeads.floor})`
    : sql`${seq} > greatest(${beyond}::bigint, ${feedHeads.floor}) and ${seq} < ${from}::bigint`;

const sliceOf = (row: SQL, { orgId, roomKey }: PageSql, messages: SQL, order: Order): SQL =>
  sql`select ${row} from ${feedHeads} ${messages}
    where ${feedHeads.orgId} = ${orgId} and ${feedHeads.kind} = 'room' and ${feedHeads.feedId} = ${roomKey}
    order by ${roomMessages.seq} ${sql.raw(order)}`;

const inRoom = (row: SQL, given: PageSql, condition: SQL, order: Order): SQL =>
  sliceOf(
    row,
    given,
    sql`left join lateral (
      select * from ${roomMessages} where ${roomMessages.orgId} = ${given.orgId} and ${condition}
        ${roomMessages.roomKey} = ${given.roomKey} and ${within(roomMessages.seq, given, order)}
      order by ${roomMessages.seq} ${sql.raw(order)} limit ${given.limit}
    ) ${roomMessages} on true`,
    order,
  );

// The messages that name a presence are found first, and only the page is looked up.
const inAddressees = (row: SQL, given: PageSql, condition: SQL, order: Order): SQL =>
  sliceOf(
    row,
    given,
    sql`left join lateral (
      select ${roomAddressees.seq} from ${roomAddressees}
      where ${roomAddressees.orgId} = ${given.orgId} and ${condition} and ${within(roomAddressees.seq, given, order)}
      order by ${roomAddressees.seq} ${sql.raw(order)} limit ${given.limit}
    ) ${roomAddressees} on true
    left join lateral (
      select * from ${roomMessages} where ${roomMessages.orgId} = ${given.orgId}
        and ${roomMessages.roomKey} = ${given.roomKey} and ${roomMessages.seq} = ${roomAddressees.seq} offset 0
    ) ${roomMessages} on true`,
    order,
  );

const inBothOrders = <Made>(make: (order: Order) => Made) => ({ asc: make('asc'), desc: make('desc') });

const all = inBothOrders((order) =>
  statement(`rooms.slice-${order}`, { params: page, row: sliceRow }, (given, row) => inRoom(row, given, sql``, order)),
);

const ofThread = inBothOrders((order) =>
  statement(
    `rooms.slice-thread-${order}`,
    { params: { ...page, threadId: typed<string>('text') }, row: sliceRow },
    ({ threadId, ...given }, row) => inRoom(row, given, sql`${roomMessages.threadId} = ${threadId} and`, order),
  ),
);

const naming = inBothOrders((order) =>
  statement(
    `rooms.slice-named-${order}`,
    { params: { ...page, addressedTo: roomAddressees.presenceId }, row: sliceRow },
    ({ addressedTo, ...given }, row) =>
      inAddressees(row, given, sql`${roomAddressees.presenceId} = ${addressedTo}`, order),
  ),
);

const namingInThread = inBothOrders((order) =>
  statement(
    `rooms.slice-thread-named-${order}`,
    {
      params: { ...page, threadId: typed<string>('text'), addressedTo: roomAddressees.presenceId },
      row: sliceRow,
    },
    ({ threadId, addressedTo, ...given }, row) => {
      const named = sql`${roomAddressees.threadId} = ${threadId} and ${roomAddressees.presenceId} = ${addressedTo}`;
      return inAddressees(row, given, named, order);
    },
  ),
);
