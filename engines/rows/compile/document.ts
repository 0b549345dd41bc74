import type { AnswerFormat } from '../request/media-type.ts';
import { bind, commas, empty, ident, type Sql, sql } from '../sql/sql.ts';
import { source } from './names.ts';

/** What is counted of all rows behind a page. */
export type Total = { readonly counted: Sql; readonly atMost?: number } | undefined;

/** What an answer's rows stand for. */
export type RowsShape = 'rows' | 'row' | 'values' | 'value';

/** A number of rows that undoes everything, told by an error of the statement itself. */
export interface Guard {
  readonly kind: 'single' | 'put' | 'max-affected';
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
  return sql`${before}select ${commas(columns)} from (${parts.rows}) as ${page}`;
}

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

/** What cannot be read as a number, so that the error tells it and the change is undone. */
function guardSql({ kind, most }: Guard, word: string): Sql {
  const limit = sql`${bind(String(most))}::bigint`;
  const broken = kind === 'max-affected' ? sql`count(*) > ${limit}` : sql`count(*) <> ${limit}`;
  return sql`case when ${broken} then cast(concat(${bind(word)}::text, ${bind(`:${kind}:`)}::text, count(*)) as integer) end`;
}
