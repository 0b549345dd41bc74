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
  route('POST', '/orgs/v1/:org_id/members', { usual: 201, of: ({ added }) => (added ? 201 : 200) }, addMember),
  route('PATCH', '/orgs/v1/:org_id/members/:principal_id', 200, setMemberRole),
  route('DELETE', '/orgs/v1/:org_id/members/:principal_id', 200, removeMember),
  route('DELETE', '/orgs/v1/:org_id/members/:principal_id/encryption-key', 200, revokeMemberKey, {
    reason: 'body reason',
  }),
  route('GET', '/orgs/v1/:org_id/invites', 200, listInvites),
  route(
    'POST',
    '/orgs/v1/:org_id/invites',
    { usual: 201, of: ({ outcome }) => (outcome === 'unchanged' ? 200 : 201) },
    createInvite,
  ),
  route('DELETE', '/orgs/v1/:org_id/invites/:principal_id', 200, revokeInvite),
];
