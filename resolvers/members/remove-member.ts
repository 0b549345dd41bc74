import { z } from 'zod';
import { onOrg } from '../../kernel/access/access.ts';
import { orgId, principalId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { requireMember } from '../orgs/shared/find-member.ts';
import { lockOrgFor } from '../orgs/shared/lock-org.ts';
import type { MemberRow } from '../orgs/shared/member-row.ts';
import { requireRotation } from '../vaults/shared/writers.ts';
import { keepOneOwner } from './last-owner.ts';
import { memberActions } from './shared/actions.ts';
import { endMembership } from './shared/end-membership.ts';

/** `DELETE /orgs/v1/:org_id/members/:principal_id`, also while the lease has lapsed. Contract 01, section 6.4. */
export const removeMember = mutation({
  name: 'members.remove',
  tool: 'remove_org_member',
  command: 'org member rm',
  effects: ['destructive', 'idempotent'],
  summary: 'Remove a member; grants and invitations that stand beside the membership stay.',
  path: 'DELETE /orgs/v1/:org_id/members/:principal_id',
  access: onOrg(memberActions['org:members:write'], ({ org }: { org: string }) => org),
  stepUp: 'org.membership',
  input: z.object({ org: orgId, principal: principalId }),
  async handler(work, { principal }): Promise<MemberRow> {
    await lockOrgFor(work, work.org.id, memberActions['org:members:write']);
    const member = await requireMember(work, work.org.id, principal);
    await keepOneOwner(work, member);
    await requireRotation(work, work.org.id, principal);
    return endMembership(work, member);
  },
  audit: ({ principalId: id, role }) => ({
    action: 'member.revoked',
    object: { kind: 'principal', id },
    details: { role },
  }),
  wire: z.object({ status: z.literal('revoked'), principal_id: z.string() }),
  toWire: ({ principalId: id }) => ({ status: 'revoked' as const, principal_id: id }),
});
