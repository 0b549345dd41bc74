import type { AnswerFormat } from '../request/media-type.ts';
import { bind, commas, empty, ident, integer, type Sql, sql } from '../sql/sql.ts';
import { source } from './names.ts';

/** What is counted of all rows behind a page. */
export type Total = { readonly counted: Sql; readonly atMost?: number } | undefined;

/** What an answer's rows stand for. */
export type RowsShape = 'rows' | 'row' | 'values' | 'value';

/** What a statement checks by itself. */
export type GuardKind = 'single' | 'put' | 'max-affected' | 'size';

/** A number of rows that undoes everything, told by an error of the statement itself. */
export interface Guard {
  readonly kind: Exclude<GuardKind, 'size'>;
  readonly most: number;
}

export interface DocumentParts {
  /** A change or a call that the rows are read from. */
  readonly source: Sql | undefined;
  readonly rows: Sql;
  readonly format: AnswerFormat;
  readonly shape: RowsShape;
  /** Whether a body is made at all. */
  readonly withBody: boolean;
  readonly total: Total;
  /** Columns whose values tell where a new row is found. */
  readonly location: readonly string[];
  readonly guards: readonly Guard[];
  /** Begins the text of the guards' errors; nobody outside knows it. */
  readonly guardWord: string;
}

/** Position of each column of the one row that a statement returns. */
export const answerColumns = { total: 0, rows: 1, body: 2, location: 3, updated: 4, status: 5, headers: 6 } as const;

const page = ident('svc_page');

/** Largest body that is given, in bytes: it is held in memory on its way. */
export const bodyBytesMax = 16 * 1024 * 1024;

/** The one statement of a request: a row that holds the whole answer. */
export function documentSql(parts: DocumentParts): Sql {
  const before = parts.source === undefined ? empty : sql`with ${source} as (${parts.source}) `;
  const columns = [
    totalSql(parts.total),
    sql`count(*)`,
    parts.withBody ? bodySql(parts) : sql`''`,
    locationSql(parts.location),
    setting(sql`'svc.updated'`),
    setting(sql`'response.status'`),
    setting(sql`'response.headers'`),
    ...parts.guards.map((guard) => guardSql(guard, parts.guardWord)),
  ];
  const named = columns.map((column, index) => sql`${column} as ${columnName(index)}`);
  const answer = sql`select ${commas(named)} from (${parts.rows}) as ${page}`;
  // Every column is asked for: what nobody asks for, such as a guard, need not be looked at.
  const shown = columns.map((_, index) => (index === answerColumns.body ? sizedSql(parts) : columnName(index)));
  return sql`${before}select ${commas(shown)} from (${answer}) as svc_answer`;
}

const columnName = (index: number): Sql => ident(`svc_${index}`);

/** The body, unless it is too large. */
function sizedSql({ withBody, guardWord }: DocumentParts): Sql {
  const body = columnName(answerColumns.body);
  if (!withBody) return body;
  const broken = brokenSql('size', sql`octet_length(${body})`, guardWord);
  return sql`case when octet_length(${body}) > ${integer(bodyBytesMax)} then ${broken}::text else ${body} end`;
}

/** What cannot be read as a number, so that the error tells it and the change is undone. */
const brokenSql = (kind: GuardKind, number: Sql, word: string): Sql =>
  sql`cast(concat(${bind(word)}::text, ${bind(`:${kind}:`)}::text, ${number}) as integer)`;

const setting = (name: Sql): Sql => sql`nullif(current_setting(${name}, true), '')`;

function totalSql(total: Total): Sql {
  if (total === undefined) return sql`null`;
  const limit = total.atMost === undefined ? empty : sql` limit ${bind(String(total.atMost))}`;
  return sql`(select count(*) from (${total.counted}${limit}) as svc_counted)`;
}

function bodySql({ format, shape }: DocumentParts): Sql {
  if (format.kind === 'csv') return csvSql;
  const isPlain = shape === 'value' || shape === 'values';
  const rows = isPlain ? sql`json_agg(${page}.svc_scalar)` : sql`json_agg(${page})`;
  const kept = format.stripNulls ? sql`json_strip_nulls(${rows})` : rows;
  const isOne = format.kind === 'object' || shape === 'row' || shape === 'value';
  return isOne ? sql`coalesce((${kept}->0)::text, 'null')` : sql`coalesce(${kept}::text, '[]')`;
}

/** Rows as PostgreSQL writes them are CSV in brackets, but for backslashes, which it doubles. */
const csvSql = sql`(select coalesce(string_agg(case when key ~ '[",\n\r]' then '"' || replace(key, '"', '""') || '"' else key end, ',' order by place), '') from json_object_keys((json_agg(row_to_json(svc_page)))->0) with ordinality as _(key, place)) || coalesce(E'\n' || string_agg(replace(substring(svc_page::text, 2, length(svc_page::text) - 2), '\\\\', '\\'), E'\n'), '')`;

/** The key of a single new row. */
function locationSql(columns: readonly string[]): Sql {
  if (columns.length === 0) return sql`null`;
  const pairs = commas(columns.map((name) => sql`${bind(name)}::text, min(${page}.${ident(name)}::text)`));
  return sql`case when count(*) = 1 then json_build_object(${pairs})::text end`;
}

function guardSql({ kind, most }: Guard, word: string): Sql {
  const limit = sql`${bind(String(most))}::bigint`;
  const broken = kind === 'max-affected' ? sql`count(*) > ${limit}` : sql`count(*) <> ${limit}`;
  return sql`case when ${broken} then ${brokenSql(kind, sql`count(*)`, word)} end`;
}
