import {
  Braces,
  Calendar,
  CircleDot,
  Clock,
  Hash,
  KeyRound,
  Link2,
  List,
  type LucideIcon,
  Shapes,
  ToggleLeft,
  Type,
} from 'lucide-react';
import { namesIn, parenthesized } from './names.ts';
import type { TableShapeFragment } from './tables.graphql.ts';

export type Table = TableShapeFragment;
export type Column = Table['columns'][number];

/** How a column's values are edited. */
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

/** Types that PostgreSQL cannot compare, so that no request can ask for rows by their values. */
const uncompared = ['json', 'xml', 'point', 'box', 'path', 'polygon', 'line', 'lseg', 'circle'];

export const canCompare = ({ type }: Column): boolean => !uncompared.includes(plainType(type).replace(/\[\]$/, ''));

/** Types whose values may be long. A grid shows the beginning of these. */
export const mayBeLong = (column: Column): boolean =>
  ['json', 'text'].includes(kindOf(column)) || (kindOf(column) === 'other' && !shortTypes.test(column.type));

const shortTypes = /^(uuid|time|interval|inet|cidr|macaddr|money|oid|date)/;

/** Whether only the database can write the column. */
export const isComputed = ({ identity, generated }: Column): boolean => generated || identity === 'always';

export const hasDefault = ({ defaultValue, identity }: Column): boolean => defaultValue !== null || identity !== null;

/** Names of the primary key's columns in order; empty for a table without one. */
export function primaryKey({ constraints }: Table): readonly string[] {
  const definition = constraints.find(({ type }) => type === 'PRIMARY KEY')?.definition ?? '';
  return namesIn(parenthesized(definition)[0] ?? '');
}

const icons: Readonly<Record<Kind, LucideIcon>> = {
  boolean: ToggleLeft,
  choice: CircleDot,
  date: Calendar,
  json: Braces,
  number: Hash,
  text: Type,
  other: Shapes,
};

/** An icon of the type. The key of the table, and what refers to others, have icons of their own. */
export function iconOf(column: Column, isKey: boolean, refers: boolean): LucideIcon {
  if (isKey) return KeyRound;
  if (refers) return Link2;
  if (column.type.endsWith('[]')) return List;
  return /^(timestamp|time|interval)/.test(column.type) ? Clock : icons[kindOf(column)];
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
