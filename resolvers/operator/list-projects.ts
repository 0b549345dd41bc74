import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import { type Access, notAuthorized, type PrincipalScope, signedIn } from '../../kernel/access/access.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { projectActions } from '../projects/shared/actions.ts';
import { projectColumns } from '../projects/shared/load-projects.ts';
import { type ProjectRow, ProjectSummaryWire, projectToWire } from '../projects/shared/wire.ts';
import { lookedFor, type OperatorScope, OperatorScopeWire, operatedOrgs, refuseNarrow, scopeOf } from './reach.ts';

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
    const [own] = await ctx.services.db.rows(ownStatement, [...lookedFor(scope.principal), input.org_id]);
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
  access,
  input: z.object({
    org_id: orgId.optional().describe('Only projects of this organization.'),
    include: z.literal('archived', 'must be `archived`').optional().describe('`archived` lists archived ones too.'),
  }),
  async handler(ctx, { org_id, include }): Promise<OperatedProjects> {
    const values = [...lookedFor(ctx.principal), org_id ?? null, include === 'archived'];
    const projects = await ctx.services.db.rows<ProjectRow>(projectsStatement, values);
    return { scope: await scopeOf(ctx, ctx.principal), projects };
  },
  wire: z.object({ projects: z.array(ProjectSummaryWire), scope: OperatorScopeWire }),
  toWire: ({ scope, projects }) => ({ projects: projects.map(projectToWire), scope: { ...scope } }),
});

const ownStatement: Statement = {
  name: 'operator.own-org',
  text: `select 1 where $3::uuid in (${operatedOrgs})`,
};

const projectsStatement: Statement = {
  name: 'operator.projects',
  text: `select ${projectColumns} from projects p join orgs o on o.id = p.org_id
    where p.org_id in (${operatedOrgs}) and p.deleted_at is null and ($3::uuid is null or p.org_id = $3)
      and ($4::boolean or p.archived_at is null)
    order by p.created_at desc, p.id desc`,
};
