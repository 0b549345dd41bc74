import type { Statement } from '../../../db/pool.ts';
import type { Claim } from '../../../db/schema/claims.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { callerValues, reachable } from '../load-rooms.ts';
import { claimColumns } from './claim-columns.ts';

/** Claims by id, of the rooms the caller can reach, in one statement. */
export const loadClaims = async (ctx: Context, ids: readonly string[]): Promise<Claim[]> =>
  ctx.services.db.rows<Claim>(claimsStatement, [ids, ...(await callerValues(ctx))]);

const claimsStatement: Statement = {
  name: 'claims.load',
  pipelined: true,
  text: `select ${claimColumns('c')} from room_claims c
    cross join lateral (select c.org_id, c.room_key as key) w
    where c.id = any($1::text[]) and ${reachable(2)}`,
};
