import { sql } from '../../db/drizzle.ts';
import { feedHeads, roomAddressees, roomMessages } from '../../db/schema/rooms.ts';
import { computed, pick, setOf, statement, typed } from '../../db/sql.ts';
import type { Context } from '../../kernel/run/context.ts';

/** How long messages are kept, in days: as long as most events. Contract 02, section 2.4. */
export const messagesKeptDays = 90;

/** Messages of one room that are removed at once. */
const batch = 1_000;

/**
 * Removes messages that are older than {@link messagesKeptDays} days, and raises the room's floor in the same statement:
 * a reader with an older cursor learns to begin anew.
 */
export async function pruneMessages(ctx: Context): Promise<void> {
  const { db } = ctx.services;
  for (;;) {
    const rooms = await db.rows(oldStatement.with({ days: messagesKeptDays, limit: batch }));
    let removed = 0;
    for (const { orgId, roomKey } of rooms) {
      ctx.signal.throwIfAborted();
      const [room] = await db.rows(pruneStatement.with({ orgId, roomKey, days: messagesKeptDays, limit: batch }));
      removed += room!.removed;
    }
    // Nothing at all: what is old lies behind something newer, until that is old, too.
    if (removed === 0) return;
  }
}

const batched = { days: typed<number>('integer'), limit: typed<number>('bigint') };

const oldStatement = statement(
  'rooms.old',
  { params: batched, row: pick(roomMessages, 'orgId', 'roomKey') },
  ({ days, limit }, row) => sql`select distinct ${row} from (
      select ${roomMessages.orgId}, ${roomMessages.roomKey} from ${roomMessages}
      where ${roomMessages.createdAt} < now() - make_interval(days => ${days})
      order by ${roomMessages.createdAt} limit ${limit}
    ) ${roomMessages}`,
);

// From the beginning of the room up to the first message that is to stay: the floor is a place in the room, and above it
// nothing may be missing. Senders wait for the lock of the head, for a batch at most.
const pruneStatement = statement(
  'rooms.prune',
  {
    params: { ...pick(roomMessages, 'orgId', 'roomKey'), ...batched },
    row: { removed: computed<number>('integer', sql`count(*)::int`) },
  },
  ({ orgId, roomKey, days, limit }, row) => sql`with first as (
      select ${roomMessages.seq}, ${roomMessages.createdAt} < now() - make_interval(days => ${days}) as old
      from ${roomMessages} where ${roomMessages.orgId} = ${orgId} and ${roomMessages.roomKey} = ${roomKey}
      order by ${roomMessages.seq} limit ${limit}
    ), until as (
      select max(seq) as seq from first
      where old and seq < coalesce((select min(seq) from first where not old), 9223372036854775807)
    ), head as (
      update ${feedHeads} ${setOf(feedHeads, { floor: sql`greatest(${feedHeads.floor}, until.seq)` })} from until
      where ${feedHeads.orgId} = ${orgId} and ${feedHeads.kind} = 'room' and ${feedHeads.feedId} = ${roomKey}
        and until.seq is not null
      returning until.seq
    ), gone as (
      delete from ${roomMessages} using head where ${roomMessages.orgId} = ${orgId}
        and ${roomMessages.roomKey} = ${roomKey} and ${roomMessages.seq} <= head.seq
      returning ${roomMessages.seq}, ${roomMessages.recipients}
    ), unnamed as (
      delete from ${roomAddressees} using (
        select gone.seq, r ->> 'presenceId' as presence_id from gone, jsonb_array_elements(gone.recipients) r
      ) named
      where ${roomAddressees.orgId} = ${orgId} and ${roomAddressees.presenceId} = named.presence_id
        and ${roomAddressees.seq} = named.seq
    )
    select ${row} from gone`,
);
