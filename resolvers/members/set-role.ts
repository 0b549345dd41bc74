import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { memberships, type Role } from '../../db/schema/orgs.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { refuseWhileClosed } from '../../kernel/access/lifecycle.ts';
import { orgId, principalId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { requireMember } from '../orgs/shared/find-member.ts';
import { lockOrgFor } from '../orgs/shared/lock-org.ts';
import type { MemberRow } from '../orgs/shared/member-row.ts';
import { roleWire } from '../orgs/shared/wire.ts';
import { mayWrite, requireRotation, requireWriterOfAll } from '../vaults/shared/writers.ts';
import { keepOneOwner } from './last-owner.ts';
import { memberActions } from './shared/actions.ts';
import { notifyPosture } from './shared/recovery-posture.ts';

/** `PATCH /orgs/v1/:org_id/members/:principal_id`. Contract 01, section 6.4. */
export const setMemberRole = mutation({
  name: 'members.setRole',
  tool: 'set_org_member_role',
  command: 'org member role',
  effects: ['destructive', 'idempotent'],
  summary: 'Change the role of a member.',
  path: 'PATCH /orgs/v1/:org_id/members/:principal_id',
  access: onOrg(memberActions['org:members:write'], ({ org }: { org: string }) => org),
  stepUp: 'org.membership',
  lifecycle: 'gated',
  input: z.object({ org: orgId, principal: principalId, role: roleWire.describe('Role that the member gets.') }),
  async handler(work, { principal, role }): Promise<{ member: MemberRow; before: Role }> {
    refuseWhileClosed(await lockOrgFor(work, work.org.id, memberActions['org:members:write']));
    const org = work.org.id;
    const member = await requireMember(work, org, principal);
    const before = member.role;
    if (before === role) return { member, before };
    if (role !== 'owner') await keepOneOwner(work, member);
    // Whoever may write to vaults from now on is admitted like a new member.
    if (member.status === 'active' && !mayWrite(before)) await requireWriterOfAll(work, org, role);
    if (mayWrite(before) && !mayWrite(role)) await requireRotation(work, org, principal);
    await work.rows(updateStatement.with({ orgId: org, principalId: principal, role }));
    work.authorityChanged(org);
    if (before === 'owner' || role === 'owner') await notifyPosture(work, org);
    return { member: { ...member, role }, before };
  },
  audit: ({ member, before }) =>
    before === member.role
      ? undefined
      : {
          action: 'member.role_changed',
          object: { kind: 'principal', id: member.principalId },
          details: { role: member.role, previous_role: before },
        },
  wire: z.object({ status: z.literal('ok'), principal_id: z.string(), role: roleWire }),
  toWire: ({ member }) => ({ status: 'ok' as const, principal_id: member.principalId, role: member.role }),
});

const updateStatement = statement(
  'members.set-role',
  { params: pick(memberships, 'orgId', 'principalId', 'role') },
  ({ orgId, principalId, role }) => sql`update ${memberships} ${setOf(memberships, { role })}
    where ${memberships.orgId} = ${orgId} and ${memberships.principalId} = ${principalId}`,
);
