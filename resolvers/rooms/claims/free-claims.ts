import { sql } from '../../../db/drizzle.ts';
import { roomClaims } from '../../../db/schema/claims.ts';
import { pick, setOf, statement } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { claimColumns, isInForce } from './claim-columns.ts';
import { claimChanged } from './claim-feed.ts';

/** Releases what a presence claims, as it leaves. */
export async function freeClaims(work: Work, presence: { readonly orgId: string; readonly id: string }): Promise<void> {
  const freed = await work.rows(freeStatement.with({ orgId: presence.orgId, presenceId: presence.id }));
  for (const claim of freed) work.append(claimChanged(claim));
}

const freeStatement = statement(
  'claims.free',
  { params: pick(roomClaims, 'orgId', 'presenceId'), row: claimColumns },
  ({ orgId, presenceId }, row) => sql`update ${roomClaims} ${setOf(roomClaims, { releasedAt: sql`now()` })}
    where ${roomClaims.orgId} = ${orgId} and ${roomClaims.presenceId} = ${presenceId} and ${isInForce()}
    returning ${row}`,
);
