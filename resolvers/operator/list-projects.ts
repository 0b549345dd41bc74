import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import { signedIn } from '../access.ts';
import { orgId } from '../fields.ts';
import { query } from '../operation.ts';
import { projectColumns } from '../projects/load-projects.ts';
import { type ProjectRow, ProjectSummaryWire, projectToWire } from '../projects/wire.ts';
import { lookedFor, type OperatorScope, OperatorScopeWire, operatedOrgs, scopeOf } from './reach.ts';

export interface OperatedProjects {
  readonly scope: OperatorScope;
  readonly projects: readonly ProjectRow[];
}

/** `GET /agent/v1/operator/projects`: unpaged. Contract 01, section 5.13. */
export const listOperatorProjects = query({
  name: 'operator.listProjects',
  summary: 'All projects that a person or a wallet answers for, over organizations and wallets.',
  access: signedIn('wallet', 'control_plane', 'operator'),
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

const projectsStatement: Statement = {
  name: 'operator.projects',
  text: `select ${projectColumns} from projects p join orgs o on o.id = p.org_id
    where p.org_id in (${operatedOrgs}) and p.deleted_at is null and ($3::uuid is null or p.org_id = $3)
      and ($4::boolean or p.archived_at is null)
    order by p.created_at desc, p.id desc`,
};
