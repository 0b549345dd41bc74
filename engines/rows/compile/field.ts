import type { Field, JsonStep } from '../request/names.ts';
import type { Column } from '../schema/types.ts';
import { bind, ident, type Sql, sql } from '../sql/sql.ts';
import { columnOf } from './names.ts';

/** A column, or what lies inside it. */
export function fieldSql(qualifier: Sql, { name, path }: Field, column: Column | undefined): Sql {
  const whole = columnOf(qualifier, name);
  if (path.length === 0) return whole;
  const isJson = column?.type === 'json' || column?.type === 'jsonb';
  const steps = path.reduce((from, step) => sql`${from}${stepSql(step)}`, isJson ? whole : sql`to_jsonb(${whole})`);
  return sql`(${steps})`;
}

const stepSql = ({ asText, key, isIndex }: JsonStep): Sql => {
  const operand = isIndex ? sql`${bind(key)}::int` : bind(key);
  return asText ? sql`->>${operand}` : sql`->${operand}`;
};

/** The name a column has in the answer when it is given none: the last key on the way into it. */
export function nameOf({ name, path }: Field): string {
  const key = path.findLast(({ isIndex }) => !isIndex)?.key;
  return key ?? name;
}

/** Types that SQL spells in words of its own; every other name is that of a type in the catalog. */
const spelledTypes: Readonly<Record<string, Sql>> = {
  int: sql`int4`,
  integer: sql`int4`,
  smallint: sql`int2`,
  bigint: sql`int8`,
  real: sql`float4`,
  float: sql`float8`,
  'double precision': sql`float8`,
  decimal: sql`numeric`,
  dec: sql`numeric`,
  boolean: sql`bool`,
  bit: sql`bit(1)`,
  'bit varying': sql`varbit`,
  char: sql`character(1)`,
  character: sql`character(1)`,
  'character varying': sql`varchar`,
  'char varying': sql`varchar`,
  time: sql`time`,
  'time without time zone': sql`time`,
  'time with time zone': sql`timetz`,
  timestamp: sql`timestamp`,
  'timestamp without time zone': sql`timestamp`,
  'timestamp with time zone': sql`timestamptz`,
};

/** A cast to a type named by a client; the name is folded as SQL folds what is not quoted. */
export function castSql(value: Sql, type: string | undefined): Sql {
  if (type === undefined) return value;
  const name = type.toLowerCase().replace(/\s+/g, ' ');
  const known = Object.hasOwn(spelledTypes, name) ? spelledTypes[name]! : ident(name);
  return sql`cast(${value} as ${known})`;
}
