import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import { type Access, onOrg, signedIn } from '../../kernel/access/access.ts';
import { visibilityOf } from '../../kernel/access/visibility.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import { projectActions } from './shared/actions.ts';
import { projectColumns, visible } from './shared/load-projects.ts';
import { type ProjectRow, ProjectSummaryWire, projectToWire } from './shared/wire.ts';

interface ListProjectsInput {
  readonly org_id?: string | undefined;
}

const onNamedOrg = onOrg(projectActions['project:list'], ({ org_id }: ListProjectsInput) => org_id!);
const everywhere = signedIn<ListProjectsInput>('wallet', 'control_plane', 'operator', 'delegate');

/** Of one organization, or over all that the caller may see. */
const access: Access<ListProjectsInput, object> = {
  action: projectActions['project:list'],
  prefetch: (ctx, principalId, input) =>
    input.org_id === undefined ? undefined : onNamedOrg.prefetch?.(ctx, principalId, input),
  authorise: (ctx, caller, input, ahead) =>
    (input.org_id === undefined ? everywhere : onNamedOrg).authorise(ctx, caller, input, ahead),
};

/** `GET /projects/v1`. Contract 01, section 5.4. */
export const listProjects = query({
  name: 'projects.list',
  tool: 'list_projects',
  command: 'projects list',
  summary: 'Projects the caller may see, newest first.',
  access,
  input: z.object({
    org_id: orgId.optional().describe('Only projects of this organization.'),
    ...listWindow,
    include: z.literal('archived', 'must be `archived`').optional().describe('`archived` lists archived ones too.'),
  }),
  async handler(ctx, { org_id, include, ...window }): Promise<ListPage<ProjectRow>> {
    const { db, keys } = ctx.services;
    const list = newestFirst(keys, `projects:${org_id ?? '*'}:${include ?? ''}`);
    const seen = visibilityOf(await ctx.caller());
    const values = [...seen, org_id ?? null, include === 'archived', ...list.positionOf(window), window.limit + 1];
    const statement = list.statementOf(window, org_id === undefined ? everywhereStatements : ofOrgStatements);
    return list.pageOf(await db.rows<ProjectRow>(statement, values), window);
  },
  wire: z.object({
    projects: z.array(ProjectSummaryWire),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  }),
  toWire: (page) => ({ projects: page.rows.map(({ row }) => projectToWire(row)), ...pageToWire(page) }),
});

/** Of one organization and over all are two statements, so that the first finds its rows by their index. */
const listOf = (name: string, where: string, more: Pick<Statement, 'pipelined'> = {}) =>
  bothWays((way) => ({
    name: `projects.${name}-${way.name}`,
    ...more,
    text: `select ${projectColumns} from projects p join orgs o on o.id = p.org_id
      where ${where} and ${visible} and ($5::boolean or p.archived_at is null) and ${way.beyond('p', 6)}
      ${way.order('p')} limit $8`,
  }));

const ofOrgStatements = listOf('list', 'p.org_id = $4::uuid', { pipelined: true });
// Whether everything is asked for has to be known to plan it well.
const everywhereStatements = listOf('list-all', '$4::uuid is null');
