import { columnsOf } from '../../../db/columns-of.ts';
import type { Statement } from '../../../db/pool.ts';
import { type Org, orgs, type Role } from '../../../db/schema/orgs.ts';
import { visibilityOf } from '../../../kernel/access/visibility.ts';
import type { Context } from '../../../kernel/run/context.ts';

/** An organization with the caller's role in it; null for one that is seen without being a member. */
export interface OrgWithRole extends Org {
  readonly role: Role | null;
}

/** Organizations by id, those the caller may see, in one statement. Absent and foreign are both left out. */
export async function loadOrgs(ctx: Context, ids: readonly string[]): Promise<OrgWithRole[]> {
  const [principalId, , everything] = visibilityOf(await ctx.caller());
  return ctx.services.db.rows<OrgWithRole>(orgsStatement, [ids, principalId, everything]);
}

const orgsStatement: Statement = {
  name: 'orgs.by-id',
  pipelined: true,
  text: `select ${columnsOf(orgs, 'o')}, m.role from orgs o
    left join memberships m on m.org_id = o.id and m.principal_id = $2 and m.status = 'active'
    where o.id = any($1::uuid[]) and ($3::boolean or m.id is not null)`,
};
