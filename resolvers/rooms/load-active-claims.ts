import type { Statement } from '../../db/pool.ts';
import type { Context } from '../../kernel/run/context.ts';
import { isStanding } from './claims/claim-columns.ts';

/** Names a presence. */
export interface PresenceKey {
  readonly orgId: string;
  readonly id: string;
}

/** How many claims of each presence stand, in one statement. */
export async function loadActiveClaims(ctx: Context, presences: readonly PresenceKey[]): Promise<number[]> {
  const values = [presences.map(({ orgId }) => orgId), presences.map(({ id }) => id)];
  const rows = await ctx.services.db.rows<{ n: number; standing: number }>(countStatement, values);
  const byNumber = new Map(rows.map(({ n, standing }) => [n, standing]));
  return presences.map((_, index) => byNumber.get(index + 1) ?? 0);
}

const countStatement: Statement = {
  name: 'presences.active-claims',
  pipelined: true,
  text: `select w.n::int as n, c.standing from unnest($1::uuid[], $2::text[]) with ordinality as w (org_id, id, n)
    cross join lateral (
      select count(*)::int as standing from room_claims c
      where c.org_id = w.org_id and c.presence_id = w.id and ${isStanding('c')}
    ) c`,
};
