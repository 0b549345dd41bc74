import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import type { Role } from '../../db/schema/orgs.ts';
import { type Access, type PrincipalScope, requireRole, signedIn } from '../../kernel/access/access.ts';
import { requireFreshProof } from '../../kernel/access/step-up.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { projectDataActions } from '../project-data/shared/actions.ts';
import { asReader, databaseOf, inProject, once } from '../project-data/shared/in-project.ts';
import { projectColumns } from '../projects/shared/load-projects.ts';
import type { ProjectRow } from '../projects/shared/wire.ts';
import { answeredFor } from '../sessions/shared/sessions.ts';
import { lookedFor, refuseNarrow } from './reach.ts';

/** What a project is made of, by name alone. */
export interface ProjectContents {
  readonly projectId: string;
  readonly tables: readonly string[];
  /** Names that it is served under beside its generated one. */
  readonly domains: readonly string[];
}

interface Reached extends PrincipalScope {
  readonly found: FoundRow;
}

interface FoundRow extends ProjectRow {
  readonly role: Role;
  readonly domains: string[];
}

const signed = signedIn<object>('wallet', 'control_plane', 'operator');

/** Absent and foreign are refused alike, before anybody is asked for a passkey. */
const access: Access<{ readonly project: string }, Reached> = {
  action: null,
  addressed: ({ project }) => project,
  authorise: async (ctx, caller, { project }) => {
    refuseNarrow(caller, projectDataActions['project:schema:read']);
    const { principal } = await signed.authorise(ctx, caller, {});
    const [found] = await ctx.services.db.rows<FoundRow>(foundStatement, [...lookedFor(principal), project]);
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

const foundStatement: Statement = {
  name: 'operator.contents',
  text: `select ${projectColumns}, m.role,
      array(select h.name from host_names h where h.org_id = p.org_id and h.project_id = p.id order by h.name) as domains
    from projects p join orgs o on o.id = p.org_id
    join memberships m on m.org_id = p.org_id and m.status = 'active' and m.principal_id in (${answeredFor})
    where p.id = $3 and p.deleted_at is null
    order by array_position(array['owner', 'admin', 'developer', 'billing', 'viewer'], m.role) limit 1`,
};
