import type pg from 'pg';
import { columnsOf, partOf } from '../../db/columns-of.ts';
import type { Database, Statement } from '../../db/pool.ts';
import { type RoomMessage, roomMessages } from '../../db/schema/rooms.ts';
import type { Feed, FeedName, FeedSlice } from '../feeds.ts';
import type { FeedAppend } from '../unit-of-work.ts';

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

/** The other way: messages older than a position, newest first; from the newest on when there is no position. */
export async function readRoomBack(
  db: Database,
  { orgId, feedId }: FeedName,
  { before, limit }: { readonly before: bigint | undefined; readonly limit: number },
): Promise<FeedSlice<RoomMessage>> {
  return toSlice(await db.rows<SliceRow>(backStatement, [orgId, feedId, before ?? null, limit]));
}

const messageOf = partOf(roomMessages, 'message.');

const toSlice = (rows: readonly SliceRow[]): FeedSlice<RoomMessage> => ({
  head: rows[0]?.head ?? 0n,
  floor: rows[0]?.floor ?? 0n,
  rows: rows.flatMap((row) => messageOf(row) ?? []),
});

const feedName = (orgId: string, roomKey: string): FeedName => ({ orgId, kind: 'room', feedId: roomKey });

/** A message that waits for its place in the room. Its `seq` is set when the row is written, just before the commit. */
export function appendMessage(message: RoomMessage): FeedAppend {
  return {
    name: feedName(message.orgId, message.roomKey),
    async write(client: pg.ClientBase) {
      const { rows } = await client.query<{ seq: bigint }>({ ...appendStatement, values: appendValues(message) });
      message.seq = rows[0]!.seq;
      return message.seq;
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
];

// Taking the position locks the head until the commit, so positions become visible in order and none is skipped.
const appendStatement: Statement = {
  name: 'rooms.append',
  text: `with head as (
      insert into feed_heads as h (org_id, kind, feed_id, position) values ($1, 'room', $2, 1)
      on conflict (org_id, kind, feed_id) do update set position = h.position + 1 returning position
    )
    insert into room_messages (org_id, room_key, seq, id, sender_presence_id, sender_name, principal_id, body,
      thread_id, importance, ack_required, recipients, idempotency_key, created_at)
    select $1, $2, head.position, $3, $4, $5, $6, $7, $8, $9, $10, $11::jsonb, $12, $13 from head
    returning seq`,
};

type SliceRow = Record<string, unknown> & { readonly head: bigint; readonly floor: bigint };

const sliceOf = (name: string, condition: string, order: 'asc' | 'desc'): Statement => ({
  name,
  // All who follow the room on this node wait for one read.
  timeoutMs: 3_000,
  text: `select h.position as head, h.floor, ${columnsOf(roomMessages, 'm', 'message.')}
    from feed_heads h
    left join lateral (
      select * from room_messages m where m.org_id = $1 and m.room_key = $2 and ${condition}
      order by m.seq ${order} limit $4
    ) m on true
    where h.org_id = $1 and h.kind = 'room' and h.feed_id = $2
    order by m.seq ${order}`,
});

const sliceStatement = sliceOf('rooms.slice', 'm.seq > greatest($3, h.floor)', 'asc');
const backStatement = sliceOf('rooms.back', 'm.seq > h.floor and ($3::bigint is null or m.seq < $3)', 'desc');
