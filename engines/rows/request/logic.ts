import { type Condition, takeCondition, takeElement } from './filter.ts';
import { demandField, type Field } from './names.ts';
import { Scanner } from './scanner.ts';

export type Logic = LogicGroup | LogicFilter;

export interface LogicGroup {
  readonly kind: 'and' | 'or';
  readonly negated: boolean;
  readonly members: readonly Logic[];
}

export interface LogicFilter {
  readonly kind: 'filter';
  readonly field: Field;
  readonly condition: Condition;
}

const groupStart = /(not\.)?(and|or)(?=[ \t]*\()/y;
const arrayLiteral = /\{[^{}]*\}/y;

/** Deepest nesting of groups. */
const depthMax = 50;

/** Reads the value of `or=(…)`. @param operator `or`, `and`, `not.or`, `not.and` @throws PGRST100 */
export function parseLogic(operator: string, text: string): Logic {
  // The operator is read as a part of the text, so that a group is always written the same.
  const scanner = new Scanner(operator + text, `logic tree (${text})`);
  const logic = takeLogic(scanner, 0);
  scanner.skipSpace();
  // What follows would be dropped, and the condition hold for more rows than were meant.
  if (!scanner.done) throw scanner.stumble(['end of input']);
  return logic;
}

function takeLogic(scanner: Scanner, depth: number): Logic {
  if (depth > depthMax) throw scanner.stumble([`at most ${depthMax} groups inside each other`]);
  scanner.skipSpace();
  const group = scanner.match(groupStart);
  if (group === undefined) {
    const field = demandField(scanner, 'negation operator (not)', 'logic operator (and, or)');
    if (!scanner.take('.')) throw scanner.stumble(['"->>"', '"->"', 'delimiter (.)']);
    return { kind: 'filter', field, condition: takeCondition(scanner, takeValue) };
  }
  scanner.skipSpace();
  scanner.demand('(');
  const members: Logic[] = [];
  do {
    members.push(takeLogic(scanner, depth + 1));
    scanner.skipSpace();
  } while (scanner.take(','));
  scanner.demand(')', '","');
  return { kind: group.endsWith('and') ? 'and' : 'or', negated: group.startsWith('not.'), members };
}

/** Arrays keep the commas between their braces. */
const takeValue = (scanner: Scanner): string => scanner.match(arrayLiteral) ?? takeElement(scanner);
