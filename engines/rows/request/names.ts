import type { Scanner } from './scanner.ts';

/** A step into JSON: `->key`, `->>0`. */
export interface JsonStep {
  readonly asText: boolean;
  readonly key: string;
  /** The key is a position in an array. */
  readonly isIndex: boolean;
}

/** A column, or what lies inside it. */
export interface Field {
  readonly name: string;
  readonly path: readonly JsonStep[];
}

/** The name that means every column. */
export const everything = '*';

const fieldNameExpected = 'field name (* or [a..z0..9_$])';
const letters = /[\p{L}\p{M}\p{N}_ $]+/uy;
const quotedText = /"(?:[^"\\]|\\.)*"/sy;
const jsonKey = /[^(\-:.,>)]+/y;
const jsonIndex = /-?\d+(?=->|::|[.,)]|$)/y;
const castName = /[\p{L}\p{N}_ $]+/uy;

/** Undoes the quotes and backslashes of a quoted text. */
export const unquote = (text: string): string => text.slice(1, -1).replace(/\\(.)/gs, '$1');

/** `"a text"` with its escapes undone. */
export function takeQuoted(scanner: Scanner): string | undefined {
  const text = scanner.match(quotedText);
  return text === undefined ? undefined : unquote(text);
}

/** Parts joined by dashes, unless the dash begins an arrow. */
function takeDashed(scanner: Scanner, pattern: RegExp): string | undefined {
  const first = scanner.match(pattern);
  if (first === undefined) return undefined;
  let name = first.trim();
  while (scanner.here === '-' && !scanner.sees('->')) {
    const part = scanner.attempt(() => {
      scanner.take('-');
      return scanner.match(pattern);
    });
    if (part === undefined) break;
    name += `-${part.trim()}`;
  }
  return name;
}

/** Parameters that the dialect has a meaning for: a column of such a name is quoted. */
export const reservedNames: ReadonlySet<string> = new Set([
  ...['select', 'columns', 'on_conflict', 'order', 'limit', 'offset', 'or', 'and'],
]);

/** The name of a column, a relation or an alias. */
export function takeName(scanner: Scanner): string | undefined {
  return scanner.here === '"' ? takeQuoted(scanner) : takeDashed(scanner, letters);
}

/** @throws PGRST100 when no name is next */
export function demandName(scanner: Scanner, ...orElse: readonly string[]): string {
  const name = takeName(scanner);
  if (name === undefined) throw scanner.stumble([fieldNameExpected, ...orElse]);
  return name;
}

/** The steps into JSON that follow a name. @throws PGRST100 for an arrow to nowhere */
export function takeJsonPath(scanner: Scanner): JsonStep[] {
  const steps: JsonStep[] = [];
  while (scanner.sees('->')) {
    scanner.take('->');
    steps.push(jsonStep(scanner, scanner.take('>')));
  }
  return steps;
}

function jsonStep(scanner: Scanner, asText: boolean): JsonStep {
  const index = scanner.match(jsonIndex);
  if (index !== undefined) return { asText, key: index, isIndex: true };
  const key = scanner.here === '"' ? takeQuoted(scanner) : takeDashed(scanner, jsonKey);
  if (key !== undefined) return { asText, key, isIndex: false };
  if (scanner.here === '-') throw scanner.stumble(['digit'], scanner.at + 1);
  throw scanner.stumble(['"-"', 'digit', 'any non reserved character different from: .,>()']);
}

/** A name and the steps into it. @throws PGRST100 */
export function demandField(scanner: Scanner, ...orElse: readonly string[]): Field {
  const name = demandName(scanner, ...orElse);
  return { name, path: takeJsonPath(scanner) };
}

/** The name of a type after `::`. @throws PGRST100 */
export function takeCast(scanner: Scanner): string | undefined {
  if (!scanner.take('::')) return undefined;
  const name = scanner.match(castName)?.trim();
  if (name === undefined || name === '') throw scanner.stumble(['letter', 'digit', '"_"']);
  return name;
}
