import { demandField, demandName, type Field } from './names.ts';
import { Scanner } from './scanner.ts';

export interface OrderTerm {
  /** An embedded relation whose column it is. */
  readonly relation: string | undefined;
  readonly field: Field;
  readonly direction: 'asc' | 'desc' | undefined;
  readonly nulls: 'first' | 'last' | undefined;
}

/** Reads `order`. @throws PGRST100 */
export function parseOrder(text: string): OrderTerm[] {
  const scanner = new Scanner(text, `order (${text})`);
  const terms: OrderTerm[] = [];
  do {
    scanner.skipSpace();
    terms.push(takeTerm(scanner));
  } while (scanner.take(','));
  return terms;
}

function takeTerm(scanner: Scanner): OrderTerm {
  const start = scanner.at;
  const name = demandName(scanner);
  let relation: string | undefined;
  if (scanner.take('(')) relation = name;
  else scanner.at = start;
  const field = demandField(scanner);
  if (relation !== undefined) scanner.demand(')', '"->>"', '"->"');
  const direction = scanner.take('.asc') ? 'asc' : scanner.take('.desc') ? 'desc' : undefined;
  const nulls = scanner.take('.nullsfirst') ? 'first' : scanner.take('.nullslast') ? 'last' : undefined;
  scanner.skipSpace();
  if (!scanner.done && scanner.here !== ',') throw wrongEnd(scanner, direction, nulls);
  return { relation, field, direction, nulls };
}

function wrongEnd(scanner: Scanner, direction: string | undefined, nulls: string | undefined) {
  if (scanner.here === '.' && nulls === undefined) {
    const words = ['"nullsfirst"', '"nullslast"'];
    return scanner.stumble(direction === undefined ? ['"asc"', '"desc"', ...words] : words, scanner.at + 1);
  }
  return scanner.stumble([...(nulls === undefined ? ['delimiter (.)'] : []), '","', 'end of input']);
}
