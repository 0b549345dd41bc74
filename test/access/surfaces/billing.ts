import type { Stage, Surfaces } from './surface.ts';

/** A top-up that there is not. */
const nobodysTopup = '00000000-0000-4000-8000-00000000000a';

export const billingSurfaces = ({ params }: Stage): Surfaces => {
  const org = (selection: string) => () => `{ organization(id: "${params.org_id}") { ${selection} } }`;
  return {
    'GET /tiers/v1': { cells: '+ + + + + + + +', field: () => '{ tiers { edges { cursor } } }' },
    'POST /projects/v1/quote': { cells: '+ + + + + + + +' },
    'GET /tiers/v1/status': {
      cells: 'A + + + N F A +',
      search: () => `?org_id=${params.org_id}`,
      field: () => `{ tierStatus(org: "${params.org_id}") { active } }`,
    },
    'POST /tiers/v1/:tier': {
      cells: 'A + + F N F A F',
      body: () => ({ org_id: params.org_id }),
      // By then it has been made a paid one.
      field: () => `mutation { setOrganizationTier(input: { tier: HOBBY, org: "${params.org_id}" }) { id } }`,
    },
    'POST /orgs/v1/admin/:org_id/lease-perpetual': {
      cells: 'A P P F P P P +',
      body: () => ({ lease_perpetual: false }),
      field: () =>
        `mutation { setOrganizationLeasePerpetual(input: { org: "${params.org_id}", leasePerpetual: false }) { id } }`,
    },
    'GET /orgs/v1/lookup': {
      cells: 'A + F F F F A +',
      search: () => `?wallet=${params.address}`,
      field: () => `{ billingLookup(wallet: "${params.address}") { orgId } }`,
    },
    'GET /orgs/v1/:org_id/billing': { cells: 'A + + + N F A +', field: org('billing { orgId }') },
    'GET /orgs/v1/:org_id/billing/history': {
      cells: 'A + + + N F A +',
      field: org('billing { history { edges { cursor } } }'),
    },
    'POST /orgs/v1/:org_id/checkouts': {
      cells: 'A K K F N F A K',
      body: () => ({ product: 'email_pack' }),
      field: () => `mutation { createCheckout(input: { org: "${params.org_id}", product: EMAIL_PACK }) { topupId } }`,
    },
    'GET /orgs/v1/:org_id/checkouts/:topup_id': {
      cells: 'A L L L L F A L',
      prepare: async () => ({ topup_id: nobodysTopup }),
      field: () => `{ checkout(org: "${params.org_id}", topup: "${nobodysTopup}") { topupId } }`,
    },
    'PATCH /orgs/v1/:org_id/billing/auto-recharge': {
      cells: 'A + + F N F A +',
      body: () => ({ enabled: false }),
      field: () => `mutation { setAutoRecharge(input: { org: "${params.org_id}", enabled: false }) { orgId } }`,
    },
    'POST /orgs/v1/admin/:org_id/credits': {
      addition: { status: 201, reason: 'until money can be paid in, the platform admin credits a balance' },

      cells: 'A P P F P P P +',
      body: () => ({ amount_usd_micros: 1 }),
      field: () =>
        `mutation { addOrganizationCredit(input: { org: "${params.org_id}", amountUsdMicros: 1 }) { entryId } }`,
    },
  };
};
