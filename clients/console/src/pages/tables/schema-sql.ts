import type { Column } from './columns.ts';
import { sqlName, sqlText } from './names.ts';

/** A column as a dialog describes it. The type and the default are SQL, as they are typed. */
export interface ColumnDraft {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  /** Empty: none. */
  readonly defaultValue: string;
}

/** Types that the dialogs offer; any other can be typed. */
export const offeredTypes = [
  'text',
  'bigint',
  'integer',
  'numeric',
  'boolean',
  'uuid',
  'timestamptz',
  'date',
  'jsonb',
  'text[]',
  'double precision',
  'bytea',
] as const;

const columnSql = ({ name, type, nullable, defaultValue }: ColumnDraft): string =>
  [sqlName(name), type, nullable ? '' : 'not null', defaultValue.trim() === '' ? '' : `default ${defaultValue.trim()}`]
    .filter((part) => part !== '')
    .join(' ');

/** SQL that makes a table with a key of its own, and row security unless it is turned off. */
export function newTableSql(name: string, columns: readonly ColumnDraft[], rowSecurity: boolean): string {
  const lines = ['"id" bigint generated always as identity primary key', ...columns.map(columnSql)];
  const create = `create table ${sqlName(name)} (\n  ${lines.join(',\n  ')}\n);`;
  return rowSecurity ? `${create}\nalter table ${sqlName(name)} enable row level security;` : create;
}

export const newColumnSql = (table: string, column: ColumnDraft): string =>
  `alter table ${sqlName(table)} add column ${columnSql(column)};`;

/** SQL for what differs between a column and its draft; the empty text when nothing does. */
export function changeColumnSql(table: string, column: Column, draft: ColumnDraft): string {
  const alter = `alter table ${sqlName(table)}`;
  const one = `${alter} alter column ${sqlName(column.name)}`;
  const statements: string[] = [];
  if (draft.type !== column.type)
    statements.push(`${one} type ${draft.type} using ${sqlName(column.name)}::${draft.type};`);
  const wanted = draft.defaultValue.trim();
  if (wanted !== (column.defaultValue ?? ''))
    statements.push(wanted === '' ? `${one} drop default;` : `${one} set default ${wanted};`);
  if (draft.nullable !== column.nullable) statements.push(`${one} ${draft.nullable ? 'drop' : 'set'} not null;`);
  // Last, since the statements before name the column as it was.
  if (draft.name !== column.name)
    statements.push(`${alter} rename column ${sqlName(column.name)} to ${sqlName(draft.name)};`);
  return statements.join('\n');
}

export const dropColumnSql = (table: string, column: string): string =>
  `alter table ${sqlName(table)} drop column ${sqlName(column)};`;

export const renameTableSql = (table: string, name: string): string =>
  `alter table ${sqlName(table)} rename to ${sqlName(name)};`;

export const dropTableSql = (table: string): string => `drop table ${sqlName(table)};`;

/**
 * SQL that inserts rows, whose values are text that PostgreSQL parses. They carry no type: a cast would cut a text that is
 * too long for its column.
 */
export function insertSql(
  table: string,
  columns: readonly string[],
  rows: readonly (readonly (string | null)[])[],
): string {
  const lists = rows.map((row) => `(${row.map((value) => (value === null ? 'null' : sqlText(value))).join(', ')})`);
  return `insert into ${sqlName(table)} (${columns.map(sqlName).join(', ')}) values\n${lists.join(',\n')};`;
}
