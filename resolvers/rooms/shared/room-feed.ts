import { sql } from '../../../db/drizzle.ts';
import { feedHeads, type RoomMessage, roomAddressees, roomMessages, roomSends } from '../../../db/schema/rooms.ts';
import {
  allOf,
  insertInto,
  namesOf,
  orNull,
  partOf,
  pick,
  prefixed,
  type RowOf,
  setOf,
  statement,
  typed,
} from '../../../db/sql.ts';
import type { FeedAppend } from '../../../kernel/durability/unit-of-work.ts';
import type { Feed, FeedName, FeedSlice } from '../../../kernel/feeds/feeds.ts';
import { today } from '../../../kernel/limits/daily-quota.ts';
import { projectOfRoom } from '../room-summary.ts';
import { sendsSlot } from '../sends-of-day.ts';

/** What a message takes in memory besides its body, and what each recipient adds; bytes, roughly. */
const rowBytes = 1_024;
const recipientBytes = 256;

/** A room's messages as a feed. Contract 02, section 2.5. */
export function roomFeed(orgId: string, roomKey: string): Feed<RoomMessage> {
  return {
    name: feedName(orgId, roomKey),
    cursorPrefix: 'mcr_',
    positionOf: ({ seq }) => seq,
    sizeOf: ({ body, recipients }) => rowBytes + 2 * body.length + recipientBytes * recipients.length,
    fetch: async (db, after, limit) => toSlice(await db.rows(sliceStatement.with({ orgId, roomKey, after, limit }))),
  };
}

/** Where the room is, and a message of it. */
export const sliceRow = {
  head: feedHeads.position,
  floor: feedHeads.floor,
  ...prefixed('message.', orNull(allOf(roomMessages))),
};
export type SliceRow = RowOf<typeof sliceRow>;

const messageOf = partOf('message.', allOf(roomMessages));

/** What a statement found that selects {@link sliceRow}. */
export const toSlice = (rows: readonly SliceRow[]): FeedSlice<RoomMessage> => ({
  head: rows[0]?.head ?? 0n,
  floor: rows[0]?.floor ?? 0n,
  rows: rows.flatMap((row) => messageOf(row) ?? []),
});

const feedName = (orgId: string, roomKey: string): FeedName => ({ orgId, kind: 'room', feedId: roomKey });

/** A message that waits for its place in the room. Its `seq` is set when the row is written, just before the commit. */
export function appendMessage(message: RoomMessage): FeedAppend {
  return {
    name: feedName(message.orgId, message.roomKey),
    ...appendStatement.with({ ...message, recipients: JSON.stringify(message.recipients), told: isPublished(message) }),
    placed: (position) => {
      message.seq = position;
    },
  };
}

/**
 * Whether a message becomes an event: all messages of a project's own room, and the notable ones of other rooms.
 * Contract 02, 1.7.
 */
export const isPublished = ({ roomKey, importance }: RoomMessage) =>
  projectOfRoom(roomKey) !== null || importance === 'high';

// Taking the position locks the head until the commit, so positions become visible in order and none is skipped. Whatever
// else there is one of in a room is written under that lock, too. The day is counted in a row of the connection's, which
// senders to other rooms seldom wait for.
const appendStatement = statement(
  'rooms.append',
  { params: { ...allOf(roomMessages, ['seq']), told: typed<boolean>('boolean') }, row: { position: roomMessages.seq } },
  ({ told, ...given }, row) => sql`with head as (
      ${insertInto(feedHeads, {
        orgId: given.orgId,
        kind: sql`'room'`,
        feedId: given.roomKey,
        position: sql`1`,
        unmirroredFrom: sql`case when ${told}::boolean then 1 end`,
      })}
      on conflict (${namesOf(feedHeads.orgId, feedHeads.kind, feedHeads.feedId)}) do update ${setOf(feedHeads, {
        position: sql`${feedHeads.position} + 1`,
        unmirroredFrom: sql`coalesce(${feedHeads.unmirroredFrom}, case when ${told} then ${feedHeads.position} + 1 end)`,
      })}
      returning ${feedHeads.position}
    ), named as (
      insert into ${roomAddressees} (${namesOf(
        roomAddressees.orgId,
        roomAddressees.presenceId,
        roomAddressees.seq,
        roomAddressees.threadId,
      )})
      select ${given.orgId}, r ->> 'presenceId', head.position, ${given.threadId}::text
      from head, jsonb_array_elements(${given.recipients}::jsonb) r
    ), counted as (
      insert into ${roomSends} (${namesOf(roomSends.orgId, roomSends.day, roomSends.slot, roomSends.sent)})
      select ${given.orgId}, ${today}, ${sql.raw(sendsSlot)}, 1 from head
      on conflict (${namesOf(roomSends.orgId, roomSends.day, roomSends.slot)})
        do update ${setOf(roomSends, { sent: sql`${roomSends.sent} + 1` })}
    )
    insert into ${roomMessages} (${namesOf(
      roomMessages.orgId,
      roomMessages.roomKey,
      roomMessages.seq,
      roomMessages.id,
      roomMessages.senderPresenceId,
      roomMessages.senderName,
      roomMessages.principalId,
      roomMessages.body,
      roomMessages.threadId,
      roomMessages.importance,
      roomMessages.ackRequired,
      roomMessages.recipients,
      roomMessages.idempotencyKey,
      roomMessages.createdAt,
    )})
    select ${given.orgId}, ${given.roomKey}, head.position, ${given.id}, ${given.senderPresenceId}, ${given.senderName},
      ${given.principalId}, ${given.body}, ${given.threadId}, ${given.importance}, ${given.ackRequired},
      ${given.recipients}::jsonb, ${given.idempotencyKey}, ${given.createdAt} from head
    returning ${row}`,
);

const sliceStatement = statement(
  'rooms.slice',
  {
    params: {
      ...pick(roomMessages, 'orgId', 'roomKey'),
      after: roomMessages.seq,
      limit: typed<number>('bigint'),
    },
    row: sliceRow,
    // All who follow the room on this node wait for one read.
    timeoutMs: 3_000,
  },
  ({ orgId, roomKey, after, limit }, row) => sql`select ${row} from ${feedHeads}
    left join lateral (
      select * from ${roomMessages} where ${roomMessages.orgId} = ${orgId} and ${roomMessages.roomKey} = ${roomKey}
        and ${roomMessages.seq} > greatest(${after}, ${feedHeads.floor})
      order by ${roomMessages.seq} limit ${limit}
    ) ${roomMessages} on true
    where ${feedHeads.orgId} = ${orgId} and ${feedHeads.kind} = 'room' and ${feedHeads.feedId} = ${roomKey}
    order by ${roomMessages.seq}`,
);
