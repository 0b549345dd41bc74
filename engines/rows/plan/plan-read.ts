import { guardRefusal, guardWord } from '../answer/guards.ts';
import { answerHeaders } from '../answer/headers.ts';
import type { RowPlan } from '../answer/row-plan.ts';
import { countedSql } from '../compile/count.ts';
import { answerColumns, documentSql, type Guard, type Total } from '../compile/document.ts';
import { type RootFrom, readSql } from '../compile/read.ts';
import { refusals } from '../errors.ts';
import { negotiate } from '../request/media-type.ts';
import type { Preferences } from '../request/preferences.ts';
import type { RowQuery } from '../request/query.ts';
import { contentRange, intersect, readRange, rowsMax } from '../request/range.ts';
import type { RowRequest } from '../request/row-request.ts';
import type { SchemaCache, Table } from '../schema/types.ts';
import { type Rendered, render, type Sql, sql } from '../sql/sql.ts';
import { callsCode } from './calls-code.ts';
import type { ReadNode } from './read-node.ts';
import { readTree } from './read-tree.ts';

/** Reads a table. */
export function planRead(
  request: RowRequest,
  cache: SchemaCache,
  table: Table,
  query: RowQuery,
  preferences: Preferences,
): RowPlan {
  const root = readTree(cache, table.name, query, true);
  narrow(root, request);
  const format = negotiate(request.header('accept'));
  const counting = countingOf(root, 'table', preferences);
  const guards: Guard[] = format.kind === 'object' ? [{ kind: 'single', most: 1 }] : [];
  const statement = documentSql({
    source: undefined,
    rows: readSql(root, { from: 'table', limited: true }),
    format,
    shape: 'rows',
    withBody: request.method === 'GET',
    total: counting.total,
    location: [],
    guards,
    guardWord,
  });
  const { count, handling, timezone } = preferences;
  const applied = { ...(count && { count }), ...(handling && { handling }), ...(timezone && { timezone }) };
  return {
    statement: render(statement),
    estimate: counting.estimate,
    readOnly: true,
    runsProjectCode: callsCode(cache, root),
    timezone,
    refusalOf: guardRefusal,
    toAnswer(row, estimated) {
      const page = pageOf(root, Number(row[answerColumns.rows]), counting.totalOf(row[answerColumns.total], estimated));
      return {
        status: page.status,
        headers: answerHeaders(format, applied, { 'content-range': page.range }),
        body: row[answerColumns.body] ?? '',
      };
    },
  };
}

/** Sets the root's window to what both the address and the `Range` header allow. */
export function narrow(root: ReadNode, { method, header }: RowRequest): void {
  const asked = root.window ?? { limit: undefined, offset: 0 };
  root.window = intersect(asked, method === 'GET' ? readRange(header('range')) : undefined);
}

export interface Counting {
  readonly total: Total;
  readonly estimate: Rendered | undefined;
  readonly totalOf: (counted: string | null | undefined, estimated: number | undefined) => number | undefined;
}

/** How all rows behind a page are counted: one by one, by the planner, or one by one as long as they are few. */
export function countingOf(root: ReadNode, from: RootFrom, { count }: Preferences): Counting {
  if (count === undefined) return { total: undefined, estimate: undefined, totalOf: () => undefined };
  const counted = countedSql(root, from);
  if (count === 'exact') return { total: { counted }, estimate: undefined, totalOf: (rows) => Number(rows) };
  const estimate = explained(counted);
  if (count === 'planned') return { total: undefined, estimate, totalOf: (_rows, estimated) => estimated };
  return {
    total: { counted, atMost: rowsMax + 1 },
    estimate,
    totalOf: (rows, estimated) => (Number(rows) > rowsMax ? Math.max(Number(rows), estimated ?? 0) : Number(rows)),
  };
}

const explained = (counted: Sql): Rendered => render(sql`explain (format json) ${counted}`);

/** @throws PGRST103 for a page behind the last row */
export function pageOf(root: ReadNode, rows: number, total: number | undefined): { status: number; range: string } {
  const { offset } = root.window!;
  if (total !== undefined && offset > total)
    throw refusals.range(`An offset of ${offset} was requested, but there are only ${total} rows.`, {
      'content-range': contentRange(offset, 0, total),
    });
  return { status: total !== undefined && rows < total ? 206 : 200, range: contentRange(offset, rows, total) };
}
