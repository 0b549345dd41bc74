import { createOrg } from '../resolvers/orgs/create-org.ts';
import { getOrg } from '../resolvers/orgs/get-org.ts';
import { listMembers } from '../resolvers/orgs/list-members.ts';
import { listOrgs } from '../resolvers/orgs/list-orgs.ts';
import { setLimits } from '../resolvers/orgs/set-limits.ts';
import { route } from './route.ts';

/** Paths of organizations and their members, the platform admin’s among them. Contract 01, section 6. */
export const orgRoutes = [
  // The whole body is handed on: this operation refuses members it does not know.
  route('POST', '/orgs/v1', 201, createOrg, ({ body }) => body),
  route('GET', '/orgs/v1', 200, listOrgs, () => ({})),
  route('GET', '/orgs/v1/:org_id', 200, getOrg, ({ params }) => ({ org: params.org_id })),
  route('GET', '/orgs/v1/:org_id/members', 200, listMembers, ({ params }) => ({ org: params.org_id })),
  route('POST', '/orgs/v1/admin/:org_id/limits', 200, setLimits, ({ params, body }) => ({
    org: params.org_id,
    limits: body.limits,
  })),
];
