import { refusals } from '../errors.ts';
import type { Payload } from '../request/payload.ts';
import type { ScannedRows } from '../request/scan-rows.ts';
import type { Column, Table } from '../schema/types.ts';
import { bind, commas, empty, fromCatalog, ident, type Sql, sql } from '../sql/sql.ts';
import { columnOf } from './names.ts';

/** Name and type of a value in a body. */
export interface BodyColumn {
  readonly name: string;
  readonly type: string;
  readonly defaultSql: string | null;
}

/** The columns that a body gives values to. @throws PGRST204 for one that is not there */
export function bodyColumns(table: Table, keys: readonly string[]): BodyColumn[] {
  return [...new Set(keys)].map((name): Column => {
    const column = table.columns.get(name);
    if (column === undefined) throw refusals.columnNotFound(table.name, name);
    return column;
  });
}

/** The rows of a body under this name. */
export const body: Sql = ident('svc_body');

export interface BodyOptions {
  readonly columns: readonly BodyColumn[];
  /** Members that are absent take the column's default instead of null. */
  readonly defaults: boolean;
  readonly firstOnly: boolean;
}

/** `… svc_body`: reads a JSON body as rows, inside PostgreSQL, so that numbers keep all their digits. */
export function bodyFrom(payload: Payload, { columns, defaults, firstOnly }: BodyOptions): Sql {
  const { bytes, isObject, scanned } = payload;
  const isPlain = !defaults && !firstOnly && columns.length > 0 && columns.every(({ type }) => plainTypes.has(type));
  if (scanned !== undefined && isPlain) return listsFrom(scanned, columns);
  // As bytes: JSON text is UTF-8 in both forms.
  const given = sql`${bind(bytes)}::json`;
  const names = commas(columns.map(({ name }) => ident(name)));
  const limit = firstOnly ? sql` limit 1` : empty;
  if (columns.length === 0)
    return isObject
      ? sql`(select from (select ${given}) as _) as ${body}`
      : sql`(select from json_array_elements(${given})${limit}) as ${body}`;
  const typed = commas(columns.map(({ name, type }) => sql`${ident(name)} ${fromCatalog(type)}`));
  if (!defaults) {
    const read = isObject ? sql`json_to_record(${given})` : sql`json_to_recordset(${given})`;
    return sql`(select ${names} from ${read} as _(${typed})${limit}) as ${body}`;
  }
  const known = commas(
    columns.flatMap(({ name, defaultSql }) =>
      defaultSql === null ? [] : [sql`${bind(name)}::text, ${fromCatalog(defaultSql)}`],
    ),
  );
  const elements = isObject
    ? sql`(select ${given}::jsonb as element) as _`
    : sql`jsonb_array_elements(${given}::jsonb) as _(element)`;
  const filled = sql`lateral jsonb_to_record(jsonb_build_object(${known}) || _.element) as __(${typed})`;
  return sql`(select ${commas(columns.map(({ name }) => columnOf(ident('__'), name)))} from ${elements}, ${filled}${limit}) as ${body}`;
}

/** Types that are read from a text as from a value of JSON, whatever that is. */
const plainTypes: ReadonlySet<string> = new Set([
  'smallint',
  'integer',
  'bigint',
  'numeric',
  'real',
  'double precision',
  'boolean',
  'text',
  'character varying',
  'uuid',
  'bytea',
  'date',
  'time without time zone',
  'timestamp without time zone',
  'timestamp with time zone',
]);

/** The same rows out of a list for each column. */
function listsFrom({ listOf, done }: ScannedRows, columns: readonly BodyColumn[]): Sql {
  const lists = commas(
    columns.map(({ name, type }) => {
      const { bytes, isTyped } = listOf(name, type);
      return sql`unnest(${bind(bytes)}::${isTyped ? fromCatalog(type) : sql`text`}[]) as ${ident(name)}`;
    }),
  );
  done();
  const values = commas(columns.map(({ name, type }) => sql`${ident(name)}::${fromCatalog(type)} as ${ident(name)}`));
  return sql`(select ${values} from (select ${lists}) as _) as ${body}`;
}
