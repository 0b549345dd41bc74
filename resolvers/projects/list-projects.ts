import { z } from 'zod';
import { type SQL, sql } from '../../db/drizzle.ts';
import { projects } from '../../db/schema/projects.ts';
import { statement, typed } from '../../db/sql.ts';
import { type Access, onOrg, signedIn } from '../../kernel/access/access.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import { projectActions } from './shared/actions.ts';
import { projectColumns, projectsAndOrgs, viewer, viewerOf, visible } from './shared/load-projects.ts';
import { type ProjectRow, ProjectSummaryWire, projectsToWire } from './shared/wire.ts';

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
    const asked = {
      ...(await viewerOf(ctx)),
      orgId: org_id ?? null,
      archived: include === 'archived',
      ...list.positionOf(window),
      limit: window.limit + 1,
    };
    const listed = list.statementOf(window, org_id === undefined ? everywhereStatements : ofOrgStatements);
    return list.pageOf<ProjectRow>(await db.rows(listed.with(asked)), window);
  },
  wire: z.object({
    projects: z.array(ProjectSummaryWire),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  }),
  toWire: async (page, { services }) => ({
    projects: await projectsToWire(
      services,
      page.rows.map(({ row }) => row),
    ),
    ...pageToWire(page),
  }),
});

/** Of one organization and over all are two statements, so that the first finds its rows by their index. */
const listOf = (name: string, where: (orgId: SQL) => SQL, options: { readonly pipelined?: true } = {}) =>
  bothWays(projects, (way) =>
    statement(
      `projects.${name}-${way.name}`,
      {
        params: {
          ...viewer,
          orgId: typed<string | null>('uuid'),
          archived: typed<boolean>('boolean'),
          ...way.params,
          limit: typed<number>('bigint'),
        },
        row: projectColumns,
        ...options,
      },
      ({ orgId, archived, limit, ...given }, row) => sql`select ${row} from ${projectsAndOrgs}
        where ${where(orgId)} and ${visible(given)} and (${archived}::boolean or ${projects.archivedAt} is null)
          and ${way.beyond(given)} ${way.order} limit ${limit}`,
    ),
  );

const ofOrgStatements = listOf('list', (orgId) => sql`${projects.orgId} = ${orgId}::uuid`, { pipelined: true });
// Whether everything is asked for has to be known to plan it well.
const everywhereStatements = listOf('list-all', (orgId) => sql`${orgId}::uuid is null`);
