import { Column, getTableColumns, is, PgDialect, Placeholder, type SQL, sql, Table } from './drizzle.ts';
import type { Bound, Statement } from './statement.ts';

/** A type of PostgreSQL, and what its values are here. */
export interface SqlType<Value> {
  /** As `format_type` writes it, for example `uuid[]`. */
  readonly type: string;
  /** For the compiler alone. */
  readonly value?: Value;
}

/** A column of an answer that is worked out. */
export interface Computed<Value> extends SqlType<Value> {
  readonly sql: SQL;
}

/** Something that is worked out. @param name its type, as `format_type` writes it; the test of all statements compares it */
export const computed = <Value>(name: string, text: SQL): Computed<Value> => ({ type: name, sql: text });

/** A value that is no column's, such as the limit of a list. @param type as `format_type` writes it */
export const typed = <Value>(type: string): SqlType<Value> => ({ type });

type OrNull<From extends Column> = From['_']['notNull'] extends true ? never : null;

// These rows do not pass through Drizzle: a value is what the driver makes of it (`db/types.ts`), whatever mode its
// column was declared with.
type Read<From extends Column> = From['_']['columnType'] extends 'PgBigInt53'
  ? bigint
  : From['_']['columnType'] extends 'PgDateString'
    ? Date
    : From['_']['data'];

// The driver writes an array as one of PostgreSQL's, and a text as it is: JSON is given as the text that it is.
type Given<From extends Column> = From['_']['columnType'] extends 'PgJson' | 'PgJsonb' ? string : From['_']['data'];

type ReadOf<Type> = Type extends Column ? Read<Type> | OrNull<Type> : Type extends SqlType<infer Value> ? Value : never;
type GivenOf<Type> = Type extends Column
  ? Given<Type> | OrNull<Type>
  : Type extends SqlType<infer Value>
    ? Value
    : never;

export type Parameters = Readonly<Record<string, Column | SqlType<unknown>>>;
export type Selection = Readonly<Record<string, Column | Computed<unknown>>>;
export type ParametersOf<Params extends Parameters> = { readonly [Name in keyof Params]: GivenOf<Params[Name]> };
export type RowOf<Selected extends Selection> = { [Name in keyof Selected]: ReadOf<Selected[Name]> };

/** A statement whose parameters have names and whose rows have a type. */
export interface TypedStatement<Params extends object, Row extends object> {
  /** The statement with its values, for `rows`, `last` and whatever else runs statements. */
  readonly with: (params: Params) => Bound<Row>;
}

/** A kind of database: that of the gateway itself, or that of each project. */
export type DatabaseKind = 'control' | 'project';

/** What a statement says of itself, for the test that prepares all of them. */
export interface RegisteredStatement {
  readonly name: string;
  readonly on: DatabaseKind;
  readonly text: string;
  readonly parameterTypes: readonly string[];
  readonly rowTypes: Readonly<Record<string, string>>;
}

const registered = new Map<string, () => RegisteredStatement>();

/** Every statement of the modules that were loaded. */
export const registeredStatements = (): readonly RegisteredStatement[] =>
  [...registered.values()].map((told) => told());

/** Parameters are numbered as they were declared, so that one may be used twice. */
class Dialect extends PgDialect {
  override escapeParam(_at: number, given?: unknown): string {
    if (is(given, Placeholder)) return `$${given.name}`;
    throw new Error('A value in a statement has to be one of its parameters.');
  }
}
const dialect = new Dialect();

/** The type of a column, or of what is worked out, as `format_type` writes it. */
export const typeOf = (given: Column | SqlType<unknown>) => (is(given, Column) ? given.getSQLType() : given.type);

const list = (pieces: readonly SQL[]): SQL => sql.join([...pieces], sql`, `);

/** The columns of a selection, each under its name. */
export const selected = (selection: Selection): SQL =>
  list(
    Object.entries(selection).map(
      ([name, given]) => sql`${is(given, Column) ? given : given.sql} as ${sql.identifier(name)}`,
    ),
  );

const { OriginalName: originalName, Schema: schema } = (
  Table as unknown as { Symbol: Readonly<Record<'OriginalName' | 'Schema', symbol>> }
).Symbol;

/** A table under the name of its alias, for `from`. */
export function from(alias: Table): SQL {
  const parts = alias as unknown as Readonly<Record<symbol, string | undefined>>;
  const name = sql`${sql.identifier(parts[originalName]!)} ${alias}`;
  return parts[schema] === undefined ? name : sql`${sql.identifier(parts[schema])}.${name}`;
}

/** A column by its name alone, for `on conflict` and `set`, which allow no table before it. */
export const nameOf = ({ name }: Column): SQL => sql`${sql.identifier(name)}`;

/** The value of a column that was to be inserted, for `on conflict … do update`. */
export const excluded = (column: Column): SQL => sql`excluded.${nameOf(column)}`;

/** Names of columns, for `insert into … select` and `on conflict`. */
export const namesOf = (...columns: readonly Column[]): SQL => list(columns.map(nameOf));

/** Values of some columns of a table, for `insertInto` and `setOf`. */
export type Values<Into extends Table> = { readonly [Key in keyof Into['_']['columns']]?: SQL };

const entriesOf = <Into extends Table>(table: Into, values: Values<Into>): (readonly [SQL, SQL])[] =>
  Object.entries(values as Record<string, SQL>).map(([key, value]) => [nameOf(getTableColumns(table)[key]!), value]);

/** `insert into` a table, column by column. */
export function insertInto<Into extends Table>(table: Into, values: Values<Into>): SQL {
  const entries = entriesOf(table, values);
  return sql`insert into ${table} (${list(entries.map(([name]) => name))}) values (${list(entries.map(([, value]) => value))})`;
}

/** `insert into` a table what is selected, column by column. @param rest of the `select`: `from …` or `where …` */
export function insertSelect<Into extends Table>(table: Into, values: Values<Into>, rest: SQL): SQL {
  const entries = entriesOf(table, values);
  return sql`insert into ${table} (${list(entries.map(([name]) => name))})
    select ${list(entries.map(([, value]) => value))} ${rest}`;
}

/** `set` of an `update`, column by column. */
export const setOf = <Into extends Table>(table: Into, values: Values<Into>): SQL =>
  sql`set ${list(entriesOf(table, values).map(([name, value]) => sql`${name} = ${value}`))}`;

/** Some columns of a table, as parameters or as a selection. */
export function pick<From extends Table, Key extends keyof From['_']['columns'] & string>(
  table: From,
  ...keys: readonly Key[]
): Pick<From['_']['columns'], Key> {
  const columns = getTableColumns(table) as From['_']['columns'];
  return Object.fromEntries(keys.map((key) => [key, columns[key]])) as Pick<From['_']['columns'], Key>;
}

/** All columns of a table, as a selection. @param without those that are left out */
export function allOf<From extends Table, Without extends keyof From['_']['columns'] & string = never>(
  table: From,
  without: readonly Without[] = [],
): Omit<From['_']['columns'], Without> {
  const columns = Object.entries(getTableColumns(table)).filter(
    ([key]) => !(without as readonly string[]).includes(key),
  );
  return Object.fromEntries(columns) as Omit<From['_']['columns'], Without>;
}

/** Columns whose table an outer join may find no row of. */
export const orNull = <Columns extends Selection>(columns: Columns) =>
  Object.fromEntries(
    Object.entries(columns).map(([key, given]) => [
      key,
      computed(typeOf(given), is(given, Column) ? sql`${given}` : given.sql),
    ]),
  ) as { readonly [Key in keyof Columns]: Computed<ReadOf<Columns[Key]> | null> };

/** Columns under names that begin alike, as in `org.displayName`: for rows that hold those of several tables. */
export const prefixed = <Prefix extends string, Columns extends Selection>(prefix: Prefix, columns: Columns) =>
  Object.fromEntries(Object.entries(columns).map(([key, given]) => [prefix + key, given])) as {
    readonly [Key in keyof Columns & string as `${Prefix}${Key}`]: Columns[Key];
  };

/** Takes the columns of {@link prefixed} out of a row again; undefined when an outer join found no `id`. */
export function partOf<Prefix extends string, Columns extends Selection>(prefix: Prefix, columns: Columns) {
  const names = Object.keys(columns).map((key) => [key, prefix + key] as const);
  const id = `${prefix}id`;
  return (row: object): RowOf<Columns> | undefined => {
    const given = row as Readonly<Record<string, unknown>>;
    if (given[id] == null) return undefined;
    const part: Record<string, unknown> = {};
    for (const [key, name] of names) part[key] = given[name];
    return part as RowOf<Columns>;
  };
}

/** Options of a statement, beside its text. */
export interface StatementOptions<Params extends Parameters, Selected extends Selection>
  extends Pick<Statement, 'timeoutMs' | 'pipelined'> {
  /** Where it runs. @default 'control' */
  readonly on?: DatabaseKind;
  readonly params?: Params;
  /** What its rows hold. @default it has none, or they are of no interest */
  readonly row?: Selected;
}

/**
 * Declares a statement. Tables and columns are named by reference, so that the compiler knows them; it is written once, when
 * it is first used: to write all of them took a fifth of what it takes to load the gateway.
 *
 * @param name unique among all; each connection prepares it under this name
 * @param write gets the parameters by name, and the columns of the row for `select` or `returning`
 */
export function statement<
  const Params extends Parameters = Readonly<Record<never, never>>,
  const Selected extends Selection = Readonly<Record<never, never>>,
>(
  name: string,
  { on = 'control', params, row, ...options }: StatementOptions<Params, Selected>,
  write: (params: { readonly [Name in keyof Params]: SQL }, row: SQL) => SQL,
): TypedStatement<ParametersOf<Params>, RowOf<Selected>> {
  if (registered.has(name)) throw new Error(`There are two statements called ${name}.`);
  const parameters = Object.keys(params ?? {});
  let compiled: Statement | undefined;
  const compile = (): Statement => {
    const placeholders = parameters.map((key, at) => [key, sql`${sql.placeholder(String(at + 1))}`]);
    const text = write(Object.fromEntries(placeholders), selected(row ?? {}));
    return { ...options, name, text: dialect.sqlToQuery(text).sql };
  };
  const written = () => {
    compiled ??= compile();
    return compiled;
  };
  registered.set(name, () => ({
    name,
    on,
    text: written().text,
    parameterTypes: parameters.map((key) => typeOf(params![key]!)),
    rowTypes: Object.fromEntries(Object.entries(row ?? {}).map(([key, given]) => [key, typeOf(given)])),
  }));
  return {
    with: (given) => ({
      statement: written(),
      values: parameters.map((key) => (given as Readonly<Record<string, unknown>>)[key]),
    }),
  };
}
