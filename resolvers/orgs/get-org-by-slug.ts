import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { memberships, orgSlugs, orgs } from '../../db/schema/orgs.ts';
import { allOf, computed, orNull, partOf, prefixed, statement } from '../../db/sql.ts';
import { type Access, notAuthorized, type OrgScope, signedIn } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import type { OrgDetail } from './get-org.ts';
import { orgActions } from './shared/actions.ts';
import { slugForm, slugReleased } from './shared/claim-slug.ts';
import { OrgWithRoleWire, orgToWire } from './shared/wire.ts';

interface SlugInput {
  readonly slug: string;
}

const anyPrincipal = signedIn<SlugInput>('wallet', 'control_plane', 'operator');

/**
 * Members alone see who goes by a slug: to all others one that is in use and one that nobody ever had are the same. One
 * that rests says so to everybody, as a claim of it would.
 */
const access: Access<SlugInput, OrgScope> = {
  action: orgActions['org:read'],
  authorise: async (ctx, caller, input) => {
    const { principal } = await anyPrincipal.authorise(ctx, caller, input);
    const [row] = await ctx.services.db.rows(
      slugStatement.with({ slug: input.slug, principalId: principal.principal.id }),
    );
    if (row?.rests === true) throw slugReleased(input.slug, row.successor);
    if (row?.role == null) throw notAuthorized(orgActions['org:read'], 'member');
    const { role, membershipId } = row;
    return { org: orgOf(row)!, authority: { kind: 'membership', membershipId: membershipId!, role } };
  },
};

/** The organization behind an address. Contract 01, section 6.2. */
export const getOrgBySlug = query({
  name: 'orgs.getBySlug',
  tool: 'get_org_by_slug',
  command: 'org find',
  summary: 'The organization that goes by a slug, for its members.',
  path: 'GET /orgs/v1/by-slug/:slug',
  access,
  input: z.object({ slug: slugForm.describe('Slug, as it was claimed.') }),
  handler: async ({ org, authority }): Promise<OrgDetail> => ({
    ...org,
    role: authority.kind === 'membership' ? authority.role : null,
  }),
  wire: OrgWithRoleWire,
  toWire: (org) => ({ ...orgToWire(org), role: org.role }),
});

const orgColumns = allOf(orgs);
const orgOf = partOf('org.', orgColumns);

const slugStatement = statement(
  'slugs.get',
  {
    params: { slug: orgSlugs.slug, principalId: memberships.principalId },
    row: {
      rests: computed<boolean>('boolean', sql`${orgSlugs.releasedAt} is not null and ${orgSlugs.restsUntil} > now()`),
      successor: orgs.slug,
      ...orNull({ role: memberships.role, membershipId: memberships.id }),
      ...prefixed('org.', orgColumns),
    },
  },
  ({ slug, principalId }, row) => sql`select ${row} from ${orgSlugs} join ${orgs} on ${orgs.id} = ${orgSlugs.orgId}
    left join ${memberships} on ${memberships.orgId} = ${orgs.id} and ${memberships.principalId} = ${principalId}
      and ${memberships.status} = 'active' and ${orgSlugs.releasedAt} is null
    where ${orgSlugs.slug} = ${slug}`,
);
