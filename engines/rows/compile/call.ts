import type { Payload } from '../request/payload.ts';
import type { Routine, RoutineArgument } from '../schema/types.ts';
import { bind, commas, empty, fromCatalog, ident, type Sql, sql } from '../sql/sql.ts';
import { body, bodyFrom } from './body.ts';
import { columnOf, inSchema } from './names.ts';

/** How arguments are given to a function. */
export type CallArguments =
  /** By an address or a form: texts by name, several for a variadic one. */
  | { readonly kind: 'texts'; readonly values: ReadonlyMap<string, string | readonly string[]> }
  /** By the members of a JSON body. */
  | { readonly kind: 'members'; readonly payload: Payload; readonly names: readonly string[] }
  /** By the body as it is. */
  | { readonly kind: 'whole'; readonly bytes: Buffer };

/** The only column of a function that returns plain values, by the name that the dialect has for it. */
const scalar = ident('pgrst_scalar');
const called = ident('svc_call');

/** A call, as rows: of the table it returns, or of one column for plain values. */
export function callSql(routine: Routine, args: CallArguments): Sql {
  const fn = inSchema(routine.name);
  const { from, list } = argumentsSql(routine, args);
  const before = from.isEmpty ? empty : sql`${from}, lateral `;
  return routine.returnsRows
    ? sql`select ${called}.* from ${before}${fn}(${list}) as ${called}`
    : sql`select ${called}.${scalar} from ${before}(select ${fn}(${list}) as ${scalar}) as ${called}`;
}

function argumentsSql(routine: Routine, args: CallArguments): { from: Sql; list: Sql } {
  if (args.kind === 'whole') return { from: empty, list: wholeBody(routine.arguments[0]!, args.bytes) };
  const given = routine.arguments.filter(({ name }) =>
    args.kind === 'texts' ? args.values.has(name) : args.names.includes(name),
  );
  if (given.length === 0) return { from: empty, list: empty };
  if (args.kind === 'texts')
    return { from: empty, list: commas(given.map((one) => textArgument(one, args.values.get(one.name)!))) };
  const columns = given.map(({ name, type }) => ({ name, type, defaultSql: null }));
  return {
    from: bodyFrom(args.payload, { columns, defaults: false, firstOnly: true }),
    list: commas(given.map((one) => named(one, columnOf(body, one.name)))),
  };
}

const named = ({ name, variadic }: RoutineArgument, value: Sql): Sql =>
  variadic ? sql`variadic ${ident(name)} := ${value}` : sql`${ident(name)} := ${value}`;

function textArgument(argument: RoutineArgument, value: string | readonly string[]): Sql {
  if (typeof value === 'string') return named(argument, sql`cast(${bind(value)} as ${fromCatalog(argument.type)})`);
  const elements = commas(value.map(bind));
  return named(argument, sql`cast(array[${elements}] as ${fromCatalog(argument.type)})`);
}

/** Bytes are sent as they are, and everything else as the text they hold. */
const wholeBody = ({ type }: RoutineArgument, bytes: Buffer): Sql =>
  type === 'bytea' ? sql`${bind(bytes)}::bytea` : sql`cast(${bind(bytes.toString('utf8'))} as ${fromCatalog(type)})`;
