import { createOrg } from '../resolvers/orgs/create-org.ts';
import { getOrg } from '../resolvers/orgs/get-org.ts';
import { getOrgBySlug } from '../resolvers/orgs/get-org-by-slug.ts';
import { getPayout } from '../resolvers/orgs/get-payout.ts';
import { listAudit } from '../resolvers/orgs/list-audit.ts';
import { listMembers } from '../resolvers/orgs/list-members.ts';
import { listOrgs } from '../resolvers/orgs/list-orgs.ts';
import { renameOrg } from '../resolvers/orgs/rename-org.ts';
import { setLimits } from '../resolvers/orgs/set-limits.ts';
import { setPayoutWallet } from '../resolvers/orgs/set-payout-wallet.ts';
import { type ClaimedSlug, claimSlug } from '../resolvers/orgs/shared/claim-slug.ts';
import { route } from './route.ts';

/** Paths of organizations and their members, the platform admin’s among them. Contract 01, section 6. */
export const orgRoutes = [
  // The whole body is handed on: this operation refuses members it does not know.
  route('POST', '/orgs/v1', 201, createOrg, ({ body }) => body),
  route('GET', '/orgs/v1', 200, listOrgs, () => ({})),
  route('GET', '/orgs/v1/:org_id', 200, getOrg, ({ params }) => ({ org: params.org_id })),
  route('GET', '/orgs/v1/by-slug/:slug', 200, getOrgBySlug, ({ params }) => ({ slug: params.slug })),
  route('PATCH', '/orgs/v1/:org_id', 200, renameOrg, ({ params, body }) => ({
    org: params.org_id,
    display_name: body.display_name,
  })),
  route(
    'POST',
    '/orgs/v1/:org_id/slug',
    { usual: 201, of: ({ created }: ClaimedSlug) => (created ? 201 : 200) },
    claimSlug,
    ({ params, body }) => ({ org: params.org_id, slug: body.slug }),
  ),
  route('GET', '/orgs/v1/:org_id/payout-wallet', 200, getPayout, ({ params }) => ({ org: params.org_id })),
  route('PATCH', '/orgs/v1/:org_id/payout-wallet', 200, setPayoutWallet, ({ params, body }) => ({
    org: params.org_id,
    wallet_address: body.wallet_address,
  })),
  route('GET', '/orgs/v1/:org_id/audit', 200, listAudit, ({ params, query }) => ({
    org: params.org_id,
    limit: query.limit,
    after: query.after,
    older_than: query.before,
  })),
  route('GET', '/orgs/v1/:org_id/members', 200, listMembers, ({ params }) => ({ org: params.org_id })),
  route('POST', '/orgs/v1/admin/:org_id/limits', 200, setLimits, ({ params, body }) => ({
    org: params.org_id,
    limits: body.limits,
  })),
];
