import type { Statement } from '../../../db/pool.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { MemberRow } from '../../orgs/shared/member-row.ts';
import { tellPosture } from './recovery-posture.ts';

/** Ends a membership, whatever it was: what is open by it is looked at again. @returns it as it is then */
export async function endMembership(work: Work, member: MemberRow): Promise<MemberRow> {
  await work.rows(endStatement, [member.orgId, member.principalId]);
  work.authorityChanged(member.orgId);
  if (member.role === 'owner' && member.status === 'active') await tellPosture(work, member.orgId);
  return { ...member, status: 'revoked' };
}

const endStatement: Statement = {
  name: 'members.end',
  text: `update memberships set status = 'revoked' where org_id = $1 and principal_id = $2`,
};
