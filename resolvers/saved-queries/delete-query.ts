import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { type SavedQuery, savedQueries } from '../../db/schema/saved-queries.ts';
import { statement } from '../../db/sql.ts';
import { projectId, wholeNumber } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import {
  findStatement,
  hasKey,
  keyOf,
  keyParams,
  onItsProject,
  queryColumns,
  queryId,
  requireVersion,
} from './saved-query.ts';
import { savedQueryActions } from './shared/actions.ts';

export const deleteQuery = mutation({
  name: 'queries.delete',
  tool: 'delete_saved_query',
  command: 'queries delete',
  effects: ['destructive', 'idempotent'],
  summary: 'Delete a saved query of a project, for everybody there.',
  path: 'DELETE /projects/v1/:project_id/queries/:query_id',
  access: onItsProject(savedQueryActions['project:queries:write']),
  lifecycle: 'gated',
  input: z.object({
    project: projectId,
    query: queryId.describe('The query, a UUID.'),
    version: wholeNumber
      .optional()
      .describe('The version that was read: a newer one is not deleted. Any version unless told.'),
  }),
  async handler(work, { query: id, version }): Promise<SavedQuery> {
    await lockProjectFor(work, savedQueryActions['project:queries:write']);
    const key = keyOf(work, id);
    const [known] = await work.rows(findStatement.with(key));
    requireVersion(known, id, version);
    const [deleted] = await work.rows(deleteStatement.with(key));
    return deleted!;
  },
  audit: ({ id, name }) => ({
    action: 'saved_query.deleted',
    object: { kind: 'saved_query', id },
    details: { name },
  }),
  wire: z.object({ query_id: z.uuid(), deleted: z.literal(true) }),
  toWire: ({ id }) => ({ query_id: id, deleted: true as const }),
});

const deleteStatement = statement(
  'queries.delete',
  { params: keyParams, row: queryColumns },
  (given, row) => sql`delete from ${savedQueries} where ${hasKey(given)} returning ${row}`,
);
