import { parseSql, SqlSyntaxError } from '../sql/parse-sql.ts';
import { arityOf } from './facts.ts';
import { errorAt, type Finding } from './finding.ts';
import type { ManifestTable } from './manifest-shape.ts';
import type { Model, Routines } from './model.ts';
import type { Arity } from './snippets.ts';

/** Words of a text as names are compared: what PostgreSQL is asked about, and what is judged at all. */
export const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(text.toLowerCase().match(/[\p{L}_][\p{L}\p{N}_$]*/gu) ?? []);

/** All words of a manifest's custom SQL. @param raw as it was given: it may be no manifest at all */
export function customWords(raw: Readonly<Record<string, unknown>>): string[] {
  const tables: readonly unknown[] = Array.isArray(raw.tables) ? raw.tables : [];
  const words = new Set<string>();
  for (const table of tables) {
    const text: unknown = (table as { readonly custom_sql?: unknown } | null)?.custom_sql;
    if (typeof text === 'string') for (const word of wordsOf(text)) words.add(word);
  }
  return [...words];
}

/**
 * What some words, given as a JSON list, name that can be called, functions and types alike, with how many arguments
 * each takes. Those of the tenant's functions are told by its facts.
 */
export const routinesSql = `
select coalesce(pg_catalog.json_agg(found), '[]')::text as called from (
  select n.nspname || '.' || p.proname as name, ${arityOf('p')} as takes from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where (n.nspname <> 'public' or p.prokind <> 'f') and pg_catalog.lower(p.proname) in (
      select pg_catalog.json_array_elements_text($1::pg_catalog.json))
  union all
  select n.nspname || '.' || t.typname, '{"least": 1, "most": 1}' from pg_catalog.pg_type t
    join pg_catalog.pg_namespace n on n.oid = t.typnamespace
    where pg_catalog.lower(t.typname) in (select pg_catalog.json_array_elements_text($1::pg_catalog.json))) found`;

/** @param text of {@link routinesSql} @param everywhere whether it was asked of a project's own database */
export function routinesOf(text: string, everywhere: boolean): Routines {
  const found = new Map<string, Arity[]>();
  for (const { name, takes } of JSON.parse(text) as { readonly name: string; readonly takes: Arity }[]) {
    const known = found.get(name);
    if (known === undefined) found.set(name, [takes]);
    else known.push(takes);
  }
  return { found, everywhere };
}

/**
 * Functions that custom SQL calls and that do not exist, or that take another number of arguments. Of what was not asked
 * about, nothing is said, nor of the types of arguments: PostgreSQL is asked about these, see `analysed.ts`.
 */
export function wrongCalls({ custom_sql: text = '' }: ManifestTable, path: string, model: Model): Finding[] {
  if (model.routines === undefined || model.doubts.length > 0) return [];
  const words = wordsOf(text);
  const columns = new Set([...model.relations.values()].flatMap((one) => [...(one.columns?.keys() ?? [])]));
  const found = new Map<string, Finding>();
  for (const { names, given } of calledIn(text)) {
    const name = names.at(-1) ?? '';
    // Of words of SQL that stand for functions of other names, nothing was asked; and a column can be called, too.
    if (names.length > 2 || !words.has(name.toLowerCase()) || columns.has(name)) continue;
    const known = overloadsOf(names, model, model.routines);
    if (known === undefined) continue;
    const called = names.join('.');
    const fault = faultOf(called, known, given);
    if (fault !== undefined) found.set(fault[0], errorAt('schema-shape', `${path}.custom_sql`, ...fault));
  }
  return [...found.values()];
}

function faultOf(called: string, known: readonly Arity[], given: number | undefined): [string, string] | undefined {
  if (known.length === 0) return [`there is no function ${called}`, 'Create it, or correct its name.'];
  if (given === undefined || known.some(({ least, most }) => given >= least && given <= (most ?? given))) return;
  const many = given === 1 ? '1 argument' : `${given} arguments`;
  return [`no function ${called} takes ${many}`, 'Give it the arguments that it takes.'];
}

/** How many arguments the functions of a name take, one by one; undefined when that cannot be known. */
function overloadsOf(
  names: readonly string[],
  { functions, made }: Model,
  { found, everywhere }: Routines,
): readonly Arity[] | undefined {
  const name = names.at(-1)!;
  const [schema] = names.length > 1 ? names : [undefined];
  if (schema !== undefined && schema !== 'public' && schema !== 'pg_catalog' && !everywhere) return undefined;
  const schemas = schema === undefined ? ['pg_catalog', 'public'] : [schema];
  if (schemas.some((one) => made.has(`${one}.${name}`))) return undefined;
  const own = schemas.includes('public') ? functions.filter((one) => one.name === name) : [];
  return [...own.map(({ takes }) => takes), ...schemas.flatMap((one) => found.get(`${one}.${name}`) ?? [])];
}

/** A call of a function. */
interface Call {
  /** Its name, with its schema where that is given. */
  readonly names: readonly string[];
  /** How many arguments it is given; undefined where that is said in a way of its own, as by `count(*)`. */
  readonly given: number | undefined;
}

function calledIn(text: string): Call[] {
  const called: Call[] = [];
  let left: unknown[];
  try {
    left = parseSql(text).map(({ node }) => node);
  } catch (error) {
    if (error instanceof SqlSyntaxError) return [];
    throw error;
  }
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    if (typeof at !== 'object' || at === null) continue;
    for (const [key, value] of Object.entries(at)) {
      if (key === 'FuncCall') called.push(callOf(value));
      if (typeof value === 'object' && value !== null) left.push(value);
    }
  }
  return called;
}

interface FuncCall {
  readonly funcname?: readonly { readonly String?: { readonly sval?: string } }[];
  readonly args?: readonly unknown[];
  readonly agg_star?: boolean;
  readonly agg_within_group?: boolean;
  readonly func_variadic?: boolean;
}

const callOf = ({ funcname = [], args = [], agg_star, agg_within_group, func_variadic }: FuncCall): Call => ({
  names: funcname.map((one) => one.String?.sval ?? ''),
  given: agg_star === true || agg_within_group === true || func_variadic === true ? undefined : args.length,
});
