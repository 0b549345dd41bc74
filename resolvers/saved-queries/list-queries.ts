import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { type SavedQuery, savedQueries } from '../../db/schema/saved-queries.ts';
import { pick, statement, typed } from '../../db/sql.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import { onItsProject, queryColumns, queryToWire, SavedQueryWire } from './saved-query.ts';
import { savedQueryActions } from './shared/actions.ts';

export const listQueries = query({
  name: 'queries.list',
  tool: 'list_saved_queries',
  command: 'queries list',
  summary: 'SQL that the developers of a project keep for each other, newest first.',
  path: 'GET /projects/v1/:project_id/queries',
  access: onItsProject(savedQueryActions['project:queries:read']),
  input: z.object({ project: projectId, ...listWindow }),
  async handler({ services, org, project }, { project: _named, ...window }): Promise<ListPage<SavedQuery>> {
    const { db, keys } = services;
    const list = newestFirst(keys, `queries:${project.id}`);
    const asked = { orgId: org.id, projectId: project.id, ...list.positionOf(window), limit: window.limit + 1 };
    return list.pageOf<SavedQuery>(await db.rows(list.statementOf(window, listStatements).with(asked)), window);
  },
  wire: z.object({
    queries: z.array(SavedQueryWire),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  }),
  toWire: (page) => ({ queries: page.rows.map(({ row }) => queryToWire(row)), ...pageToWire(page) }),
});

const listStatements = bothWays(savedQueries, (way) =>
  statement(
    `queries.list-${way.name}`,
    {
      params: { ...pick(savedQueries, 'orgId', 'projectId'), ...way.params, limit: typed<number>('bigint') },
      row: queryColumns,
    },
    ({ orgId, projectId, limit, ...given }, row) => sql`select ${row} from ${savedQueries}
      where ${savedQueries.orgId} = ${orgId} and ${savedQueries.projectId} = ${projectId}
        and ${way.beyond(given)} ${way.order} limit ${limit}`,
  ),
);
