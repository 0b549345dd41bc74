import { Column, is, type SQL, sql } from './drizzle.ts';
import { type Computed, computed, type Selection } from './sql.ts';

// Statements on project databases answer one column of JSON, whose members are selected here like columns elsewhere.

/** What is read of a value that PostgreSQL wrote as JSON. Bytes are no JSON: `encode` makes a text of them. */
type InJson<Value> = Value extends Buffer
  ? never
  : Value extends Date
    ? string
    : Value extends bigint
      ? number
      : Value extends string[]
        ? readonly string[]
        : Value;

type JsonOf<Given> = Given extends Column
  ? InJson<Given['_']['data']> | (Given['_']['notNull'] extends true ? never : null)
  : Given extends Computed<infer Value>
    ? InJson<Value>
    : never;

/** What is read of an object of columns and worked out members. */
export type JsonRow<Members extends Selection> = { readonly [Name in keyof Members]: JsonOf<Members[Name]> };

/** What is read of an answer in JSON. */
export type Answer<Given> = Given extends Computed<infer Value> ? Value : never;

type Member = Column | Computed<unknown>;

const textOf = (given: Member): SQL => (is(given, Column) ? sql`${given}` : given.sql);

const quoted = (name: string): SQL => {
  if (!/^\w+$/.test(name)) throw new Error(`${name} cannot be the name of a member.`);
  return sql.raw(`'${name}'`);
};

/** An object with a member for each column. */
export const jsonObject = <const Members extends Selection>(members: Members): Computed<JsonRow<Members>> => {
  const pairs = Object.entries(members).map(([name, given]) => sql`${quoted(name)}, ${textOf(given)}`);
  return computed('json', sql`json_build_object(${sql.join(pairs, sql`, `)})`);
};

/** A column, or what is worked out, as JSON. */
export const toJson = <const Given extends Member>(given: Given): Computed<JsonOf<Given>> =>
  computed('json', sql`to_json(${textOf(given)})`);

/** A list of what a subquery finds. @param rest of the `select`: `from …`. @param order of the list */
export const jsonList = <const Given extends Member>(
  of: Given,
  rest: SQL,
  order?: SQL,
): Computed<readonly JsonOf<Given>[]> => {
  const sorted = order === undefined ? textOf(of) : sql`${textOf(of)} order by ${order}`;
  return computed('json', sql`coalesce((select json_agg(${sorted}) ${rest}), '[]')`);
};

/** The one row of a subquery, or null. @param rest of the `select`: `from …` */
export const jsonOne = <Value>(of: Computed<Value>, rest: SQL): Computed<Value | null> =>
  computed(of.type, sql`(select ${of.sql} ${rest})`);

/** Columns under the names that they have in the database. */
export const asKept = <const Columns extends Readonly<Record<string, Column>>>(columns: Columns) =>
  Object.fromEntries(Object.values(columns).map((column) => [column.name, column])) as {
    readonly [Key in keyof Columns as Columns[Key]['_']['name']]: Columns[Key];
  };
