import { sql } from '../../db/drizzle.ts';
import { rooms } from '../../db/schema/rooms.ts';
import { type Computed, computed, statement, typed } from '../../db/sql.ts';
import { type Caller, isPrincipal, type PrincipalBacked } from '../../kernel/access/caller.ts';
import { isMember, roomStands } from '../../kernel/access/rules.ts';
import type { Context } from '../../kernel/run/context.ts';
import { observed } from '../../kernel/run/observed.ts';
import { listRooms } from './list-rooms.ts';
import { isArchivedAs, liveIn, type RoomSummary, summaryOf } from './room-summary.ts';

/**
 * Whether the database alone knows what a caller may reach: by membership or grant. What delegates, keys and the
 * platform admin reach is for the operation to say.
 */
export const isReachedByRule = (caller: Caller): caller is PrincipalBacked =>
  isPrincipal(caller) && caller.kind !== 'delegate';

/** Which rooms of an organization are listed, as the operation takes it. */
export interface RoomList {
  readonly orgId: string;
  /** Null: all rooms. */
  readonly archived: boolean | null;
}

/**
 * What `rooms.list` answers for several organizations, in one statement. Null for one that it would not answer, or not
 * by membership: the operation itself then says why.
 *
 * @param live whether the number of live presences is asked for
 */
export async function loadRoomLists(
  ctx: Context,
  asked: readonly RoomList[],
  live: boolean,
): Promise<(RoomSummary[] | null)[]> {
  const caller = await ctx.caller();
  if (!isReachedByRule(caller)) return asked.map(() => null);
  return observed(ctx, listRooms, async () => {
    const orgIds = asked.map(({ orgId }) => orgId);
    const archived = asked.map((one) => one.archived);
    const listed = (live ? withLive : withoutLive).with({ orgIds, archived, principal: caller.principal.id });
    const rows = await ctx.services.db.rows(listed);
    const lists: (RoomSummary[] | null)[] = asked.map(() => null);
    for (const row of rows) {
      const list = (lists[row.n - 1] ??= []);
      // A member of an organization without rooms.
      if (row.key !== null) list.push({ ...row, key: row.key });
    }
    return lists;
  });
}

const statementOf = (name: string, livePresences: Computed<number>) =>
  statement(
    name,
    {
      params: {
        orgIds: typed<readonly string[]>('uuid[]'),
        archived: typed<readonly (boolean | null)[]>('boolean[]'),
        principal: typed<string>('text'),
      },
      row: {
        ...summaryOf(),
        n: computed<number>('integer', sql`w.n::int`),
        orgId: computed<string>('uuid', sql`w.org_id`),
        key: computed<string | null>('text', sql`${rooms.key}`),
        livePresences,
      },
      pipelined: true,
    },
    ({ orgIds, archived, principal }, row) => sql`select ${row}
      from unnest(${orgIds}::uuid[], ${archived}::boolean[]) with ordinality as w (org_id, archived, n)
      cross join lateral (select ${isMember(sql`w.org_id`, principal)} as own offset 0) admitted
      left join ${rooms} on ${rooms.orgId} = w.org_id and ${roomStands(rooms.orgId, rooms.key)}
        and ${isArchivedAs(sql`w.archived`)}
      where admitted.own
      order by n, "lastActivityAt" desc nulls last, ${rooms.key}`,
  );

const withLive = statementOf('rooms.lists', liveIn(rooms));
const withoutLive = statementOf('rooms.lists-bare', computed<number>('integer', sql`0`));
