import { quoteIdentifier } from '../rows/sql/sql.ts';
import { tokensOf } from '../sql/parse-sql.ts';
import { readCustomSql } from './custom-sql.ts';
import { errorAt, type Finding, type FindingType, pathOf } from './finding.ts';
import type { ManifestView } from './manifest-shape.ts';
import type { Model } from './model.ts';
import { isExpression } from './snippets.ts';
import type { Sound } from './sound.ts';

/** A query that PostgreSQL is to analyse, and never to run, for an expression of a manifest. */
export interface AnalysisQuery {
  readonly path: string;
  readonly text: string;
}

/** So many are asked about at once; of more, only PostgreSQL tells when the manifest is applied. */
const askedMax = 500;

/**
 * What to ask PostgreSQL about the SQL of a manifest: the names and types in it can be told by nothing else.
 *
 * @param found what is known to be wrong already, and need not be asked
 */
export function askedOf({ manifest, places }: Sound, model: Model, found: readonly Finding[]): AnalysisQuery[] {
  const wrong = found.filter(({ severity }) => severity === 'error').map(({ path }) => path);
  const asked: AnalysisQuery[] = [];
  for (const [index, table] of manifest.tables.entries()) {
    const at = pathOf(['tables', places.tables[index]!]);
    if (table.policy !== 'custom' || !table.expose || wrong.some((path) => path.startsWith(`${at}.`))) continue;
    const from = `public.${quoteIdentifier(table.name)}`;
    for (const text of readCustomSql(table.custom_sql ?? '', table.name).statements)
      for (const expression of expressionsOf(text))
        asked.push({ path: `${at}.custom_sql`, text: query(from, expression) });
  }
  const listed = new Map(manifest.views.map((view) => [view.name, view]));
  for (const [index, view] of manifest.views.entries()) {
    const at = pathOf(['views', places.views[index]!]);
    if (view.filter === undefined || wrong.some((path) => path.startsWith(`${at}.`))) continue;
    const from = sourceOf(view, listed, model);
    if (from !== undefined && isExpression(view.filter))
      asked.push({ path: `${at}.filter`, text: query(from, view.filter) });
  }
  return asked.slice(0, askedMax);
}

// The line's end closes a comment that would swallow the bracket.
const query = (from: string, expression: string) => `select from ${from} where (${expression}\n)`;

/** The text in the brackets of `USING` and `WITH CHECK` of a statement that makes a policy. */
function expressionsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const found: string[] = [];
  let depth = 0;
  /** Where the expression begins, and whether the brackets that open next are its own. */
  let begun: number | undefined;
  let next = false;
  for (const { start, end, text: word, reserved } of tokensOf(text)) {
    if (word === '(') {
      if (next) begun = end;
      depth += 1;
    } else if (word === ')') {
      depth -= 1;
      if (depth === 0 && begun !== undefined) {
        found.push(bytes.subarray(begun, start).toString());
        begun = undefined;
      }
    }
    next = depth === 0 && reserved && ['using', 'check'].includes(word.toLowerCase());
  }
  // Whatever the words were, nothing but an expression is handed on.
  return found.filter(isExpression);
}

/** What the filter of a view reads from, as it will be when the manifest is applied; undefined: that cannot be known. */
function sourceOf(
  { base }: ManifestView,
  listed: ReadonlyMap<string, ManifestView>,
  { relations }: Model,
): string | undefined {
  const named = quoteIdentifier(base);
  let below = listed.get(base);
  if (below === undefined) return relations.has(base) ? `public.${named}` : undefined;
  let shown: readonly string[] | undefined;
  const passed = new Set<ManifestView>();
  while (below !== undefined && !passed.has(below)) {
    passed.add(below);
    if (shown === undefined && !below.select.includes('*')) shown = below.select;
    const root = below.base;
    below = listed.get(root);
    if (below === undefined && relations.has(root))
      return `(select ${shown?.map(quoteIdentifier).join(', ') ?? '*'} from public.${quoteIdentifier(root)}) ${named}`;
  }
  return undefined;
}

/** The setting that holds what is asked, as a JSON list of texts. */
export const askedSetting = 'svc.asked';

const reportedSetting = 'svc.told';

/**
 * Has each query of {@link askedSetting} analysed, which finds out what its names and types are and runs nothing of it.
 * Ends with what PostgreSQL said, for {@link reportedSql}.
 */
export const askSql = `do $svc$
declare
  one text; at int := -1; told json[] := '{}'; said text; kind text;
begin
  for one in select value from pg_catalog.json_array_elements_text(pg_catalog.current_setting('${askedSetting}')::json) loop
    at := at + 1;
    begin
      execute 'prepare svc_asked as ' || one;
      execute 'deallocate svc_asked';
    exception when others then
      get stacked diagnostics said = message_text, kind = returned_sqlstate;
      told := told || pg_catalog.json_build_object('at', at, 'code', kind, 'message', said);
    end;
  end loop;
  perform pg_catalog.set_config('${reportedSetting}', pg_catalog.array_to_json(told)::text, true);
end $svc$`;

export const reportedSql = `select pg_catalog.current_setting('${reportedSetting}')`;

interface Reported {
  readonly at: number;
  readonly code: string;
  readonly message: string;
}

const types: Readonly<Record<string, FindingType>> = { '42703': 'missing-column', '42P01': 'missing-table' };

/** What PostgreSQL said is wrong with the SQL itself. @param told the answer of {@link reportedSql} */
export function reportedFindings(asked: readonly AnalysisQuery[], told: string): Finding[] {
  const found = new Map<string, Finding>();
  for (const { at, code, message } of JSON.parse(told) as readonly Reported[]) {
    const { path } = asked[at]!;
    // A server that is short of something has said nothing about the SQL.
    if (/^(42|22|0A)/.test(code) && !found.has(`${path} ${message}`))
      found.set(`${path} ${message}`, errorAt(types[code] ?? 'schema-shape', path, message));
  }
  return [...found.values()];
}
