import { sql } from '../../db/drizzle.ts';
import { roomClaims } from '../../db/schema/claims.ts';
import { computed, statement, typed } from '../../db/sql.ts';
import type { Context } from '../../kernel/run/context.ts';
import { isInForce } from './claims/claim-columns.ts';

/** Names a presence. */
export interface PresenceKey {
  readonly orgId: string;
  readonly id: string;
}

/** How many active claims each presence has, in one statement. */
export async function loadActiveClaims(ctx: Context, presences: readonly PresenceKey[]): Promise<number[]> {
  const asked = { orgIds: presences.map(({ orgId }) => orgId), ids: presences.map(({ id }) => id) };
  const rows = await ctx.services.db.rows(countStatement.with(asked));
  const byNumber = new Map(rows.map(({ n, standing }) => [n, standing]));
  return presences.map((_, index) => byNumber.get(index + 1) ?? 0);
}

const countStatement = statement(
  'presences.active-claims',
  {
    params: { orgIds: typed<readonly string[]>('uuid[]'), ids: typed<readonly string[]>('text[]') },
    row: {
      n: computed<number>('integer', sql`w.n::int`),
      standing: computed<number>('integer', sql`counted.standing`),
    },
    pipelined: true,
  },
  ({ orgIds, ids }, row) => sql`select ${row}
    from unnest(${orgIds}::uuid[], ${ids}::text[]) with ordinality as w (org_id, id, n)
    cross join lateral (
      select count(*)::int as standing from ${roomClaims}
      where ${roomClaims.orgId} = w.org_id and ${roomClaims.presenceId} = w.id and ${isInForce()}
    ) counted`,
);
