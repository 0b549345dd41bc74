import { createOrg } from '../resolvers/orgs/create-org.ts';
import { listAudit } from '../resolvers/orgs/list-audit.ts';
import { type ClaimedSlug, claimSlug } from '../resolvers/orgs/shared/claim-slug.ts';
import { route } from './route.ts';

/** Paths of organizations and their members, the platform admin’s among them. Contract 01, section 6. */
export const orgRoutes = [
  // The whole body is handed on: this operation refuses members it does not know.
  route('POST', '/orgs/v1', 201, createOrg, {}, { passesUnknown: true }),
  route(
    'POST',
    '/orgs/v1/:org_id/slug',
    { usual: 201, of: ({ created }: ClaimedSlug) => (created ? 201 : 200) },
    claimSlug,
  ),
  route('GET', '/orgs/v1/:org_id/audit', 200, listAudit, { older_than: 'query before', before: null, from_end: null }),
];
