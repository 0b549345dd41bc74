import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Statement } from '../../../db/pool.ts';
import { projectGrants } from '../../../db/schema/projects.ts';
import { textOf } from '../../../db/sql.ts';
import { projectColumnsOf } from '../../../kernel/access/project-columns.ts';
import { grantHolds, memberOrgs } from '../../../kernel/access/rules.ts';
import { visibilityOf } from '../../../kernel/access/visibility.ts';
import type { Context } from '../../../kernel/run/context.ts';
import type { ProjectRow } from './wire.ts';

/** A project with its organization's standing; for statements that join `projects p` and `orgs o`. */
export const projectColumns = `${projectColumnsOf('p')}, o.tier as "orgTier",
  o.lifecycle_state as "orgLifecycleState", o.lease_perpetual as "orgLeasePerpetual",
  o.limit_overrides as "orgLimitOverrides"`;

const readable = `g.principal_id = $1 and g.capability in ('read', 'project.read') and ${textOf(grantHolds(alias(projectGrants, 'g')))}`;

/**
 * Which projects a caller may see, for statements that join `projects p`. `$1` is a principal, or null; `$2` are
 * projects that a delegate or key names itself; the third, `$3`, opens all to the platform admin. What the caller has is
 * looked up first and projects by that, so that those of everybody else are never read.
 */
export const visible = `p.deleted_at is null and ($3::boolean or p.id = any($2::text[])
  or p.org_id = any(${textOf(memberOrgs(sql.raw('$1')))})
  or (p.id = any(array(select g.project_id from project_grants g where ${readable}))
    and exists (select from project_grants g where g.org_id = p.org_id and g.project_id = p.id and ${readable})))`;

/** Projects by id, those the caller may see, in one statement. Absent and foreign are both left out. */
export async function loadProjects(ctx: Context, ids: readonly string[]): Promise<ProjectRow[]> {
  return ctx.services.db.rows<ProjectRow>(byIdStatement, [...visibilityOf(await ctx.caller()), ids]);
}

const byIdStatement: Statement = {
  name: 'projects.by-id',
  pipelined: true,
  text: `select ${projectColumns} from projects p join orgs o on o.id = p.org_id where ${visible} and p.id = any($4::text[])`,
};
