import { quoteHint, RowError, refusals } from '../errors.ts';
import { type Condition, looksLikeCondition, parseCondition } from './filter.ts';
import { type Logic, parseLogic } from './logic.ts';
import { demandField, demandName, type Field, reservedNames, takeName } from './names.ts';
import { type OrderTerm, parseOrder } from './order.ts';
import { type QueryParam, readBare, readParams } from './query-params.ts';
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
  /** Parts without a `=`. */
  readonly bare: readonly string[];
}

const lastWord = (name: string) => name.slice(name.lastIndexOf('.') + 1);

/**
 * @param argumentNames names of the arguments of a function that is called by its address: what is no condition is an
 *   argument of it, and one of these names is, even where the dialect has a meaning for it
 * @throws PGRST100, PGRST103
 */
export function parseQuery(search: string, argumentNames?: ReadonlySet<string>): RowQuery {
  const given = new Map<string, string>();
  const filters: Filter[] = [];
  const logic: { path: EmbedPath; logic: Logic }[] = [];
  const order: { path: EmbedPath; terms: OrderTerm[] }[] = [];
  const windows = new Map<string, { path: EmbedPath; limit: number | undefined; offset: number }>();
  const args: QueryParam[] = [];
  for (const [name, value] of readParams(search)) {
    const argument = argumentNames && argumentOf(name, value, argumentNames);
    if (argument !== undefined) {
      args.push([argument, value]);
      continue;
    }
    const word = lastWord(name);
    if (word === 'or' || word === 'and') logic.push(quotable(word, value, () => readLogic(name, value)));
    else if (word === 'order' || word === 'limit' || word === 'offset') {
      const path = pathOf(name);
      takeOnce(given, JSON.stringify([...path, word]), word, value);
      if (word === 'order') order.push({ path, terms: quotable(word, value, () => parseOrder(value)) });
      else setWindow(windows, path, word, value);
    } else if (name === 'select' || name === 'columns' || name === 'on_conflict') takeOnce(given, name, name, value);
    else filters.push(readFilter(name, value));
  }
  const select = given.get('select') ?? '*';
  const columns = given.get('columns');
  const onConflict = given.get('on_conflict');
  return {
    select: quotable('select', select, () => parseSelect(select)),
    filters,
    logic,
    order,
    windows,
    columns: columns === undefined ? undefined : [...new Set(readNames(columns, 'columns'))],
    onConflict: onConflict === undefined ? undefined : readNames(onConflict, 'on_conflict'),
    args,
    bare: readBare(search),
  };
}

/** The argument that a parameter is; undefined for a condition, and for what the dialect has a meaning for. */
function argumentOf(name: string, value: string, argumentNames: ReadonlySet<string>): string | undefined {
  if (looksLikeCondition(value)) return undefined;
  if (argumentNames.has(name)) return name;
  if (name.startsWith('"')) {
    const scanner = new Scanner(name, `tree path (${name})`);
    const quoted = takeName(scanner);
    return scanner.done ? quoted : undefined;
  }
  return name.includes('.') || reservedNames.has(name) ? undefined : name;
}

/** @throws PGRST100 for a parameter that is given again: one of them would be dropped */
function takeOnce(given: Map<string, string>, key: string, word: string, value: string): void {
  if (given.has(key)) throw refusals.repeated(word);
  given.set(key, value);
}

/** Reads a parameter; one that fails and has a condition for its value is told how a column of its name is written. */
function quotable<Result>(word: string, value: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof RowError && looksLikeCondition(value) ? error.withHint(quoteHint(word)) : error;
  }
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
  if (!scanner.done) throw scanner.stumble(['delimiter (.)', 'end of input']).withHint(quoteHint(lastWord(name)));
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
  return quotable(what, text, () => takeNames(text, what));
}

function takeNames(text: string, what: string): string[] {
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
  path: EmbedPath,
  word: 'limit' | 'offset',
  value: string,
): void {
  const key = JSON.stringify(path);
  const window = windows.get(key) ?? { path, limit: undefined, offset: 0 };
  windows.set(key, window);
  // Left out, it would make a page of every row, and a change of a part a change of all.
  if (!/^-?\d+$/.test(value.trim())) throw refusals.notWhole(word, value);
  const number = Math.min(Number(value), offsetMax);
  if (word === 'offset') window.offset = Math.max(0, number);
  else if (number < 0) throw refusals.range('Limit should be greater than or equal to zero.');
  else window.limit = number;
}
