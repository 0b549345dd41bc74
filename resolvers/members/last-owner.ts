import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { principals } from '../../db/schema/identity.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { pick, statement } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { MemberRow } from '../orgs/shared/member-row.ts';

/**
 * Refuses to take the owner's role from the last one who could use it. Runs under the lock of the organization.
 *
 * @throws LAST_OWNER
 */
export async function keepOneOwner(work: Work, { orgId, principalId, role, status }: MemberRow): Promise<void> {
  if (role !== 'owner' || status !== 'active') return;
  const others = await work.rows(othersStatement.with({ orgId, principalId }));
  if (others.length === 0) throw new ServiceError('LAST_OWNER');
}

// An owner that cannot sign in any more keeps nothing.
const othersStatement = statement(
  'members.other-owners',
  { params: pick(memberships, 'orgId', 'principalId'), row: pick(memberships, 'principalId') },
  ({ orgId, principalId }, row) => sql`select ${row} from ${memberships}
    join ${principals} on ${principals.id} = ${memberships.principalId}
    where ${memberships.orgId} = ${orgId} and ${memberships.principalId} <> ${principalId} and ${memberships.role} = 'owner'
      and ${memberships.status} = 'active' and ${principals.disabledAt} is null
    limit 1`,
);
