import type { Statement } from '../../../db/pool.ts';
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
  await refuseOverQuota(work, { statement: countStatement, values: [org.id] }, quota, limitsOf(org).members);
}

const countStatement: Statement = {
  name: 'members.count',
  text: `select count(*)::int as used from memberships where org_id = $1 and status <> 'revoked'`,
};
