import { sql } from '../../../db/drizzle.ts';
import { memberships } from '../../../db/schema/orgs.ts';
import { pick, setOf, statement } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { MemberRow } from '../../orgs/shared/member-row.ts';
import { notifyPosture } from './recovery-posture.ts';

/** Ends a membership, whatever it was: what is open by it is looked at again. @returns it as it is then */
export async function endMembership(work: Work, member: MemberRow): Promise<MemberRow> {
  await work.rows(endStatement.with(member));
  work.authorityChanged(member.orgId);
  if (member.role === 'owner' && member.status === 'active') await notifyPosture(work, member.orgId);
  return { ...member, status: 'revoked' };
}

const endStatement = statement(
  'members.end',
  { params: pick(memberships, 'orgId', 'principalId') },
  ({ orgId, principalId }) => sql`update ${memberships} ${setOf(memberships, { status: sql`'revoked'` })}
    where ${memberships.orgId} = ${orgId} and ${memberships.principalId} = ${principalId}`,
);
