import { refusals } from '../errors.ts';
import { type Condition, looksLikeCondition, parseCondition } from './filter.ts';
import { type Logic, parseLogic } from './logic.ts';
import { demandField, demandName, type Field } from './names.ts';
import { type OrderTerm, parseOrder } from './order.ts';
import { type QueryParam, readParams } from './query-params.ts';
import { Scanner } from './scanner.ts';
import { parseSelect, type SelectItem } from './select.ts';

/** The relations on the way from the root to what a parameter speaks of. */
export type EmbedPath = readonly string[];

export interface Filter {
  readonly path: EmbedPath;
  readonly field: Field;
  readonly condition: Condition;
}

export interface Window {
  readonly limit: number | undefined;
  readonly offset: number;
}

/** A query string, read as far as that goes without knowing any table. */
export interface RowQuery {
  readonly select: readonly SelectItem[];
  readonly filters: readonly Filter[];
  readonly logic: readonly { readonly path: EmbedPath; readonly logic: Logic }[];
  readonly order: readonly { readonly path: EmbedPath; readonly terms: readonly OrderTerm[] }[];
  readonly windows: ReadonlyMap<string, Window & { readonly path: EmbedPath }>;
  readonly columns: readonly string[] | undefined;
  readonly onConflict: readonly string[] | undefined;
  /** Arguments of a function: parameters that are no conditions. */
  readonly args: readonly QueryParam[];
}

const reserved = new Set(['select', 'columns', 'on_conflict']);
const lastWord = (name: string) => name.slice(name.lastIndexOf('.') + 1);

/** @param mayBeArguments whether what is no condition is an argument of a function @throws PGRST100, PGRST103 */
export function parseQuery(search: string, mayBeArguments: boolean): RowQuery {
  const params = readParams(search);
  const first = (name: string) => params.find(([given]) => given === name)?.[1];
  const filters: Filter[] = [];
  const logic: { path: EmbedPath; logic: Logic }[] = [];
  const order: { path: EmbedPath; terms: OrderTerm[] }[] = [];
  const windows = new Map<string, { path: EmbedPath; limit: number | undefined; offset: number }>();
  const args: QueryParam[] = [];
  for (const [name, value] of params) {
    if (reserved.has(name)) continue;
    const word = lastWord(name);
    if (word === 'or' || word === 'and') logic.push(readLogic(name, value));
    else if (word === 'order') order.push({ path: pathOf(name), terms: parseOrder(value) });
    else if (word === 'limit' || word === 'offset') setWindow(windows, name, word, value);
    else if (mayBeArguments && !name.includes('.') && !looksLikeCondition(value)) args.push([name, value]);
    else filters.push(readFilter(name, value));
  }
  const columns = first('columns');
  const onConflict = first('on_conflict');
  return {
    select: parseSelect(first('select') ?? '*'),
    filters,
    logic,
    order,
    windows,
    columns: columns === undefined ? undefined : [...new Set(readNames(columns, 'columns'))],
    onConflict: onConflict === undefined ? undefined : readNames(onConflict, 'on_conflict'),
    args,
  };
}

function readFilter(name: string, value: string): Filter {
  const scanner = new Scanner(name, `tree path (${name})`);
  const path: string[] = [];
  let field = demandField(scanner);
  while (scanner.take('.')) {
    path.push(field.name);
    field = demandField(scanner);
  }
  if (!scanner.done) throw scanner.stumble(['"->>"', '"->"', 'delimiter (.)', 'end of input']);
  return { path, field, condition: parseCondition(value) };
}

/** The relations before the last word. */
function pathOf(name: string): string[] {
  const scanner = new Scanner(name, `tree path (${name})`);
  const path = [demandName(scanner)];
  while (scanner.take('.')) path.push(demandName(scanner));
  return path.slice(0, -1);
}

function readLogic(name: string, value: string) {
  const path = pathOf(name);
  const negated = path.at(-1) === 'not';
  const operator = lastWord(name);
  return {
    path: negated ? path.slice(0, -1) : path,
    logic: parseLogic(negated ? `not.${operator}` : operator, value),
  };
}

function readNames(text: string, what: string): string[] {
  const scanner = new Scanner(text, `${what} parameter (${text})`);
  const names: string[] = [];
  do {
    scanner.skipSpace();
    names.push(demandName(scanner));
    scanner.skipSpace();
  } while (scanner.take(','));
  if (!scanner.done) throw scanner.stumble(['"-"', '","', 'end of input']);
  return names;
}

/** Beyond this no row can be, and no number is exact. */
const offsetMax = 2 ** 53 - 1;

function setWindow(
  windows: Map<string, { path: EmbedPath; limit: number | undefined; offset: number }>,
  name: string,
  word: 'limit' | 'offset',
  value: string,
): void {
  const path = pathOf(name);
  const key = JSON.stringify(path);
  const window = windows.get(key) ?? { path, limit: undefined, offset: 0 };
  windows.set(key, window);
  // What is no whole number is left out, as the dialect does.
  if (!/^-?\d+$/.test(value.trim())) return;
  const number = Math.min(Number(value), offsetMax);
  if (word === 'offset') window.offset = Math.max(0, number);
  else if (number < 0) throw refusals.range('Limit should be greater than or equal to zero.');
  else window.limit = number;
}
