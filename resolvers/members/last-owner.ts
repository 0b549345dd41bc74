import { ServiceError } from '../../core/errors.ts';
import type { Statement } from '../../db/pool.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { MemberRow } from '../orgs/shared/member-row.ts';

/**
 * Refuses to take the owner's role from the last one who could use it. Runs under the lock of the organization.
 *
 * @throws LAST_OWNER
 */
export async function keepOneOwner(work: Work, { orgId, principalId, role, status }: MemberRow): Promise<void> {
  if (role !== 'owner' || status !== 'active') return;
  const others = await work.rows(othersStatement, [orgId, principalId]);
  if (others.length === 0) throw new ServiceError('LAST_OWNER');
}

// An owner that cannot sign in any more keeps nothing.
const othersStatement: Statement = {
  name: 'members.other-owners',
  text: `select 1 from memberships m join principals p on p.id = m.principal_id
    where m.org_id = $1 and m.principal_id <> $2 and m.role = 'owner' and m.status = 'active' and p.disabled_at is null
    limit 1`,
};
