import { createInvite } from '../resolvers/invites/create-invite.ts';
import { revokeMemberKey } from '../resolvers/members/revoke-key.ts';
import { addMember } from '../resolvers/members/shared/add-member.ts';
import { route } from './route.ts';

/** Paths that change the members of an organization, and its invitations. Contract 01, sections 6.4 and 6.5. */
export const memberRoutes = [
  route('POST', '/orgs/v1/:org_id/members', { usual: 201, of: ({ added }) => (added ? 201 : 200) }, addMember),
  route('DELETE', '/orgs/v1/:org_id/members/:principal_id/encryption-key', 200, revokeMemberKey, {
    reason: 'body reason',
  }),
  route(
    'POST',
    '/orgs/v1/:org_id/invites',
    { usual: 201, of: ({ outcome }) => (outcome === 'unchanged' ? 200 : 201) },
    createInvite,
  ),
];
