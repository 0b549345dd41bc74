import { sql } from '../../../db/drizzle.ts';
import { type Claim, roomClaims } from '../../../db/schema/claims.ts';
import { statement, typed } from '../../../db/sql.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { reachable, reader, readerOf } from '../load-rooms.ts';
import { claimColumns } from './claim-columns.ts';

/** Claims by id, of the rooms the caller can reach, in one statement. */
export const loadClaims = async (ctx: Context, ids: readonly string[]): Promise<Claim[]> =>
  ctx.services.db.rows(claimsStatement.with({ ids, ...(await readerOf(ctx)) }));

const claimsStatement = statement(
  'claims.load',
  { params: { ids: typed<readonly string[]>('text[]'), ...reader }, row: claimColumns, pipelined: true },
  ({ ids, ...given }, row) => sql`select ${row} from ${roomClaims}
    cross join lateral (select ${roomClaims.orgId}, ${roomClaims.roomKey} as key) w
    where ${roomClaims.id} = any(${ids}::text[]) and ${reachable({ orgId: sql`w.org_id`, key: sql`w.key` }, given)}`,
);
