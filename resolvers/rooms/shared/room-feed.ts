import { columnsOf, partOf } from '../../../db/columns-of.ts';
import type { Statement } from '../../../db/pool.ts';
import { type RoomMessage, roomMessages } from '../../../db/schema/rooms.ts';
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
    fetch: async (db, after, limit) => toSlice(await db.rows<SliceRow>(sliceStatement, [orgId, roomKey, after, limit])),
  };
}

const messageOf = partOf(roomMessages, 'message.');

/** What a statement that selects {@link sliceColumns} found. */
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
    statement: appendStatement,
    values: appendValues(message),
    placed: (position) => {
      message.seq = position;
    },
  };
}

const appendValues = (message: RoomMessage) => [
  message.orgId,
  message.roomKey,
  message.id,
  message.senderPresenceId,
  message.senderName,
  message.principalId,
  message.body,
  message.threadId,
  message.importance,
  message.ackRequired,
  JSON.stringify(message.recipients),
  message.idempotencyKey,
  message.createdAt,
  isTold(message),
];

/** Whether the events tell of a message: all of a project's own room, and of other rooms what stands out. Contract 02, 1.7. */
export const isTold = ({ roomKey, importance }: RoomMessage) =>
  projectOfRoom(roomKey) !== null || importance === 'high';

// Taking the position locks the head until the commit, so positions become visible in order and none is skipped. Whatever
// else there is one of in a room is written under that lock, too. The day is counted in a row of the connection's, which
// senders to other rooms seldom wait for.
const appendStatement: Statement = {
  name: 'rooms.append',
  text: `with head as (
      insert into feed_heads as h (org_id, kind, feed_id, position, unmirrored_from)
      values ($1, 'room', $2, 1, case when $14::boolean then 1 end)
      on conflict (org_id, kind, feed_id) do update set position = h.position + 1,
        unmirrored_from = coalesce(h.unmirrored_from, case when $14 then h.position + 1 end)
      returning position
    ), named as (
      insert into room_addressees (org_id, presence_id, seq, thread_id)
      select $1, r ->> 'presenceId', head.position, $8::text from head, jsonb_array_elements($11::jsonb) r
    ), counted as (
      insert into room_sends as s (org_id, day, room_key, sent) select $1, ${today}, ${sendsSlot}, 1 from head
      on conflict (org_id, day, room_key) do update set sent = s.sent + 1
    )
    insert into room_messages (org_id, room_key, seq, id, sender_presence_id, sender_name, principal_id, body,
      thread_id, importance, ack_required, recipients, idempotency_key, created_at)
    select $1, $2, head.position, $3, $4, $5, $6, $7, $8, $9, $10, $11::jsonb, $12, $13 from head
    returning seq as position`,
};

export type SliceRow = Record<string, unknown> & { readonly head: bigint; readonly floor: bigint };

/** Where the room stands, and a message `m` of it. */
export const sliceColumns = `h.position as head, h.floor, ${columnsOf(roomMessages, 'm', 'message.')}`;

const sliceStatement: Statement = {
  name: 'rooms.slice',
  // All who follow the room on this node wait for one read.
  timeoutMs: 3_000,
  text: `select ${sliceColumns}
    from feed_heads h
    left join lateral (
      select * from room_messages m where m.org_id = $1 and m.room_key = $2 and m.seq > greatest($3, h.floor)
      order by m.seq limit $4
    ) m on true
    where h.org_id = $1 and h.kind = 'room' and h.feed_id = $2
    order by m.seq`,
};
