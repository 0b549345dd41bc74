import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { type SavedQuery, savedQueries } from '../../db/schema/saved-queries.ts';
import { allOf, computed, pick, statement, typed } from '../../db/sql.ts';
import { onProject, type ProjectScope } from '../../kernel/access/access.ts';
import type { Action } from '../../kernel/access/permissions.ts';

/** The rule of an operation here: each one names its project. */
export const onItsProject = (action: Action) => onProject(action, ({ project }: { project: string }) => project);

/** Any text is an id that no query has. */
export const queryId = z.string().min(1).max(64);

/** Where the statements of a query find it: an id that cannot be one finds nothing. */
export const keyOf = ({ org, project }: ProjectScope, id: string) => ({
  orgId: org.id,
  projectId: project.id,
  id: isUuid(id) ? id : null,
});

export const keyParams = { ...pick(savedQueries, 'orgId', 'projectId'), id: typed<string | null>('uuid') };

export const hasKey = ({ orgId, projectId, id }: { readonly orgId: SQL; readonly projectId: SQL; readonly id: SQL }) =>
  sql`${savedQueries.orgId} = ${orgId} and ${savedQueries.projectId} = ${projectId} and ${savedQueries.id} = ${id}`;

export const queryColumns = allOf(savedQueries);

export const SavedQueryWire = z
  .object({
    query_id: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    sql: z.string(),
    version: z.int(),
    updated_by: z.string().nullable(),
    updated_at: z.iso.datetime(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'SavedQuery' });

export const queryToWire = (query: SavedQuery): z.infer<typeof SavedQueryWire> => ({
  query_id: query.id,
  name: query.name,
  description: query.description,
  sql: query.sql,
  version: query.version,
  updated_by: query.updatedBy,
  updated_at: query.updatedAt.toISOString(),
  created_at: query.createdAt.toISOString(),
});

export const noSuchQuery = (id: string) =>
  new ServiceError('RESOURCE_NOT_FOUND', {
    message: 'There is no such saved query.',
    details: { query_id: id },
  });

/** What is known of a query before it is changed. */
export const findStatement = statement(
  'queries.find',
  {
    params: keyParams,
    row: {
      version: savedQueries.version,
      bytes: computed<number>('integer', sql`octet_length(${savedQueries.sql})`),
    },
  },
  (key, row) => sql`select ${row} from ${savedQueries} where ${hasKey(key)}`,
);

/** @throws RESOURCE_NOT_FOUND where there is no such query, QUERY_CONFLICT where it has another version than the one that was read */
export function requireVersion<Known extends { readonly version: number }>(
  known: Known | undefined,
  id: string,
  version: number | undefined,
): Known {
  if (known === undefined) throw noSuchQuery(id);
  // The query was changed since the caller read it.
  if (version !== undefined && known.version !== version)
    throw new ServiceError('QUERY_CONFLICT', { details: { query_id: id, version: known.version } });
  return known;
}
