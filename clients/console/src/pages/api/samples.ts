import type { Column, Thing } from './things.ts';

type Typed = Pick<Column, 'type'> & Partial<Pick<Column, 'enumValues'>>;

/** A value of a type that PostgreSQL takes, as JSON has it. */
export function sampleOf({ type, enumValues }: Typed): unknown {
  if (enumValues != null && enumValues.length > 0) return enumValues[0];
  if (type.endsWith('[]')) return [];
  if (/^(smallint|integer|int|bigint|int[248]|real|double precision|numeric|decimal|money)/i.test(type)) return 1;
  if (/^bool/i.test(type)) return true;
  if (/^json/i.test(type)) return {};
  if (/^uuid/i.test(type)) return '00000000-0000-4000-8000-000000000001';
  if (/^timestamp/i.test(type)) return '2026-01-31T12:00:00Z';
  if (/^date/i.test(type)) return '2026-01-31';
  if (/^time/i.test(type)) return '12:00:00';
  if (/^interval/i.test(type)) return '1 day';
  if (/^bytea/i.test(type)) return '\\x00';
  if (/^(inet|cidr)/i.test(type)) return '192.0.2.1';
  if (/^(character|varchar|char)\((\d+)\)/i.test(type)) return 'text'.slice(0, Number(/\d+/.exec(type)![0]));
  return 'text';
}

const isFree = ({ identity, generated }: Column) => identity === null && !generated;

/** A row to insert: what has to be given, and one more column where that is nothing. */
export function rowOf(thing: Thing, userId: string | undefined): Readonly<Record<string, unknown>> {
  const { columns, owner, references } = thing;
  const required = columns.filter((column) => isFree(column) && !column.nullable && column.defaultValue === null);
  const given = required.length > 0 ? required : textColumns(thing).slice(0, 1);
  const row = Object.fromEntries(given.map((column) => [column.name, sampleOf(column)]));
  if (owner !== undefined && userId !== undefined) row[owner] = userId;
  // A row that it would refer to need not be there.
  for (const name of references) {
    if (name !== owner && columns.some((column) => column.name === name && column.nullable)) delete row[name];
  }
  return row;
}

const textColumns = ({ columns, key, owner, references }: Thing): readonly Column[] =>
  [...columns]
    .filter(
      (column) =>
        isFree(column) && !key.includes(column.name) && column.name !== owner && !references.includes(column.name),
    )
    .sort((one, other) => Number(/^(text|char)/.test(other.type)) - Number(/^(text|char)/.test(one.type)));

/** What an update sets; empty for a table that has nothing to be set. */
export function changeOf(thing: Thing): Readonly<Record<string, unknown>> {
  const [column] = textColumns(thing);
  return column === undefined ? {} : { [column.name]: sampleOf(column) };
}

/** The column that a row is found by, with a value. */
export function conditionOf(thing: Thing): { readonly column: Column; readonly value: unknown } | undefined {
  const named = thing.columns.find(({ name }) => name === thing.key[0]) ?? thing.columns[0];
  return named === undefined ? undefined : { column: named, value: sampleOf(named) };
}

export const callArguments = ({ args }: Thing): Readonly<Record<string, unknown>> =>
  Object.fromEntries(args.map((one) => [one.name, sampleOf(one)]));
