import { sql } from 'drizzle-orm';
import type { Statement } from '../../db/pool.ts';
import { textOf } from '../../db/sql.ts';
import { type Caller, isPrincipal, type PrincipalBacked } from '../../kernel/access/caller.ts';
import { isMember, roomStands } from '../../kernel/access/rules.ts';
import type { Context } from '../../kernel/run/context.ts';
import { observed } from '../../kernel/run/observed.ts';
import { listRooms } from './list-rooms.ts';
import { activityColumn, liveColumn, type RoomSummary } from './room-summary.ts';

/**
 * Whether the database alone knows what a caller may reach: by membership or grant. What delegates, keys and the
 * platform admin reach is for the operation to say.
 */
export const isReachedByRule = (caller: Caller): caller is PrincipalBacked =>
  isPrincipal(caller) && caller.kind !== 'delegate';

/**
 * What `rooms.list` answers for several organizations, in one statement. Null for one that it would not answer, or not
 * by membership: the operation itself then says why.
 *
 * @param live whether anybody asks who is live
 */
export async function loadRoomLists(
  ctx: Context,
  orgIds: readonly string[],
  live: boolean,
): Promise<(RoomSummary[] | null)[]> {
  const caller = await ctx.caller();
  if (!isReachedByRule(caller)) return orgIds.map(() => null);
  return observed(ctx, listRooms, async () => {
    const rows = await ctx.services.db.rows<RoomSummary & { n: number; key: string | null }>(
      live ? withLive : withoutLive,
      [orgIds, caller.principal.id],
    );
    const lists: (RoomSummary[] | null)[] = orgIds.map(() => null);
    for (const row of rows) {
      const list = (lists[row.n - 1] ??= []);
      // A member of an organization without rooms.
      if (row.key !== null) list.push(row);
    }
    return lists;
  });
}

const statementOf = (name: string, live: string): Statement => ({
  name,
  pipelined: true,
  text: `select w.n::int as n, w.org_id as "orgId", r.key, ${live}, ${activityColumn}
    from unnest($1::uuid[]) with ordinality as w (org_id, n)
    cross join lateral (select ${textOf(isMember(sql.raw('w.org_id'), sql.raw('$2')))} as own offset 0) admitted
    left join rooms r on r.org_id = w.org_id and ${textOf(roomStands(sql.raw('r.org_id'), sql.raw('r.key')))}
    where admitted.own
    order by n, "lastActivityAt" desc nulls last, r.key`,
});

const withLive = statementOf('rooms.lists', liveColumn);
const withoutLive = statementOf('rooms.lists-bare', `0 as "livePresences"`);
