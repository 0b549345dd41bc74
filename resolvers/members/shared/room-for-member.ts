import { sql } from '../../../db/drizzle.ts';
import { memberships } from '../../../db/schema/orgs.ts';
import { computed, pick, statement } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { limitsOf } from '../../../kernel/limits/limits.ts';
import { refuseOverQuota } from '../../../kernel/limits/quota.ts';
import type { LockedOrg } from '../../orgs/shared/lock-org.ts';
import type { MemberRow } from '../../orgs/shared/member-row.ts';

/**
 * Under the organization's lock: whether it may have one more member or pending invitation.
 *
 * @param before the membership that there was; one that was not revoked counts already
 * @throws QUOTA_EXCEEDED
 */
export async function requireRoomForMember(work: Work, org: LockedOrg, before: MemberRow | undefined): Promise<void> {
  if (before !== undefined && before.status !== 'revoked') return;
  const quota = { scope: 'organization', metric: 'members' } as const;
  await refuseOverQuota(work, countStatement.with({ orgId: org.id }), quota, limitsOf(org).members);
}

const countStatement = statement(
  'members.count',
  { params: pick(memberships, 'orgId'), row: { used: computed<number>('integer', sql`count(*)::int`) } },
  ({ orgId }, row) => sql`select ${row} from ${memberships}
    where ${memberships.orgId} = ${orgId} and ${memberships.status} <> 'revoked'`,
);
