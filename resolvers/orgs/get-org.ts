import { z } from 'zod';
import type { Org, Role } from '../../db/schema/orgs.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { orgActions } from './shared/actions.ts';
import { OrgWithRoleWire, orgToWire } from './shared/wire.ts';

export interface OrgDetail extends Org {
  /** The caller's own role; null for a platform admin who is no member. */
  readonly role: Role | null;
}

/** `GET /orgs/v1/:org_id`. Contract 01, section 6.2. */
export const getOrg = query({
  name: 'orgs.get',
  tool: 'get_org',
  command: 'org get',
  summary: 'One organization, with the caller’s role in it.',
  path: 'GET /orgs/v1/:org_id',
  access: onOrg(orgActions['org:read'], ({ org }: { org: string }) => org),
  input: z.object({ org: orgId }),
  handler: async ({ org, authority }): Promise<OrgDetail> => ({
    ...org,
    role: authority.kind === 'membership' ? authority.role : null,
  }),
  wire: OrgWithRoleWire,
  toWire: (org) => ({ ...orgToWire(org), role: org.role }),
});
