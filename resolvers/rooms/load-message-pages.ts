import { sql } from '../../db/drizzle.ts';
import { feedHeads, type RoomMessage, roomMessages } from '../../db/schema/rooms.ts';
import { allOf, computed, orNull, pick, type Selection, statement, typed } from '../../db/sql.ts';
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
    const asked = {
      orgIds: rooms.map(({ orgId }) => orgId),
      keys: rooms.map(({ key }) => key),
      principal: caller.principal.id,
      limit: limit + 1,
    };
    const { db } = ctx.services;
    const rows: readonly Found[] = brief
      ? await db.rows(briefStatement.with(asked))
      : await db.rows(wholeStatement.with(asked));
    const pages: (RoomMessage[] | null)[] = rooms.map(() => null);
    for (const row of rows) {
      const page = (pages[row.n - 1] ??= []);
      // A room without messages.
      if (row.id !== null) page.push(messageOf(row, rooms[row.n - 1]!));
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
  readonly id: string | null;
}

/** A message of what was found of it, with the room that was asked for. */
const messageOf = (found: object, { orgId, key }: RoomAddress) =>
  Object.assign(found, { orgId, roomKey: key }) as RoomMessage;

const place = { orgId: sql`w.org_id`, key: sql`w.key` };

const statementOf = <const Shown extends Selection>(name: string, shown: Shown) =>
  statement(
    name,
    {
      params: {
        orgIds: typed<readonly string[]>('uuid[]'),
        keys: typed<readonly string[]>('text[]'),
        principal: typed<string>('text'),
        limit: typed<number>('bigint'),
      },
      row: { n: computed<number>('integer', sql`w.n::int`), ...shown },
      pipelined: true,
    },
    ({ orgIds, keys, principal, limit }, row) => sql`select ${row}
      from unnest(${orgIds}::uuid[], ${keys}::text[]) with ordinality as w (org_id, key, n)
      cross join lateral (
        select ${roomStands(place.orgId, place.key)} and (${isMember(place.orgId, principal)}
          or ${hasRoomGrant(place.orgId, principal, place.key)}) as may offset 0
      ) admitted
      left join lateral (
        select * from ${roomMessages} where ${roomMessages.orgId} = w.org_id and ${roomMessages.roomKey} = w.key
          and ${roomMessages.seq} > coalesce((select ${feedHeads.floor} from ${feedHeads}
            where ${feedHeads.orgId} = w.org_id and ${feedHeads.kind} = 'room' and ${feedHeads.feedId} = w.key), 0)
        order by ${roomMessages.seq} limit ${limit}
      ) ${roomMessages} on true
      where admitted.may`,
  );

const wholeStatement = statementOf('rooms.pages', orNull(allOf(roomMessages)));
const briefStatement = statementOf(
  'rooms.pages-brief',
  orNull(pick(roomMessages, 'seq', 'id', 'senderName', 'body', 'createdAt')),
);
