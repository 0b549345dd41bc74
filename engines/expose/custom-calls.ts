import { parseSql, SqlSyntaxError } from '../sql/parse-sql.ts';
import { errorAt, type Finding } from './finding.ts';
import type { ManifestTable } from './manifest.ts';
import type { Model, Routines } from './model.ts';

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
 * Which of some words, given as a JSON list, name a function or a type; both can be called. Those of the tenant's
 * functions are told by its facts.
 */
export const routinesSql = `
select coalesce(pg_catalog.json_agg(called), '[]')::text as called from (
  select n.nspname || '.' || p.proname as called from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where (n.nspname <> 'public' or p.prokind <> 'f') and pg_catalog.lower(p.proname) in (
      select pg_catalog.json_array_elements_text($1::pg_catalog.json))
  union
  select n.nspname || '.' || t.typname from pg_catalog.pg_type t
    join pg_catalog.pg_namespace n on n.oid = t.typnamespace
    where pg_catalog.lower(t.typname) in (select pg_catalog.json_array_elements_text($1::pg_catalog.json))) found`;

/** @param rows of {@link routinesSql} @param everywhere whether it was asked of a project's own database */
export const routinesOf = (text: string, everywhere: boolean): Routines => ({
  names: new Set(JSON.parse(text) as string[]),
  everywhere,
});

/** Functions that custom SQL calls and nobody has made. Only what was asked about is said to be missing. */
export function missingCalls({ custom_sql: text = '' }: ManifestTable, path: string, model: Model): Finding[] {
  if (model.routines === undefined || model.doubts.length > 0) return [];
  const words = wordsOf(text);
  const columns = new Set([...model.relations.values()].flatMap((one) => [...(one.columns?.keys() ?? [])]));
  const missing = new Set<string>();
  for (const names of calledIn(text)) {
    const name = names.at(-1) ?? '';
    // Of words of SQL that stand for functions of other names, nothing was asked; and a column can be called, too.
    if (names.length > 2 || !words.has(name.toLowerCase()) || columns.has(name)) continue;
    if (!isThere(names, model, model.routines)) missing.add(names.join('.'));
  }
  const member = `${path}.custom_sql`;
  return [...missing].map((name) =>
    errorAt('schema-shape', member, `there is no function ${name}`, 'Create it, or correct its name.'),
  );
}

function isThere(
  names: readonly string[],
  { functions, made }: Model,
  { names: known, everywhere }: Routines,
): boolean {
  const name = names.at(-1)!;
  const [schema] = names.length > 1 ? names : [undefined];
  if (schema !== undefined && schema !== 'public' && schema !== 'pg_catalog' && !everywhere) return true;
  const isOwn = schema === undefined || schema === 'public';
  if (isOwn && functions.some((one) => one.name === name)) return true;
  const schemas = schema === undefined ? ['pg_catalog', 'public'] : [schema];
  return schemas.some((one) => known.has(`${one}.${name}`) || made.has(`${one}.${name}`));
}

/** Names of the functions that a text calls, with their schemas where these are given. */
function calledIn(text: string): string[][] {
  const called: string[][] = [];
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
      if (key === 'FuncCall') called.push(namesOf(value));
      if (typeof value === 'object' && value !== null) left.push(value);
    }
  }
  return called;
}

const namesOf = ({ funcname = [] }: { funcname?: readonly { String?: { sval?: string } }[] }): string[] =>
  funcname.map((one) => one.String?.sval ?? '');
