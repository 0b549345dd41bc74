import type { TableShapeFragment } from './rows.graphql.ts';

export type Column = TableShapeFragment['columns'][number];

/** How the form edits a column's values. */
export type Kind = 'boolean' | 'choice' | 'date' | 'json' | 'number' | 'text' | 'other';

/** The type without its parameters and its schema: `numeric(10,2)` becomes `numeric`. */
const plainType = (type: string) => type.replace(/\(.*?\)/, '').replace(/^public\./, '');

const kinds: Readonly<Record<string, Kind>> = {
  boolean: 'boolean',
  date: 'date',
  json: 'json',
  jsonb: 'json',
  bigint: 'number',
  integer: 'number',
  smallint: 'number',
  numeric: 'number',
  real: 'number',
  'double precision': 'number',
  text: 'text',
  character: 'text',
  'character varying': 'text',
  citext: 'text',
};

export const kindOf = ({ type, enumValues }: Column): Kind =>
  enumValues !== null ? 'choice' : (kinds[plainType(type)] ?? 'other');

/** Whether only the database can write the column. */
export const isComputed = ({ identity, generated }: Column): boolean => generated || identity === 'always';

export const hasDefault = ({ defaultValue, identity }: Column): boolean => defaultValue !== null || identity !== null;

/** Names of the primary key's columns in order; empty for a table without one. */
export function primaryKey({ constraints }: TableShapeFragment): readonly string[] {
  const definition = constraints.find(({ type }) => type === 'PRIMARY KEY')?.definition ?? '';
  const listed = /\((.*)\)/s.exec(definition)?.[1] ?? '';
  return [...listed.matchAll(/"((?:[^"]|"")*)"|[^",\s]+/g)].map(
    ([whole, quoted]) => quoted?.replaceAll('""', '"') ?? whole,
  );
}

/** The source of a column's value. */
export interface Cell {
  readonly from: 'value' | 'null' | 'default';
  readonly text: string;
}

/** The initial value of a column in a form. @param row the edited row; undefined for a new one */
export function firstCell(column: Column, row: Readonly<Record<string, string | null>> | undefined): Cell {
  const text = row?.[column.name];
  if (row !== undefined) return text == null ? { from: 'null', text: '' } : { from: 'value', text };
  if (hasDefault(column)) return { from: 'default', text: '' };
  return { from: column.nullable ? 'null' : 'value', text: '' };
}
