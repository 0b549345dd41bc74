import type { AnswerFormat } from '../request/media-type.ts';
import { bind, commas, empty, ident, integer, join, type Sql, sql } from '../sql/sql.ts';
import { bodyBytesMax, headersMax, isBounded } from './bounds.ts';
import { source } from './names.ts';

/** What is counted of all rows behind a page. */
export type Total = { readonly counted: Sql; readonly atMost?: number } | undefined;

/** What an answer's rows stand for. */
export type RowsShape = 'rows' | 'row' | 'values' | 'value';

/** What a statement checks by itself. */
export type GuardKind = Guard['kind'] | 'size' | 'status' | 'headers';

/** A number of rows that undoes everything, told by an error of the statement itself. */
export interface Guard {
  readonly kind: 'single' | 'put' | 'max-affected' | 'project-max' | 'answered';
  readonly most: number;
}

export interface DocumentParts {
  /** A change or a call that the rows are read from, or several changes whose rows are read together. */
  readonly source: Sql | readonly Sql[] | undefined;
  readonly rows: Sql;
  readonly format: AnswerFormat;
  readonly shape: RowsShape;
  /** Whether a body is made at all. */
  readonly withBody: boolean;
  readonly total: Total;
  /** Columns whose values tell where a new row is found. */
  readonly location: readonly string[];
  readonly guards: readonly Guard[];
  /** Begins the text of the guards' errors; no client knows it. */
  readonly guardWord: string;
  /** Whether the project's SQL may say of the answer what `response.status` and `response.headers` say. */
  readonly tenantResponse?: boolean;
  /** Whether the statements of its transaction share what one body may have. */
  readonly together?: boolean;
}

/** Position of each column of the one row that a statement returns. */
export const answerColumns = { total: 0, rows: 1, body: 2, location: 3, updated: 4, status: 5, headers: 6 } as const;

const page = ident('svc_page');
/** One row, before it is text. */
const row = ident('svc_row');
const text = ident('svc_text');

/** The one statement of a request: a row that holds the whole answer. */
export function documentSql(parts: DocumentParts): Sql {
  const before = parts.source === undefined ? empty : sql`with ${sourceSql([parts.source].flat())} `;
  const columns = [
    totalSql(parts.total),
    sql`count(*)`,
    parts.withBody ? bodySql(parts) : sql`''`,
    locationSql(parts.location),
    setting(sql`'svc.updated'`),
    parts.tenantResponse === true ? setting(sql`'response.status'`) : sql`null::text`,
    parts.tenantResponse === true ? setting(sql`'response.headers'`) : sql`null::text`,
    ...parts.guards.map((guard) => guardSql(guard, parts.guardWord)),
  ];
  const named = columns.map((column, index) => sql`${column} as ${columnName(index)}`);
  const answer = sql`select ${commas(named)} from (${parts.withBody ? textsSql(parts) : parts.rows}) as ${page}`;
  // Every column is asked for: PostgreSQL need not compute an unselected one, such as a guard.
  const shown = columns.map((_, index) => shownSql(parts, index));
  return sql`${before}select ${commas(shown)} from (${answer}) as svc_answer`;
}

/** Changes stand at the top of a statement, so that each of several has a name of its own. */
function sourceSql(sources: readonly Sql[]): Sql {
  const [only, ...more] = sources;
  if (only !== undefined && more.length === 0) return sql`${source} as (${only})`;
  const named = sources.map((one, index) => sql`${partName(index)} as (${one})`);
  const read = sources.map((_one, index) => sql`select * from ${partName(index)}`);
  return sql`${commas(named)}, ${source} as (${join(read, sql` union all `)})`;
}

const partName = (index: number): Sql => ident(`svc_part_${index}`);
const columnName = (index: number): Sql => ident(`svc_${index}`);

function shownSql(parts: DocumentParts, index: number): Sql {
  if (index === answerColumns.body) return sizedSql(parts);
  if (parts.tenantResponse === true && index === answerColumns.status) return statusSql(parts);
  if (parts.tenantResponse === true && index === answerColumns.headers) return headersSql(parts);
  return columnName(index);
}

/** A status that is one: what is wrong with it is told before anything is kept. */
function statusSql({ guardWord }: DocumentParts): Sql {
  const status = columnName(answerColumns.status);
  const broken = brokenSql('status', sql`length(${status})`, guardWord);
  return sql`case when ${status} !~ '^[2-5][0-9][0-9]$' then ${broken}::text else ${status} end`;
}

/** Headers that are a list of objects with one text each, and no longer than a client would read. */
function headersSql({ guardWord }: DocumentParts): Sql {
  const headers = columnName(answerColumns.headers);
  const broken = brokenSql('headers', sql`length(${headers})`, guardWord);
  const good = sql`length(${headers}) <= ${integer(headersMax)} and ${headers} ~ ${bind(headerList)}::text`;
  return sql`case when ${headers} is null then null when ${good} then ${headers} else ${broken}::text end`;
}

const space = '[ \\t\\n\\r]*';
const string = String.raw`"(?:[^"\\\u0001-\u001f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"`;
const header = `\\{${space}${string}${space}:${space}${string}${space}\\}`;
/** A JSON list of objects with a text each. It holds nothing in itself, so an expression says all there is to it. */
const headerList = `^${space}\\[${space}(?:${header}${space}(?:,${space}${header}${space})*)?\\]${space}$`;

/** The body, unless it is too large. */
function sizedSql({ withBody, guardWord, together = false }: DocumentParts): Sql {
  const body = columnName(answerColumns.body);
  if (!withBody) return body;
  const broken = brokenSql('size', sql`octet_length(${body})`, guardWord);
  const size = together ? sumSql(sql`octet_length(${body})`, guardWord) : sql`octet_length(${body})`;
  return sql`case when ${size} > ${integer(bodyBytesMax)} then ${broken}::text else ${body} end`;
}

/**
 * The bytes of this body and of those before it. Their sum is a setting of the transaction, under a name that tenant SQL
 * has no way to learn: it is a parameter, and undeclared settings are in no list.
 */
function sumSql(size: Sql, word: string): Sql {
  const name = sql`${bind(`svc.${word.replaceAll('-', '_')}`)}::text`;
  const before = sql`coalesce(nullif(current_setting(${name}, true), '')::bigint, 0)`;
  return sql`set_config(${name}, (${before} + coalesce(${size}, 0))::text, true)::bigint`;
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

/**
 * Each row as the text that it has in the body. Rows become text one by one and are stopped by their size as they come:
 * an aggregate of the rows themselves would hold all of them first, however large.
 */
function textsSql({ rows, format, shape }: DocumentParts): Sql {
  if (format.kind === 'csv')
    return sql`select ${csvLine} as ${text}, case when row_number() over () = 1 then row_to_json(${row}) end as ${first} from (${rows}) as ${row}`;
  const isPlain = shape === 'value' || shape === 'values';
  const value = isPlain ? sql`to_json(${row}.pgrst_scalar)` : sql`row_to_json(${row})`;
  const kept = sql`${format.stripNulls ? sql`json_strip_nulls(${value})` : value}::text`;
  // Made once, though it is read twice: PostgreSQL joins no list to what has an offset.
  return sql`select ${isPlain ? sql`coalesce(${kept}, 'null')` : kept} as ${text} from (${rows}) as ${row} offset 0`;
}

function bodySql({ format, shape }: DocumentParts): Sql {
  const bounded = isBounded(sql`octet_length(${text})`);
  if (format.kind === 'csv')
    return sql`case when ${bounded} then ${csvHeader} || E'\n' || string_agg(${text}, E'\n') else '' end`;
  const isOne = format.kind === 'object' || shape === 'row' || shape === 'value';
  if (isOne) return sql`case when ${bounded} then string_agg(${text}, ', ') else 'null' end`;
  return sql`case when ${bounded} then '[' || string_agg(${text}, E', \n ') || ']' else '[]' end`;
}

/** The first row, which tells the names of the columns. */
const first = ident('svc_first');

const csvHeader = sql`(select coalesce(string_agg(case when key ~ '[",\n\r]' then '"' || replace(key, '"', '""') || '"' else key end, ',' order by place), '') from json_object_keys((array_agg(${first}) filter (where ${first} is not null))[1]) with ordinality as _(key, place))`;

/** Rows as PostgreSQL writes them are CSV in brackets, but for backslashes, which it doubles. */
const csvLine = sql`replace(right(left(${row}::text, -1), -1), '\\\\', '\\')`;

/** The key of a single new row. */
function locationSql(columns: readonly string[]): Sql {
  if (columns.length === 0) return sql`null`;
  const pairs = commas(columns.map((name) => sql`${bind(name)}::text, min(${page}.${ident(name)}::text)`));
  return sql`case when count(*) = 1 then json_build_object(${pairs})::text end`;
}

function guardSql({ kind, most }: Guard, word: string): Sql {
  const limit = sql`${bind(String(most))}::bigint`;
  const isExact = kind === 'single' || kind === 'put';
  const broken = isExact ? sql`count(*) <> ${limit}` : sql`count(*) > ${limit}`;
  return sql`case when ${broken} then ${brokenSql(kind, sql`count(*)`, word)} end`;
}
