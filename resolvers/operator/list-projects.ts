import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { projects } from '../../db/schema/projects.ts';
import { statement, typed } from '../../db/sql.ts';
import { type Access, notAuthorized, type PrincipalScope, signedIn } from '../../kernel/access/access.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { projectActions } from '../projects/shared/actions.ts';
import { projectColumns, projectsAndOrgs } from '../projects/shared/load-projects.ts';
import { type ProjectRow, ProjectSummaryWire, projectsToWire } from '../projects/shared/wire.ts';
import { answering, lookedFor } from '../sessions/shared/sessions.ts';
import { type OperatorScope, OperatorScopeWire, operatedOrgs, refuseNarrow, scopeOf } from './reach.ts';

export interface OperatedProjects {
  readonly scope: OperatorScope;
  readonly projects: readonly ProjectRow[];
}

interface ListInput {
  readonly org_id?: string | undefined;
}

const everywhere = signedIn<ListInput>('wallet', 'control_plane', 'operator');

/** Over everything, or in one organization that somebody answers for: absent and foreign are refused alike. */
const access: Access<ListInput, PrincipalScope> = {
  action: null,
  authorise: async (ctx, caller, input) => {
    const named = input.org_id !== undefined;
    if (named) refuseNarrow(caller, projectActions['project:list']);
    const scope = await everywhere.authorise(ctx, caller, input);
    if (!named) return scope;
    const [own] = await ctx.services.db.rows(ownStatement.with({ ...lookedFor(scope.principal), org: input.org_id! }));
    if (own === undefined) throw notAuthorized(projectActions['project:list'], 'member');
    return scope;
  },
};

/** `GET /agent/v1/operator/projects`: unpaged. Contract 01, section 5.13. */
export const listOperatorProjects = query({
  name: 'operator.listProjects',
  tool: 'list_operator_projects',
  command: 'operator projects',
  summary: 'All projects that a person or a wallet answers for, over organizations and wallets.',
  path: 'GET /agent/v1/operator/projects',
  access,
  input: z.object({
    org_id: orgId.optional().describe('Only projects of this organization.'),
    include: z.literal('archived', 'must be `archived`').optional().describe('`archived` lists archived ones too.'),
  }),
  async handler(ctx, { org_id, include }): Promise<OperatedProjects> {
    const asked = { ...lookedFor(ctx.principal), org: org_id ?? null, archived: include === 'archived' };
    const listed = await ctx.services.db.rows(projectsStatement.with(asked));
    return { scope: await scopeOf(ctx, ctx.principal), projects: listed };
  },
  wire: z.object({ projects: z.array(ProjectSummaryWire), scope: OperatorScopeWire }),
  toWire: async ({ scope, projects: listed }, { services }) => ({
    projects: await projectsToWire(services, listed),
    scope: { ...scope },
  }),
});

const ownStatement = statement(
  'operator.own-org',
  { params: { ...answering, org: typed<string>('uuid') } },
  ({ org, ...given }) => sql`select where ${org}::uuid in (${operatedOrgs(given)})`,
);

const projectsStatement = statement(
  'operator.projects',
  {
    params: { ...answering, org: typed<string | null>('uuid'), archived: typed<boolean>('boolean') },
    row: projectColumns,
  },
  ({ org, archived, ...given }, row) => sql`select ${row} from ${projectsAndOrgs}
    where ${projects.orgId} in (${operatedOrgs(given)}) and ${projects.deletedAt} is null
      and (${org}::uuid is null or ${projects.orgId} = ${org}) and (${archived}::boolean or ${projects.archivedAt} is null)
    order by ${projects.createdAt} desc, ${projects.id} desc`,
);
