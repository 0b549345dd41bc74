import type { Statement } from '../../../db/pool.ts';
import type { Claim } from '../../../db/schema/claims.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { claimColumns, isStanding } from './claim-columns.ts';
import { claimChanged } from './claim-feed.ts';

/** Releases what a presence claims, as it leaves. */
export async function freeClaims(work: Work, presence: { readonly orgId: string; readonly id: string }): Promise<void> {
  const freed = await work.rows<Claim>(freeStatement, [presence.orgId, presence.id]);
  for (const claim of freed) work.append(claimChanged(claim));
}

const freeStatement: Statement = {
  name: 'claims.free',
  text: `update room_claims c set released_at = now() where org_id = $1 and presence_id = $2 and ${isStanding('c')}
    returning ${claimColumns('c')}`,
};
