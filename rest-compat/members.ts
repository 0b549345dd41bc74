import { createInvite } from '../resolvers/invites/create-invite.ts';
import { listInvites } from '../resolvers/invites/list-invites.ts';
import { revokeInvite } from '../resolvers/invites/revoke-invite.ts';
import { removeMember } from '../resolvers/members/remove-member.ts';
import { revokeMemberKey } from '../resolvers/members/revoke-key.ts';
import { setMemberRole } from '../resolvers/members/set-role.ts';
import { addMember } from '../resolvers/members/shared/add-member.ts';
import { route } from './route.ts';

/** Paths that change the members of an organization, and its invitations. Contract 01, sections 6.4 and 6.5. */
export const memberRoutes = [
  route(
    'POST',
    '/orgs/v1/:org_id/members',
    { usual: 201, of: ({ added }) => (added ? 201 : 200) },
    addMember,
    ({ params, body }) => ({ org: params.org_id, wallet: body.wallet, role: body.role }),
  ),
  route('PATCH', '/orgs/v1/:org_id/members/:principal_id', 200, setMemberRole, ({ params, body }) => ({
    org: params.org_id,
    principal: params.principal_id,
    role: body.role,
  })),
  route('DELETE', '/orgs/v1/:org_id/members/:principal_id', 200, removeMember, ({ params }) => ({
    org: params.org_id,
    principal: params.principal_id,
  })),
  route(
    'DELETE',
    '/orgs/v1/:org_id/members/:principal_id/encryption-key',
    200,
    revokeMemberKey,
    ({ params, body }) => ({ org: params.org_id, principal: params.principal_id, reason: body.reason }),
  ),
  route('GET', '/orgs/v1/:org_id/invites', 200, listInvites, ({ params }) => ({ org: params.org_id })),
  route(
    'POST',
    '/orgs/v1/:org_id/invites',
    { usual: 201, of: ({ outcome }) => (outcome === 'unchanged' ? 200 : 201) },
    createInvite,
    ({ params, body }) => ({
      org: params.org_id,
      email: body.email,
      role: body.role,
      invite_ttl_hours: body.invite_ttl_hours,
    }),
  ),
  route('DELETE', '/orgs/v1/:org_id/invites/:principal_id', 200, revokeInvite, ({ params }) => ({
    org: params.org_id,
    principal: params.principal_id,
  })),
];
