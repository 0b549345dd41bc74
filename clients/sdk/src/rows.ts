import { randomHex } from './bytes.ts';
import type { Answer, CallOptions, Connection } from './connection.ts';
import { answerOf, SvcError } from './errors.ts';
import { writeJson } from './exact-json.ts';
import { changePreference, columnName } from './row-dialect.ts';

/**
 * Conditions by columns, in PostgREST’s dialect: `{ price: 'lt.10' }`, several of a column as a list, `or` as its text in
 * brackets. Columns may be named like parameters of the dialect, such as `limit` and `order`.
 */
export type Where = Readonly<Record<string, string | readonly string[]>>;

export interface RowsQuery {
  /** What is selected, for example `title,author:authors(name)`. @default every column */
  readonly columns?: string | undefined;
  readonly where?: Where | undefined;
  /** For example `made_at.desc,id`. */
  readonly order?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

export interface EachQuery extends RowsQuery {
  /**
   * A column that is unlike in all rows, and selected: each page begins after the last value of it, in its order, so that
   * rows that come or go meanwhile make none be left out or come twice. @default pages are counted, in `order`
   */
  readonly by?: string | undefined;
}

export interface InsertOptions extends CallOptions {
  /** Columns that a row is known by; one that is there already is changed, or left as it is. */
  readonly onConflict?: string | undefined;
  /** @default 'merge' */
  readonly duplicates?: 'merge' | 'ignore' | undefined;
}

export interface ChangeOptions extends CallOptions {
  /** The most rows that may be changed: where there are more, none is. @default the bound that the project sets, if any */
  readonly maxAffected?: number | undefined;
}

export interface RestOptions {
  /** Goes past row security, with the service key. @default false */
  readonly admin?: boolean | undefined;
}

const operator =
  (name: string) =>
  (value: string | number | boolean | bigint): string =>
    `${name}.${value}`;

/** Conditions, for those who would rather not spell them. */
export const eq = operator('eq');
export const neq = operator('neq');
export const gt = operator('gt');
export const gte = operator('gte');
export const lt = operator('lt');
export const lte = operator('lte');
export const like = operator('like');
export const ilike = operator('ilike');
/** Null, true, false or unknown. */
export const is = (value: boolean | null): string => `is.${value}`;
export const not = (condition: string): string => `not.${condition}`;
/** One of these. */
export const isIn = (values: readonly (string | number | bigint)[]): string =>
  `in.(${values.map((value) => `"${String(value).replace(/["\\]/g, '\\$&')}"`).join(',')})`;

function countOf({ status, headers }: Answer): number {
  const [, total] = /\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? [];
  if (total !== undefined) return Number(total);
  throw new SvcError({ code: 'API_ERROR', message: 'The answer holds no count.' }, status, headers);
}

/** Conditions as parameters. @throws TypeError for a list without any: the rows would not be narrowed by that column */
function* conditionsOf(where: Where): Generator<[string, string]> {
  for (const [column, conditions] of Object.entries(where)) {
    const listed = [conditions].flat() as string[];
    if (listed.length === 0) throw new TypeError(`The list for ${column} is empty: nothing of it would be sent.`);
    for (const condition of listed) yield [columnName(column, String(condition)), condition];
  }
}

function queryOf({ columns, where = {}, order, limit, offset }: RowsQuery, more: Record<string, string> = {}): string {
  const query = new URLSearchParams(more);
  for (const [name, value] of Object.entries({ select: columns, order, limit, offset }))
    if (value !== undefined) query.set(name, String(value));
  for (const [name, condition] of conditionsOf(where)) query.append(name, condition);
  return `${query}` === '' ? '' : `?${query}`;
}

/** Which rows are changed. @throws TypeError where no condition says so: every row would be */
function said(where: Where | undefined): string {
  if (where === undefined || Object.keys(where).length === 0)
    throw new TypeError(
      "No condition says which rows. For every row, give one that all meet, such as id: 'not.is.null'.",
    );
  return queryOf({ where });
}

/** Bounds a change. @throws TypeError for what is no number of rows: the server would leave it out */
function bounded(maxAffected: number | undefined): string {
  if (maxAffected !== undefined && (!Number.isSafeInteger(maxAffected) || maxAffected < 0))
    throw new TypeError('maxAffected takes a whole number of rows.');
  return changePreference(maxAffected);
}

/** Where the next page begins. @throws TypeError for what says no place: rows would be left out, or come for ever */
function placeOf(row: object, column: string): string | number {
  const value = (row as Readonly<Record<string, unknown>>)[column];
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new TypeError(`${column} has to be selected, and a text or a number in every row.`);
}

const isHead = { method: 'HEAD', isChange: false } as const;
const pageRows = 1_000;

const base = ({ admin = false }: RestOptions): string => (admin ? '/admin/v1/rest' : '/rest/v1');

const rowsOf = async <Row>(answer: Promise<Answer>): Promise<readonly Row[]> =>
  (answerOf(await answer) ?? []) as readonly Row[];

/**
 * Rows of a table or a view. Names of columns stay as they are. A number that JavaScript would round, such as a `bigint` beyond
 * 2^53 or a long `numeric`, is answered as a text of its digits: its type in `Row` is `number | string`. Both, and a `bigint`,
 * may be written.
 */
export interface Rows<Row> {
  readonly select: (query?: RowsQuery, call?: CallOptions) => Promise<readonly Row[]>;
  /** All rows, or as many as `limit` says, fetched a thousand at a time; give an `order` that tells them apart, or `by`. */
  readonly each: (query?: EachQuery, call?: CallOptions) => AsyncGenerator<Row, void, undefined>;
  /** How many rows there are. */
  readonly count: (where?: Where, call?: CallOptions) => Promise<number>;
  /** Answers the rows as they were written. */
  readonly insert: (rows: Partial<Row> | readonly Partial<Row>[], options?: InsertOptions) => Promise<readonly Row[]>;
  /** Answers the rows that were changed. @throws TypeError for an empty `where` */
  readonly update: (values: Partial<Row>, where: Where, options?: ChangeOptions) => Promise<readonly Row[]>;
  /** Answers the rows that are gone. @throws TypeError for an empty `where` */
  readonly delete: (where: Where, options?: ChangeOptions) => Promise<readonly Row[]>;
}

/** A key for each change, so that it is made once however often it is sent. */
const keyOf = ({ idempotencyKey = randomHex() }: CallOptions) => idempotencyKey;

/** Rows of a table or a view of the project whose key the connection has. Names of columns stay as they are. */
export function rest<Row = Record<string, unknown>>(
  connection: Connection,
  table: string,
  options: RestOptions = {},
): Rows<Row> {
  const path = `${base(options)}/${encodeURIComponent(table)}`;
  const change = (method: string, query: string, body: unknown, prefer: string, { headers, ...call }: CallOptions) =>
    rowsOf<Row>(
      connection.send({
        ...call,
        idempotencyKey: keyOf(call),
        headers: { prefer, ...headers },
        method,
        path,
        query,
        body: body === undefined ? undefined : writeJson(body),
        isChange: true,
      }),
    );
  const select: Rows<Row>['select'] = (query = {}, call = {}) =>
    rowsOf<Row>(connection.send({ ...call, method: 'GET', path, query: queryOf(query), isChange: false }));

  return {
    select,
    async *each({ by, ...query }: EachQuery = {}, call?: CallOptions): AsyncGenerator<Row, void, undefined> {
      let { limit: left = Number.POSITIVE_INFINITY, offset = 0, where = {} } = query;
      const own = by === undefined ? [] : [where[by] ?? []].flat();
      while (left > 0) {
        const limit = Math.min(pageRows, left);
        const rows = await select({ ...query, where, offset, limit, ...(by === undefined ? {} : { order: by }) }, call);
        yield* rows;
        if (rows.length < limit) return;
        left -= limit;
        if (by === undefined) offset += limit;
        else {
          offset = 0;
          where = { ...where, [by]: [...own, gt(placeOf(rows.at(-1)!, by))] };
        }
      }
    },
    async count(where: Where = {}, call: CallOptions = {}): Promise<number> {
      const headers = { prefer: 'count=exact', ...call.headers };
      return countOf(await connection.send({ ...call, ...isHead, path, query: queryOf({ where }), headers }));
    },
    insert(rows: Partial<Row> | readonly Partial<Row>[], { onConflict, duplicates, ...call }: InsertOptions = {}) {
      const upserts = onConflict !== undefined || duplicates !== undefined;
      const resolution = upserts ? `,resolution=${duplicates ?? 'merge'}-duplicates` : '';
      const query = queryOf({}, onConflict === undefined ? {} : { on_conflict: onConflict });
      return change('POST', query, rows, `return=representation${resolution}`, call);
    },
    update: async (values: Partial<Row>, where: Where, { maxAffected, ...call }: ChangeOptions = {}) =>
      change('PATCH', said(where), values, bounded(maxAffected), call),
    delete: async (where: Where, { maxAffected, ...call }: ChangeOptions = {}) =>
      change('DELETE', said(where), undefined, bounded(maxAffected), call),
  };
}

export interface RpcOptions extends RestOptions, CallOptions {
  /** For a function that only reads. @default false */
  readonly get?: boolean | undefined;
}

/** Calls a function of the project’s; with `get` one that only reads. */
export async function rpc<Result = unknown>(
  connection: Connection,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  { admin, get = false, ...call }: RpcOptions = {},
): Promise<Result> {
  const path = `${base({ admin })}/rpc/${encodeURIComponent(name)}`;
  const answer = await connection.send({
    ...call,
    path,
    ...(get
      ? { method: 'GET', query: queryOf({ where: args as Where }), isChange: false, idempotencyKey: false }
      : {
          idempotencyKey: keyOf(call),
          method: 'POST',
          body: writeJson(args),
          isChange: true,
        }),
  });
  return answerOf(answer) as Result;
}
