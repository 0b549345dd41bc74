import { z } from 'zod';
import { columnsOf, partOf } from '../../db/columns-of.ts';
import type { Statement } from '../../db/pool.ts';
import { orgs, type Role } from '../../db/schema/orgs.ts';
import { type Access, notAuthorized, type OrgScope, signedIn } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import type { OrgDetail } from './get-org.ts';
import { orgActions } from './shared/actions.ts';
import { slugForm, slugReleased } from './shared/claim-slug.ts';
import { OrgSummaryWire, orgToWire, roleWire } from './shared/wire.ts';

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
    const [row] = await ctx.services.db.rows<SlugRow>(slugStatement, [input.slug, principal.principal.id]);
    if (row?.rests === true) throw slugReleased(input.slug, row.successor);
    if (row?.role == null) throw notAuthorized(orgActions['org:read'], 'member');
    const { role, membership_id: membershipId } = row;
    return { org: orgOf(row)!, authority: { kind: 'membership', membershipId: membershipId!, role } };
  },
};

/** The organization behind an address. Contract 01, section 6.2. */
export const getOrgBySlug = query({
  name: 'orgs.getBySlug',
  tool: 'get_org_by_slug',
  command: 'org find',
  summary: 'The organization that goes by a slug, for its members.',
  access,
  input: z.object({ slug: slugForm.describe('Slug, as it was claimed.') }),
  handler: async ({ org, authority }): Promise<OrgDetail> => ({
    ...org,
    role: authority.kind === 'membership' ? authority.role : null,
  }),
  wire: OrgSummaryWire.extend({ role: roleWire.nullable() }),
  toWire: (org) => ({ ...orgToWire(org), role: org.role }),
});

type SlugRow = Record<string, unknown> & {
  readonly rests: boolean;
  readonly successor: string | null;
  readonly role: Role | null;
  readonly membership_id: string | null;
};

const orgOf = partOf(orgs, 'org.');

const slugStatement: Statement = {
  name: 'slugs.get',
  text: `select s.released_at is not null and s.rests_until > now() as rests, o.slug as successor,
      m.role, m.id as membership_id, ${columnsOf(orgs, 'o', 'org.')}
    from org_slugs s join orgs o on o.id = s.org_id
    left join memberships m on m.org_id = o.id and m.principal_id = $2 and m.status = 'active' and s.released_at is null
    where s.slug = $1`,
};
