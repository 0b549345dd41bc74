import { guardRefusal, guardWord } from '../answer/guards.ts';
import { answerHeaders } from '../answer/headers.ts';
import type { AnswerRow, RowAnswer, RowPlan } from '../answer/row-plan.ts';
import { withTenantResponse } from '../answer/tenant-response.ts';
import { bodyColumns } from '../compile/body.ts';
import { headersMax } from '../compile/bounds.ts';
import { answerColumns, documentSql, type Guard } from '../compile/document.ts';
import { type Mutation, mutationSql, neededColumns, silentInsertSql } from '../compile/mutation.ts';
import { source } from '../compile/names.ts';
import { readSql } from '../compile/read.ts';
import { refusals } from '../errors.ts';
import { type AnswerFormat, bodyKindOf, negotiate } from '../request/media-type.ts';
import { readRows } from '../request/payload.ts';
import type { Preferences } from '../request/preferences.ts';
import type { RowQuery } from '../request/query.ts';
import { contentRange } from '../request/range.ts';
import type { RowMethod, RowRequest, RowRole } from '../request/row-request.ts';
import type { SchemaCache, Table } from '../schema/types.ts';
import { render, sql } from '../sql/sql.ts';
import { callsCode } from './calls-code.ts';
import type { ReadNode, Where } from './read-node.ts';
import { readTree, whereOf } from './read-tree.ts';
import { refuseIdleParts } from './refuse-idle-parts.ts';

/** Inserts, updates, replaces or deletes rows of a table. */
export function planChange(
  request: RowRequest,
  cache: SchemaCache,
  table: Table,
  query: RowQuery,
  preferences: Preferences,
  role: RowRole,
): RowPlan {
  const root = readTree(cache, table.name, query, false);
  const where = rootConditions(root, query);
  if (request.method === 'PATCH' || request.method === 'DELETE') {
    refuseUnfiltered(request.method, where, role);
    refuseIdleParts(request, query, root, preferences);
  }
  const mutation = mutationOf(request, table, query, preferences, where);
  const format = negotiate(request.header('accept'));
  const full = preferences.return === 'representation';
  const location = request.method === 'POST' && preferences.return === 'headers-only' ? table.primaryKey : [];
  const returning = full ? neededColumns(root, table) : location;
  const guards = guardsOf(request, format, preferences);
  const runsProjectCode = cache.hasTriggers || callsCode(cache, root);
  // What is counted has to be kept, and what the project's code says of the answer is only there after it has run.
  const isSilent =
    mutation.kind === 'insert' &&
    mutation.payload.scanned !== undefined &&
    mutation.onConflict === undefined &&
    preferences.count === undefined &&
    !full &&
    location.length === 0 &&
    guards.length === 0 &&
    !runsProjectCode;
  const statement = documentSql({
    source: isSilent ? silentInsertSql(table, mutation) : mutationSql(table, mutation, returning),
    rows: isSilent
      ? sql`select where false`
      : full
        ? readSql(root, { from: 'source', limited: false })
        : sql`select * from ${source}`,
    format,
    shape: 'rows',
    withBody: full,
    total: undefined,
    location,
    guards,
    guardWord,
    tenantResponse: true,
  });
  return {
    statement: render(statement),
    estimate: undefined,
    readOnly: false,
    runsProjectCode,
    timezone: preferences.timezone,
    refusalOf: guardRefusal,
    toAnswer: (row) => withTenantResponse(answerOf(request.method, table, query, preferences, format, row), row),
  };
}

/** Conditions on the table itself: they choose what is changed. */
function rootConditions(root: ReadNode, query: RowQuery): Where[] {
  return [
    ...query.filters
      .filter(({ path }) => path.length === 0)
      .map(({ field, condition }) => whereOf(root, { kind: 'filter', field, condition })),
    ...query.logic.filter(({ path }) => path.length === 0).map(({ logic }) => whereOf(root, logic)),
  ];
}

function mutationOf(
  request: RowRequest,
  table: Table,
  query: RowQuery,
  preferences: Preferences,
  where: readonly Where[],
): Mutation {
  const { method } = request;
  if (method === 'DELETE') return { kind: 'delete', where };
  if (method === 'PUT' && query.windows.size > 0) throw refusals.putLimit();
  const kind = bodyKindOf(request.header('content-type'));
  const payload = readRows(request.body, kind, method === 'PUT' ? undefined : query.columns);
  if (method === 'PUT') refuseOtherThanKey(table, query);
  const columns = bodyColumns(table, payload.keys);
  const defaults = method !== 'PUT' && preferences.missing === 'default';
  if (method === 'PATCH') return { kind: 'update', payload, columns, defaults, where };
  if (method === 'PUT') {
    const onConflict = { columns: table.primaryKey, resolution: 'merge-duplicates' } as const;
    return { kind: 'insert', payload, columns, defaults, onConflict, where };
  }
  const { resolution } = preferences;
  const onConflict = resolution && { columns: query.onConflict ?? table.primaryKey, resolution };
  return { kind: 'insert', payload, columns, defaults, onConflict, where: [] };
}

/** Only the project's own service changes every row at once. Contract 01, section 2.2. */
function refuseUnfiltered(method: 'PATCH' | 'DELETE', where: readonly Where[], role: RowRole): void {
  if (where.length > 0 || role === 'service_role') return;
  throw refusals.noFilter(method === 'PATCH' ? 'UPDATE' : 'DELETE');
}

/** @throws PGRST105 unless the filters say what the whole key is, and no more */
function refuseOtherThanKey({ primaryKey }: Table, { filters, logic }: RowQuery): void {
  const names = new Set(filters.map(({ path, field }) => [...path, field.name].join('.')));
  const isKey = names.size === primaryKey.length && primaryKey.every((column) => names.has(column));
  const areEqual = filters.every(
    ({ field, condition: { negated, operation } }) =>
      field.path.length === 0 &&
      !negated &&
      operation.kind === 'compare' &&
      operation.operator === 'eq' &&
      operation.quantifier === undefined,
  );
  if (primaryKey.length === 0 || !isKey || !areEqual || logic.length > 0) throw refusals.putFilters();
}

function guardsOf(
  { method, maxAffected: most }: RowRequest,
  format: AnswerFormat,
  { handling, maxAffected }: Preferences,
): Guard[] {
  if (method === 'PUT') return [{ kind: 'put', most: 1 }];
  const guards: Guard[] = format.kind === 'object' ? [{ kind: 'single', most: 1 }] : [];
  if (method !== 'PATCH' && method !== 'DELETE') return guards;
  if (handling === 'strict' && maxAffected !== undefined) guards.unshift({ kind: 'max-affected', most: maxAffected });
  else if (most !== undefined) guards.unshift({ kind: 'project-max', most });
  return guards;
}

function answerOf(
  method: RowMethod,
  table: Table,
  query: RowQuery,
  preferences: Preferences,
  format: AnswerFormat,
  row: AnswerRow,
): RowAnswer {
  const full = preferences.return === 'representation';
  const rows = Number(row[answerColumns.rows]);
  const headers = answerHeaders(full ? format : undefined, appliedTo(method, table, query, preferences), {
    ...(method === 'PUT' ? {} : { 'content-range': rangeOf(method, rows, preferences) }),
    ...locationOf(table, row),
  });
  return { status: statusOf(method, full, preferences, rows, row), headers, body: row[answerColumns.body] ?? '' };
}

function statusOf(method: RowMethod, full: boolean, preferences: Preferences, rows: number, row: AnswerRow): number {
  const updated = Number(row[answerColumns.updated] ?? 0);
  if (method === 'POST')
    return preferences.resolution === 'merge-duplicates' && rows > 0 && updated >= rows ? 200 : 201;
  if (!full) return 204;
  return method === 'PUT' && updated === 0 ? 201 : 200;
}

function rangeOf(method: RowMethod, rows: number, { count }: Preferences): string {
  const total = count === 'exact' || count === 'estimated' ? rows : undefined;
  return contentRange(0, method === 'PATCH' ? rows : 0, total);
}

/** The address of a new row, below the door that it came through; none that is longer than a client would read. */
function locationOf(table: Table, row: AnswerRow): Record<string, string> {
  const key = row[answerColumns.location];
  if (key === null || key === undefined) return {};
  const pairs = Object.entries(JSON.parse(key) as Record<string, string | null>);
  const search = pairs.map(
    ([name, value]) => `${encodeURIComponent(name)}=${value === null ? 'is.null' : `eq.${encodeURIComponent(value)}`}`,
  );
  const location = `/${encodeURIComponent(table.name)}?${search.join('&')}`;
  return location.length > headersMax ? {} : { location };
}

function appliedTo(method: RowMethod, table: Table, query: RowQuery, preferences: Preferences): Preferences {
  const { resolution, missing, maxAffected, ...others } = preferences;
  const resolvable = method === 'POST' && (table.primaryKey.length > 0 || query.onConflict !== undefined);
  return {
    ...others,
    ...(resolvable && resolution ? { resolution } : {}),
    ...(method !== 'PUT' && method !== 'DELETE' && missing ? { missing } : {}),
    ...((method === 'PATCH' || method === 'DELETE') && maxAffected !== undefined ? { maxAffected } : {}),
  };
}
