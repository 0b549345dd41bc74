import { demandField, demandName, everything, type Field, takeCast, takeName } from './names.ts';
import { Scanner } from './scanner.ts';

export type AggregateName = 'sum' | 'avg' | 'count' | 'max' | 'min';

export interface Aggregate {
  readonly name: AggregateName;
  readonly cast: string | undefined;
}

/** A column of the answer. */
export interface SelectField {
  readonly kind: 'field';
  readonly field: Field;
  readonly alias: string | undefined;
  readonly cast: string | undefined;
  readonly aggregate: Aggregate | undefined;
}

export type JoinKind = 'inner' | 'left';

/** Another relation within the answer: `alias:relation!hint!inner(…)`, or spread into it by `...`. */
export interface SelectEmbed {
  readonly kind: 'embed';
  readonly relation: string;
  readonly alias: string | undefined;
  readonly hint: string | undefined;
  readonly join: JoinKind | undefined;
  readonly spread: boolean;
  readonly items: readonly SelectItem[];
}

export type SelectItem = SelectField | SelectEmbed;

const aggregateNames: readonly AggregateName[] = ['sum', 'avg', 'count', 'max', 'min'];

/** Deepest nesting of embedded relations: each level is a join inside a join. */
const depthMax = 20;

/** Reads `select`. @throws PGRST100 */
export function parseSelect(text: string): SelectItem[] {
  const scanner = new Scanner(text, `select parameter (${text})`);
  const items = takeItems(scanner, 0);
  // A bracket too many at the end is let pass, as the dialect does.
  if (!scanner.done && scanner.here !== ')') throw scanner.stumble(['","', 'end of input']);
  return items;
}

function takeItems(scanner: Scanner, depth: number): SelectItem[] {
  const items: SelectItem[] = [];
  scanner.skipSpace();
  if (scanner.done || scanner.here === ')') return items;
  do {
    scanner.skipSpace();
    items.push(takeItem(scanner, depth));
    scanner.skipSpace();
  } while (scanner.take(','));
  return items;
}

function takeItem(scanner: Scanner, depth: number): SelectItem {
  if (scanner.take('...')) return takeEmbed(scanner, demandName(scanner), undefined, true, depth);
  if (scanner.take('*')) {
    if (!isEnd(scanner)) throw scanner.stumble(['")"', '","', 'end of input']);
    return plain({ name: everything, path: [] }, undefined);
  }
  const alias = takeAlias(scanner);
  if (scanner.sees('count()')) {
    scanner.take('count()');
    const aggregate = { name: 'count', cast: takeCast(scanner) } as const;
    return ended(scanner, { ...plain({ name: everything, path: [] }, alias), aggregate });
  }
  const start = scanner.at;
  const name = demandName(scanner);
  if (scanner.here === '(' || scanner.here === '!') return takeEmbed(scanner, name, alias, false, depth);
  scanner.at = start;
  return takeField(scanner, alias);
}

const plain = (field: Field, alias: string | undefined): SelectField => ({
  kind: 'field',
  field,
  alias,
  cast: undefined,
  aggregate: undefined,
});

/** A name with one colon behind it; two begin a cast. */
const takeAlias = (scanner: Scanner): string | undefined =>
  scanner.attempt(() => {
    const name = takeName(scanner);
    return name !== undefined && scanner.here === ':' && !scanner.sees('::') && scanner.take(':') ? name : undefined;
  });

function takeField(scanner: Scanner, alias: string | undefined): SelectField {
  const field = demandField(scanner);
  const cast = takeCast(scanner);
  const name = scanner.attempt(() => {
    if (!scanner.take('.')) return undefined;
    return aggregateNames.find((one) => scanner.take(`${one}()`));
  });
  const aggregate = name === undefined ? undefined : { name, cast: takeCast(scanner) };
  return ended(scanner, { kind: 'field', field, alias, cast, aggregate });
}

function ended(scanner: Scanner, field: SelectField): SelectField {
  scanner.skipSpace();
  if (!isEnd(scanner)) {
    const more =
      field.cast === undefined && field.aggregate === undefined ? ['"-"', '"->>"', '"->"', '"::"', '"."'] : [];
    throw scanner.stumble([...more, '")"', '","', 'end of input']);
  }
  return field;
}

const isEnd = (scanner: Scanner) =>
  scanner.done || scanner.here === ',' || scanner.here === ')' || scanner.here === ' ';

function takeEmbed(
  scanner: Scanner,
  relation: string,
  alias: string | undefined,
  spread: boolean,
  depth: number,
): SelectEmbed {
  let hint: string | undefined;
  let join: JoinKind | undefined;
  for (let given = 0; given < 2 && scanner.take('!'); given++) {
    const word = demandName(scanner);
    if (word === 'inner' || word === 'left') join ??= word;
    else hint ??= word;
  }
  if (depth >= depthMax) throw scanner.stumble([`at most ${depthMax} relations inside each other`]);
  scanner.demand('(');
  const items = takeItems(scanner, depth + 1);
  scanner.demand(')', '","');
  return { kind: 'embed', relation, alias, hint, join, spread, items };
}
