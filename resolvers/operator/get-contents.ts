import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { hostNames } from '../../db/schema/hosts.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { projects } from '../../db/schema/projects.ts';
import { computed, type RowOf, statement } from '../../db/sql.ts';
import { type Access, type PrincipalScope, requireRole, signedIn } from '../../kernel/access/access.ts';
import { requireFreshProof } from '../../kernel/access/step-up.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { projectDataActions } from '../project-data/shared/actions.ts';
import { asReader, databaseOf, inProject, once } from '../project-data/shared/in-project.ts';
import { projectColumns, projectsAndOrgs } from '../projects/shared/load-projects.ts';
import { answeredFor, answering, lookedFor } from '../sessions/shared/sessions.ts';
import { refuseNarrow } from './reach.ts';

/** What a project is made of, by name alone. */
export interface ProjectContents {
  readonly projectId: string;
  readonly tables: readonly string[];
  /** Names that it is served under beside its generated one. */
  readonly domains: readonly string[];
}

interface Reached extends PrincipalScope {
  readonly found: RowOf<typeof foundRow>;
}

const signed = signedIn<object>('wallet', 'control_plane', 'operator');

/** Absent and foreign are refused alike, before anybody is asked for a passkey. */
const access: Access<{ readonly project: string }, Reached> = {
  action: null,
  addressed: ({ project }) => project,
  authorise: async (ctx, caller, { project }) => {
    refuseNarrow(caller, projectDataActions['project:schema:read']);
    const { principal } = await signed.authorise(ctx, caller, {});
    const [found] = await ctx.services.db.rows(foundStatement.with({ ...lookedFor(principal), project }));
    requireRole(projectDataActions['project:schema:read'], found?.role ?? null, 'project_not_found');
    requireFreshProof(ctx, caller, 'project.contents');
    return { principal, found: found! };
  },
};

/** `GET /agent/v1/operator/projects/:id/contents`: names, and nothing that they name. Contract 01, section 5.13. */
export const getContents = query({
  name: 'operator.getContents',
  tool: 'get_operator_project_contents',
  command: 'operator contents',
  summary: 'What is in a project that a person or a wallet answers for, by name: its tables and its domains.',
  access,
  input: z.object({ project: projectId.describe('The project.') }),
  async handler({ found, services, signal }): Promise<ProjectContents> {
    const database = databaseOf({ project: found, org: { lifecycleState: found.orgLifecycleState } });
    const [, rows] = await inProject(() =>
      services.projectPools.run(database, [asReader, once(tablesText)], { signal }),
    );
    return { projectId: found.id, tables: JSON.parse(rows![0]![0]!) as string[], domains: found.domains };
  },
  wire: z.object({
    project_id: z.string(),
    tables: z.array(z.string()),
    domains: z.array(z.string()),
    functions: z.array(z.never()),
    mailboxes: z.array(z.never()),
    secrets: z.array(z.never()),
  }),
  toWire: ({ projectId: id, tables, domains }) => ({
    project_id: id,
    tables: [...tables],
    domains: [...domains],
    // A project has none of these here.
    functions: [],
    mailboxes: [],
    secrets: [],
  }),
});

const tablesText = `
select coalesce(json_agg(c.relname order by c.relname), '[]')::text from pg_catalog.pg_class c
where c.relnamespace = 'public'::pg_catalog.regnamespace and c.relkind in ('r', 'p') and not c.relispartition`;

const foundRow = {
  ...projectColumns,
  role: memberships.role,
  domains: computed<readonly string[]>(
    'text[]',
    sql`array(select ${hostNames.name} from ${hostNames}
      where ${hostNames.orgId} = ${projects.orgId} and ${hostNames.projectId} = ${projects.id} order by ${hostNames.name})`,
  ),
};

const foundStatement = statement(
  'operator.contents',
  { params: { ...answering, project: projects.id }, row: foundRow },
  ({ project, ...given }, row) => sql`select ${row} from ${projectsAndOrgs}
    join ${memberships} on ${memberships.orgId} = ${projects.orgId} and ${memberships.status} = 'active'
      and ${memberships.principalId} in (${answeredFor(given)})
    where ${projects.id} = ${project} and ${projects.deletedAt} is null
    order by array_position(array['owner', 'admin', 'developer', 'billing', 'viewer'], ${memberships.role}) limit 1`,
);
