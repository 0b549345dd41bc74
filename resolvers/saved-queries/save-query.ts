import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { invalidField } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { type SavedQuery, savedQueries } from '../../db/schema/saved-queries.ts';
import { computed, insertInto, pick, setOf, statement } from '../../db/sql.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import { givenName, projectId, shows } from '../../kernel/input/fields.ts';
import { savedQueriesMax, savedQueryBytesMax } from '../../kernel/limits/limits.ts';
import { quotaExceeded } from '../../kernel/limits/quota.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { sqlText } from '../project-data/shared/sql-text.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import {
  findStatement,
  hasKey,
  keyOf,
  keyParams,
  onItsProject,
  queryColumns,
  queryId,
  queryToWire,
  requireVersion,
  SavedQueryWire,
} from './saved-query.ts';
import { savedQueryActions } from './shared/actions.ts';

export interface WrittenQuery {
  readonly query: SavedQuery;
  /** Whether it is a new one. */
  readonly created: boolean;
}

export const saveQuery = mutation({
  name: 'queries.save',
  tool: 'save_query',
  command: 'queries save',
  effects: ['destructive'],
  summary: 'Keep SQL for the developers of a project: as a new query, or in place of what one holds.',
  path: 'POST /projects/v1/:project_id/queries',
  access: onItsProject(savedQueryActions['project:queries:write']),
  lifecycle: 'gated',
  input: z.object({
    project: projectId,
    query: queryId.optional().describe('The query to replace, a UUID; a new one is made without it.'),
    version: z
      .int()
      .min(1)
      .optional()
      .describe('The version that was read, for a query that is replaced: a newer one is not lost.'),
    name: givenName(100)
      .trim()
      .refine((name) => shows.test(name), 'must show something')
      .describe('What people call the query, 1 to 100 characters.'),
    description: z
      .string()
      .max(2_000, 'at most 2000 characters')
      .nullish()
      .describe('What it is for, at most 2000 characters.'),
    sql: sqlText.describe('The SQL. It is not run, and may be unfinished.').meta({ examples: ['select 1'] }),
  }),
  async handler(work, { query: id, version, ...given }): Promise<WrittenQuery> {
    if ((id === undefined) !== (version === undefined))
      throw invalidField('version', 'goes with `query`: the version of it that was read');
    await lockProjectFor(work, savedQueryActions['project:queries:write']);
    const values = {
      name: given.name,
      description: given.description ?? null,
      sql: given.sql,
      updatedBy: principalIdOf(await work.caller()),
    };
    const key = keyOf(work, id ?? randomUUID());
    const [known] = await work.rows(findStatement.with(key));
    const before = id === undefined ? undefined : requireVersion(known, id, version);
    const [kept] = await work.rows(countStatement.with({ orgId: key.orgId, projectId: key.projectId }));
    const { used, bytes } = kept!;
    if (before === undefined && used >= savedQueriesMax)
      throw quotaExceeded({ scope: 'project', metric: 'saved_queries' }, savedQueriesMax, used);
    const more = Buffer.byteLength(given.sql) - (before?.bytes ?? 0);
    if (more > 0 && bytes + more > savedQueryBytesMax)
      throw quotaExceeded({ scope: 'project', metric: 'saved_query_bytes' }, savedQueryBytesMax, bytes);
    const [query] =
      id === undefined
        ? await work.rows(insertStatement.with({ ...key, id: key.id!, ...values }))
        : await work.rows(replaceStatement.with({ ...key, ...values }));
    return { query: query!, created: id === undefined };
  },
  audit: ({ query: { id, name, version }, created }) => ({
    action: created ? 'saved_query.created' : 'saved_query.replaced',
    object: { kind: 'saved_query', id },
    details: { name, version },
  }),
  wire: SavedQueryWire,
  toWire: ({ query }) => queryToWire(query),
});

const countStatement = statement(
  'queries.count',
  {
    params: pick(savedQueries, 'orgId', 'projectId'),
    row: {
      used: computed<number>('integer', sql`count(*)::int`),
      bytes: computed<number>('integer', sql`coalesce(sum(octet_length(${savedQueries.sql})), 0)::int`),
    },
  },
  ({ orgId, projectId }, row) => sql`select ${row} from ${savedQueries}
    where ${savedQueries.orgId} = ${orgId} and ${savedQueries.projectId} = ${projectId}`,
);

const written = pick(savedQueries, 'name', 'description', 'sql', 'updatedBy');

const insertStatement = statement(
  'queries.insert',
  { params: { ...pick(savedQueries, 'orgId', 'projectId', 'id'), ...written }, row: queryColumns },
  (given, row) => sql`${insertInto(savedQueries, given)} returning ${row}`,
);

const replaceStatement = statement(
  'queries.replace',
  { params: { ...keyParams, ...written }, row: queryColumns },
  ({ orgId, projectId, id, ...given }, row) => sql`update ${savedQueries}
    ${setOf(savedQueries, { ...given, version: sql`${savedQueries.version} + 1`, updatedAt: sql`now()` })}
    where ${hasKey({ orgId, projectId, id })} returning ${row}`,
);
