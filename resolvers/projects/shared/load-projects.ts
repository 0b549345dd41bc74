import { type SQL, sql } from '../../../db/drizzle.ts';
import { orgs } from '../../../db/schema/orgs.ts';
import { projectGrants, projects } from '../../../db/schema/projects.ts';
import { pick, statement, typed } from '../../../db/sql.ts';
import { openingCapabilities } from '../../../kernel/access/permissions.ts';
import { projectColumns as ownColumns } from '../../../kernel/access/project-columns.ts';
import { grantHolds, memberOrgs } from '../../../kernel/access/rules.ts';
import { visibilityOf } from '../../../kernel/access/visibility.ts';
import type { Context } from '../../../kernel/run/context.ts';
import type { ProjectRow } from './wire.ts';

/** The columns of a {@link ProjectRow}: a project with the state of its organization. */
export const projectColumns = {
  ...ownColumns,
  orgTier: orgs.tier,
  orgLifecycleState: orgs.lifecycleState,
  orgLeasePerpetual: orgs.leasePerpetual,
  orgLimitOverrides: orgs.limitOverrides,
};

/** Projects with their organizations: what a statement for {@link projectColumns} selects from. */
export const projectsAndOrgs = sql`${projects} join ${orgs} on ${orgs.id} = ${projects.orgId}`;

/** The parameters of {@link visible}. */
export const viewer = {
  principal: typed<string | null>('text'),
  /** Projects that a delegate or key names itself. */
  named: typed<readonly string[]>('text[]'),
  /** Opens all to the platform admin. */
  everything: typed<boolean>('boolean'),
};

/** What a caller may see, as the values of {@link viewer}. */
export async function viewerOf(ctx: Context) {
  const [principal, named, everything] = visibilityOf(await ctx.caller());
  return { principal, named, everything };
}

/** The capabilities of grants that show a project, as a list of SQL. */
const opening = sql.raw(`(${openingCapabilities.map((one) => `'${one}'`).join(', ')})`);

/**
 * The projects that a caller may see. What the caller has is looked up first and projects by that, so that those of
 * others are never read.
 */
export function visible({ principal, named, everything }: { readonly [Name in keyof typeof viewer]: SQL }): SQL {
  const readable = sql`${projectGrants.principalId} = ${principal}
    and ${projectGrants.capability} in ${opening} and ${grantHolds(projectGrants)}`;
  return sql`${projects.deletedAt} is null and (${everything}::boolean or ${projects.id} = any(${named}::text[])
    or ${projects.orgId} = any(${memberOrgs(principal)})
    or (${projects.id} = any(array(select ${projectGrants.projectId} from ${projectGrants} where ${readable}))
      and exists (select from ${projectGrants} where ${projectGrants.orgId} = ${projects.orgId}
        and ${projectGrants.projectId} = ${projects.id} and ${readable})))`;
}

/** Projects by id, those the caller may see, in one statement. Absent and foreign are both left out. */
export const loadProjects = async (ctx: Context, ids: readonly string[]): Promise<ProjectRow[]> =>
  ctx.services.db.rows(byIdStatement.with({ ...(await viewerOf(ctx)), ids }));

const byIdStatement = statement(
  'projects.by-id',
  { params: { ...viewer, ids: typed<readonly string[]>('text[]') }, row: projectColumns, pipelined: true },
  ({ ids, ...who }, row) =>
    sql`select ${row} from ${projectsAndOrgs} where ${visible(who)} and ${projects.id} = any(${ids}::text[])`,
);

/** The key of a project, for statements on its row. */
export const projectKey = pick(projects, 'orgId', 'id');

/** The row of a project by its key. */
export const isProject = ({ orgId, id }: { readonly orgId: SQL; readonly id: SQL }): SQL =>
  sql`${projects.orgId} = ${orgId} and ${projects.id} = ${id}`;
