import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { orgId, principalId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { endMembership } from '../members/shared/end-membership.ts';
import { findMembership } from '../orgs/shared/find-member.ts';
import { lockOrgFor } from '../orgs/shared/lock-org.ts';
import type { MemberRow } from '../orgs/shared/member-row.ts';
import { isPending } from './list-invites.ts';
import { inviteActions } from './shared/actions.ts';

/** `DELETE /orgs/v1/:org_id/invites/:principal_id`, also while the lease has lapsed. Contract 01, section 6.5. */
export const revokeInvite = mutation({
  name: 'invites.revoke',
  tool: 'revoke_org_invite',
  command: 'org invite rm',
  effects: ['destructive', 'idempotent'],
  summary: 'Take back an invitation that nobody has taken up, also an expired one.',
  path: 'DELETE /orgs/v1/:org_id/invites/:principal_id',
  access: onOrg(inviteActions['org:invites:write'], ({ org }: { org: string }) => org),
  stepUp: 'org.invite',
  input: z.object({ org: orgId, principal: principalId }),
  async handler(work, { principal }): Promise<MemberRow> {
    await lockOrgFor(work, work.org.id, inviteActions['org:invites:write']);
    const member = await findMembership(work, work.org.id, principal);
    if (member === undefined || !isPending(member)) {
      throw new ServiceError('INVITE_NOT_FOUND', { details: { principal_id: principal } });
    }
    return endMembership(work, member);
  },
  audit: ({ principalId: id, invitedEmail }) => ({
    action: 'invite.revoked',
    object: { kind: 'principal', id },
    details: { email: invitedEmail },
  }),
  wire: z.object({ status: z.literal('revoked'), principal_id: z.string() }),
  toWire: ({ principalId: id }) => ({ status: 'revoked' as const, principal_id: id }),
});
