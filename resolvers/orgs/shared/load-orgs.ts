import { sql } from '../../../db/drizzle.ts';
import { memberships, type Org, orgs, type Role } from '../../../db/schema/orgs.ts';
import { allOf, orNull, pick, statement, typed } from '../../../db/sql.ts';
import { visibilityOf } from '../../../kernel/access/visibility.ts';
import type { Context } from '../../../kernel/run/context.ts';

/** An organization with the caller's role in it; null for one that is seen without being a member. */
export interface OrgWithRole extends Org {
  readonly role: Role | null;
}

/** Organizations by id, those the caller may see, in one statement. Absent and foreign are both left out. */
export async function loadOrgs(ctx: Context, ids: readonly string[]): Promise<OrgWithRole[]> {
  const [principalId, , everything] = visibilityOf(await ctx.caller());
  return ctx.services.db.rows(orgsStatement.with({ ids, principal: principalId, everything }));
}

const orgsStatement = statement(
  'orgs.by-id',
  {
    params: {
      ids: typed<readonly string[]>('uuid[]'),
      principal: typed<string | null>('text'),
      everything: typed<boolean>('boolean'),
    },
    row: { ...allOf(orgs), ...orNull(pick(memberships, 'role')) },
    pipelined: true,
  },
  ({ ids, principal, everything }, row) => sql`select ${row} from ${orgs}
    left join ${memberships} on ${memberships.orgId} = ${orgs.id} and ${memberships.principalId} = ${principal}
      and ${memberships.status} = 'active'
    where ${orgs.id} = any(${ids}::uuid[]) and (${everything}::boolean or ${memberships.id} is not null)`,
);
