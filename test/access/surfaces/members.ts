import { randomUUID } from 'node:crypto';
import type { Stage, Surfaces } from './surface.ts';

export const memberSurfaces = ({ params, members, service }: Stage): Surfaces => {
  const member = () => `org: "${params.org_id}", principal: "${params.principal_id}"`;
  const viewer = async () => ({ principal_id: await members().member('viewer') });
  const wallet = () => service.actors.wallet().address;
  return {
    'POST /orgs/v1/:org_id/members': {
      cells: 'A + + F N F A F',
      body: () => ({ wallet: wallet(), role: 'viewer' }),
      field: () =>
        `mutation { addMember(input: { org: "${params.org_id}", wallet: "${wallet()}", role: VIEWER }) { id } }`,
    },
    'PATCH /orgs/v1/:org_id/members/:principal_id': {
      cells: 'A + + F N F A F',
      body: () => ({ role: 'billing' }),
      prepare: viewer,
      field: () => `mutation { setMemberRole(input: { ${member()}, role: BILLING }) { id } }`,
    },
    'DELETE /orgs/v1/:org_id/members/:principal_id': {
      cells: 'A + + F N F A F',
      prepare: viewer,
      field: () => `mutation { removeMember(input: { ${member()} }) { id } }`,
    },
    'DELETE /orgs/v1/:org_id/members/:principal_id/encryption-key': {
      cells: 'A + + F N F A F',
      prepare: async () => ({ principal_id: members().keyless }),
      field: () => `mutation { revokeMemberKey(input: { ${member()} }) { id } }`,
    },
    'GET /orgs/v1/:org_id/invites': {
      cells: 'A + + + N F A +',
      field: () => `{ organization(id: "${params.org_id}") { invites { edges { cursor } } } }`,
    },
    'POST /orgs/v1/:org_id/invites': {
      cells: 'A + + F N F A F',
      body: () => ({ email: `${randomUUID()}@example.com` }),
      field: () =>
        `mutation { createInvite(input: { org: "${params.org_id}", email: "${randomUUID()}@example.com" }) { id } }`,
    },
    'DELETE /orgs/v1/:org_id/invites/:principal_id': {
      cells: 'A + + F N F A F',
      prepare: async () => ({ principal_id: await members().invited() }),
      field: () => `mutation { revokeInvite(input: { ${member()} }) { id } }`,
    },
  };
};
