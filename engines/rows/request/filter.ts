import { reservedNames, takeQuoted } from './names.ts';
import { Scanner } from './scanner.ts';

/** Operators between a column and a value; some also against any or all of several values. */
export const comparisons = {
  eq: { sql: '=', quantified: true },
  neq: { sql: '<>', quantified: false },
  gt: { sql: '>', quantified: true },
  gte: { sql: '>=', quantified: true },
  lt: { sql: '<', quantified: true },
  lte: { sql: '<=', quantified: true },
  like: { sql: 'like', quantified: true },
  ilike: { sql: 'ilike', quantified: true },
  match: { sql: '~', quantified: true },
  imatch: { sql: '~*', quantified: true },
  isdistinct: { sql: 'is distinct from', quantified: false },
  cs: { sql: '@>', quantified: false },
  cd: { sql: '<@', quantified: false },
  ov: { sql: '&&', quantified: false },
  sl: { sql: '<<', quantified: false },
  sr: { sql: '>>', quantified: false },
  nxr: { sql: '&<', quantified: false },
  nxl: { sql: '&>', quantified: false },
  adj: { sql: '-|-', quantified: false },
} as const;

export type Comparison = keyof typeof comparisons;

/** Text search operators by the function that reads their query. */
export const searches = {
  fts: 'to_tsquery',
  plfts: 'plainto_tsquery',
  phfts: 'phraseto_tsquery',
  wfts: 'websearch_to_tsquery',
} as const;

export type Search = keyof typeof searches;

export const identities = {
  null: 'null',
  not_null: 'not null',
  true: 'true',
  false: 'false',
  unknown: 'unknown',
} as const;

export type Identity = keyof typeof identities;

/** What a column is held against. */
export type Operation =
  | {
      readonly kind: 'compare';
      readonly operator: Comparison;
      readonly quantifier?: 'any' | 'all';
      readonly value: string;
      /** A pattern is as SQL writes it; otherwise a star in it matches any text, as the dialect has it. */
      readonly inSql?: true;
    }
  | { readonly kind: 'search'; readonly operator: Search; readonly config: string | undefined; readonly value: string }
  | { readonly kind: 'is'; readonly identity: Identity }
  | { readonly kind: 'in'; readonly values: readonly string[] };

export interface Condition {
  readonly negated: boolean;
  readonly operation: Operation;
}

const operatorName = /[a-z]+/y;
const configName = /[\p{L}\p{N}_\-.]+/uy;
const identityName = /[a-z_]+/iy;
const listElement = /[^,)]*/y;

/** Reads where a value goes on to: the end of the text, or of its place in a list of conditions. */
export type TakeValue = (scanner: Scanner) => string;

const wholeRest: TakeValue = (scanner) => scanner.rest();

/** Whether a text begins as a condition does; otherwise it may be an argument of a function. */
export function looksLikeCondition(text: string): boolean {
  const name = /^(?:not\.)?([a-z]+)(?:\([^)]*\))?\./.exec(text)?.[1];
  if (name === undefined) return false;
  return Object.hasOwn(comparisons, name) || Object.hasOwn(searches, name) || name === 'is' || name === 'in';
}

const orderEnd = /\.(?:asc|desc|nullsfirst|nullslast)$/;

/**
 * The name of a parameter as an address has it: quoted where the dialect has a meaning for the name and the value is a
 * condition, which is of the column of this name.
 */
export function parameterName(name: string, value: string): string {
  if (!reservedNames.has(name) || !looksLikeCondition(value)) return name;
  return name === 'order' && orderEnd.test(value) ? name : `"${name}"`;
}

/** Reads a condition such as `eq.5`, `not.in.(1,2)`. @throws PGRST100 */
export function parseCondition(text: string): Condition {
  const scanner = new Scanner(text, `filter (${text})`);
  const condition = takeCondition(scanner, wholeRest);
  scanner.skipSpace();
  if (!scanner.done) throw scanner.stumble(['end of input']);
  return condition;
}

/** @throws PGRST100 */
export function takeCondition(scanner: Scanner, takeValue: TakeValue): Condition {
  const negated = scanner.take('not.');
  return { negated, operation: takeOperation(scanner, takeValue, negated) };
}

function takeOperation(scanner: Scanner, takeValue: TakeValue, negated: boolean): Operation {
  const start = scanner.at;
  const name = scanner.match(operatorName) ?? '';
  const unknown = () => scanner.stumble([...(negated ? [] : ['"not"']), 'operator (eq, gt, ...)'], start);
  if (name === 'in' || name === 'is') {
    if (!scanner.take('.')) throw unknown();
    return name === 'in' ? { kind: 'in', values: takeList(scanner) } : takeIs(scanner);
  }
  if (Object.hasOwn(searches, name)) {
    const config = scanner.take('(') ? scanner.match(configName) : undefined;
    if (config !== undefined) scanner.demand(')');
    if (!scanner.take('.')) throw scanner.stumble(['"("', 'delimiter (.)']);
    return { kind: 'search', operator: name as Search, config, value: takeValue(scanner) };
  }
  if (!Object.hasOwn(comparisons, name)) throw unknown();
  const operator = name as Comparison;
  const quantifier = takeQuantifier(scanner, operator);
  if (!scanner.take('.')) throw scanner.stumble(['"("', 'delimiter (.)']);
  const value = takeValue(scanner);
  return { kind: 'compare', operator, value, ...(quantifier === undefined ? {} : { quantifier }) };
}

function takeQuantifier(scanner: Scanner, operator: Comparison): 'any' | 'all' | undefined {
  if (!comparisons[operator].quantified || !scanner.take('(')) return undefined;
  const quantifier = scanner.take('any') ? 'any' : scanner.take('all') ? 'all' : undefined;
  if (quantifier === undefined) throw scanner.stumble(['"any"', '"all"']);
  scanner.demand(')');
  return quantifier;
}

function takeIs(scanner: Scanner): Operation {
  const start = scanner.at;
  const identity = scanner.match(identityName)?.toLowerCase() ?? '';
  if (!Object.hasOwn(identities, identity))
    throw scanner.stumble(['isVal: (null, not_null, true, false, unknown)'], start);
  return { kind: 'is', identity: identity as Identity };
}

/** `(a,"b,c",d)`; a list of nothing holds one empty text. */
function takeList(scanner: Scanner): string[] {
  scanner.skipSpace();
  scanner.demand('(');
  scanner.skipSpace();
  const values: string[] = [];
  do values.push(takeElement(scanner));
  while (scanner.take(','));
  scanner.demand(')', '","');
  return values;
}

/** A quoted text, or all before the next comma or bracket. */
export function takeElement(scanner: Scanner): string {
  const quoted = scanner.attempt(() => {
    const text = scanner.here === '"' ? takeQuoted(scanner) : undefined;
    return scanner.done || scanner.here === ',' || scanner.here === ')' ? text : undefined;
  });
  return quoted ?? scanner.match(listElement) ?? '';
}
