import { sql } from 'drizzle-orm';
import { columnsOf } from '../../db/columns-of.ts';
import type { Statement } from '../../db/pool.ts';
import { type RoomMessage, roomMessages } from '../../db/schema/rooms.ts';
import { textOf } from '../../db/sql.ts';
import { hasRoomGrant, isMember, roomStands } from '../../kernel/access/rules.ts';
import type { Context } from '../../kernel/run/context.ts';
import { observed } from '../../kernel/run/observed.ts';
import { listMessages } from './list-messages.ts';
import { isReachedByRule } from './load-room-lists.ts';
import type { RoomAddress } from './load-rooms.ts';

/** The first messages of a room. */
export interface FirstMessages {
  readonly messages: readonly RoomMessage[];
  readonly hasMore: boolean;
}

/**
 * What `rooms.listMessages` answers for several rooms when it is asked for no cursor, in one statement. Null for a room
 * that it would not answer, or not by membership or grant: the operation itself then says why.
 *
 * @param brief whether id, room, place, sender's name, body and time suffice: the other members are missing then
 */
export async function loadFirstMessages(
  ctx: Context,
  rooms: readonly RoomAddress[],
  limit: number,
  brief: boolean,
): Promise<(FirstMessages | null)[]> {
  const caller = await ctx.caller();
  if (!isReachedByRule(caller)) return rooms.map(() => null);
  return observed(ctx, listMessages, async () => {
    const values = [rooms.map(({ orgId }) => orgId), rooms.map(({ key }) => key), caller.principal.id, limit + 1];
    const rows = await ctx.services.db.rows<RoomMessage & Found>(brief ? briefStatement : wholeStatement, values);
    const pages: (RoomMessage[] | null)[] = rooms.map(() => null);
    for (const row of rows) {
      const page = (pages[row.n - 1] ??= []);
      // A room without messages.
      if ((row.id as string | null) === null) continue;
      const { orgId, key } = rooms[row.n - 1]!;
      row.orgId = orgId;
      row.roomKey = key;
      page.push(row);
    }
    // They come in order, but nothing says so that would not have Postgres sort them once more.
    return pages.map((page) => page && firstOf(page, limit));
  });
}

function firstOf(page: RoomMessage[], limit: number): FirstMessages {
  if (page.some(({ seq }, index) => index > 0 && seq < page[index - 1]!.seq)) {
    page.sort((left, right) => (left.seq < right.seq ? -1 : 1));
  }
  return { messages: page.slice(0, limit), hasMore: page.length > limit };
}

interface Found {
  readonly n: number;
  readonly id: string;
}

const statementOf = (name: string, columns: string): Statement => ({
  name,
  pipelined: true,
  text: `select w.n::int as n, ${columns}
    from unnest($1::uuid[], $2::text[]) with ordinality as w (org_id, key, n)
    cross join lateral (
      select ${textOf(roomStands(sql.raw('w.org_id'), sql.raw('w.key')))}
        and (${textOf(isMember(sql.raw('w.org_id'), sql.raw('$3')))} or ${textOf(hasRoomGrant(sql.raw('w.org_id'), sql.raw('$3'), sql.raw('w.key')))}) as may offset 0
    ) admitted
    left join lateral (
      select * from room_messages m where m.org_id = w.org_id and m.room_key = w.key and m.seq > coalesce((
        select h.floor from feed_heads h where h.org_id = w.org_id and h.kind = 'room' and h.feed_id = w.key), 0)
      order by m.seq limit $4
    ) m on true
    where admitted.may`,
});

const wholeStatement = statementOf('rooms.pages', columnsOf(roomMessages, 'm'));
const briefStatement = statementOf(
  'rooms.pages-brief',
  `m.seq, m.id, m.sender_name as "senderName", m.body, m.created_at as "createdAt"`,
);
