import type { Statement } from '../../db/pool.ts';
import type { Context } from '../../kernel/run/context.ts';

/** How long messages are kept, in days: as long as most events. Contract 02, section 2.4. */
export const messagesKeptDays = 90;

/** Messages of one room that are removed at once. */
const batch = 1_000;

interface OldRoom {
  readonly orgId: string;
  readonly roomKey: string;
}

/**
 * Removes messages that are older than {@link messagesKeptDays} days, and raises the room's floor in the same statement:
 * whoever comes with an older cursor is told to begin anew.
 */
export async function pruneMessages(ctx: Context): Promise<void> {
  const { db } = ctx.services;
  for (;;) {
    const rooms = await db.rows<OldRoom>(oldStatement, [messagesKeptDays, batch]);
    let removed = 0;
    for (const { orgId, roomKey } of rooms) {
      ctx.signal.throwIfAborted();
      const [room] = await db.rows<{ removed: number }>(pruneStatement, [orgId, roomKey, messagesKeptDays, batch]);
      removed += room!.removed;
    }
    // Nothing at all: what is old lies behind something newer, until that is old, too.
    if (removed === 0) return;
  }
}

const oldStatement: Statement = {
  name: 'rooms.old',
  text: `select distinct org_id as "orgId", room_key as "roomKey" from (
      select org_id, room_key from room_messages where created_at < now() - make_interval(days => $1)
      order by created_at limit $2
    ) old`,
};

// From the beginning of the room up to the first message that is to stay: the floor is a place in the room, and above it
// nothing may be missing. Senders wait for the lock of the head, for a batch at most.
const pruneStatement: Statement = {
  name: 'rooms.prune',
  text: `with first as (
      select seq, created_at < now() - make_interval(days => $3) as old from room_messages
      where org_id = $1 and room_key = $2 order by seq limit $4
    ), until as (
      select max(seq) as seq from first
      where old and seq < coalesce((select min(seq) from first where not old), 9223372036854775807)
    ), head as (
      update feed_heads h set floor = greatest(h.floor, until.seq) from until
      where h.org_id = $1 and h.kind = 'room' and h.feed_id = $2 and until.seq is not null returning until.seq
    ), gone as (
      delete from room_messages m using head
      where m.org_id = $1 and m.room_key = $2 and m.seq <= head.seq returning m.seq, m.recipients
    ), unnamed as (
      delete from room_addressees a using (
        select gone.seq, r ->> 'presenceId' as presence_id from gone, jsonb_array_elements(gone.recipients) r
      ) named
      where a.org_id = $1 and a.presence_id = named.presence_id and a.seq = named.seq
    )
    select count(*)::int as removed from gone`,
};
