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
  route('POST', '/orgs/v1', 201, createOrg, {}, { passesUnknown: true }),
  route('GET', '/orgs/v1', 200, listOrgs),
  route('GET', '/orgs/v1/:org_id', 200, getOrg),
  route('GET', '/orgs/v1/by-slug/:slug', 200, getOrgBySlug),
  route('PATCH', '/orgs/v1/:org_id', 200, renameOrg),
  route(
    'POST',
    '/orgs/v1/:org_id/slug',
    { usual: 201, of: ({ created }: ClaimedSlug) => (created ? 201 : 200) },
    claimSlug,
  ),
  route('GET', '/orgs/v1/:org_id/payout-wallet', 200, getPayout),
  route('PATCH', '/orgs/v1/:org_id/payout-wallet', 200, setPayoutWallet),
  route('GET', '/orgs/v1/:org_id/audit', 200, listAudit, { older_than: 'query before', before: null, from_end: null }),
  route('GET', '/orgs/v1/:org_id/members', 200, listMembers),
  route('POST', '/orgs/v1/admin/:org_id/limits', 200, setLimits),
];
