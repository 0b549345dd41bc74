import type { Stage, Surfaces } from './surface.ts';

export const orgSurfaces = ({ params }: Stage): Surfaces => {
  const org = (selection: string) => () => `{ organization(id: "${params.org_id}") { ${selection} } }`;
  return {
    'POST /orgs/v1': { cells: 'A + + F A A A A', field: () => 'mutation { createOrganization(input: {}) { id } }' },
    'GET /orgs/v1': { cells: 'A + + + A A A A', field: () => '{ organizations { edges { cursor } } }' },
    'GET /orgs/v1/:org_id': { cells: 'A + + + N F A +', field: org('id') },
    'GET /orgs/v1/by-slug/:slug': {
      addition: { status: 200, reason: 'clients know an organization by its address form, which people read' },

      cells: 'A + + + A A A A',
      prepare: async () => ({ slug: 'first' }),
      field: () => '{ organizationBySlug(slug: "first") { id } }',
    },
    'PATCH /orgs/v1/:org_id': {
      cells: 'A + + F N F A F',
      body: () => ({ display_name: 'Ada’s' }),
      field: () => `mutation { renameOrganization(input: { org: "${params.org_id}", displayName: "Ada’s" }) { id } }`,
    },
    'GET /orgs/v1/:org_id/payout-wallet': {
      addition: { status: 200, reason: 'who may name the wallet may see it without changing it' },
      cells: 'A + + + N F A F',
      field: org('payout { status }'),
    },
    'PATCH /orgs/v1/:org_id/payout-wallet': {
      cells: 'A + + F N F A F',
      body: () => ({ wallet_address: null }),
      field: () => `mutation { setPayoutWallet(input: { org: "${params.org_id}", walletAddress: null }) { id } }`,
    },
    'GET /orgs/v1/:org_id/audit': { cells: 'A + + + N F A F', field: org('auditEvents { edges { cursor } }') },
    'GET /orgs/v1/:org_id/members': { cells: 'A + + + N F A +', field: org('members { edges { cursor } }') },
    'POST /orgs/v1/admin/:org_id/limits': {
      addition: { status: 200, reason: 'limits are data, which the platform admin bends for one organization' },

      cells: 'A P P F P P P +',
      body: () => ({ limits: {} }),
      field: () => `mutation { setOrganizationLimits(input: { org: "${params.org_id}", limits: [] }) { id } }`,
    },
    'POST /orgs/v1/:org_id/slug': {
      cells: 'A + + F N F A F',
      // The one it has already.
      body: () => ({ slug: 'first' }),
      status: 200,
      field: () =>
        `mutation { claimOrganizationSlug(input: { org: "${params.org_id}", slug: "first", idempotencyKey: "again" }) { id } }`,
    },
  };
};
