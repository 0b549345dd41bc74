import { invalidField } from '../../../core/errors.ts';
import { refuseCostlyPattern } from '../plan/patterns.ts';
import type { ReadNode, Where } from '../plan/read-node.ts';
import type { Condition, Operation } from '../request/filter.ts';
import type { GraphColumn, GraphTable } from './graph-model.ts';
import { linked, type PlanState } from './plan-state.ts';
import type { Args } from './selected-field.ts';

/** Deepest nesting of filters, and most conditions of one. */
const depthMax = 20;
const conditionsMax = 500;

/** Conditions that a filter comes to. @throws VALIDATION_FAILED for one that leaves open what it means */
export function conditionsOf(
  state: PlanState,
  node: Pick<ReadNode, 'depth'>,
  table: GraphTable,
  filter: Args | null | undefined,
  path = 'where',
): Where[] {
  return filter === null || filter === undefined ? [] : members(state, { node, table, path, depth: 0 }, filter);
}

interface Place {
  readonly node: Pick<ReadNode, 'depth'>;
  readonly table: GraphTable;
  readonly path: string;
  readonly depth: number;
}

function members(state: PlanState, place: Place, filter: Args): Where[] {
  if (place.depth > depthMax) throw invalidField(place.path, `at most ${depthMax} filters inside each other`);
  return Object.entries(filter).flatMap(([name, value]) => {
    const path = `${place.path}.${name}`;
    const here = { ...place, path, depth: place.depth + 1 };
    // Left out, a condition would choose more rows than was meant.
    if (value === null || value === undefined) throw invalidField(path, 'must not be null; ask for null by isNull');
    if (name === 'and' || name === 'or') return [group(state, here, name, value as readonly Args[])];
    if (name === 'not')
      return [{ kind: 'and', negated: true, members: something(here, members(state, here, value as Args)) }];
    const relation = place.table.relations.find((one) => one.name === name);
    if (relation !== undefined) return related(state, here, relation, value as Args);
    const column = place.table.readable.find((one) => one.name === name);
    if (column === undefined) throw invalidField(path, 'is not known here');
    return something(here, columnConditions(state, here, column, value as Args));
  });
}

function something(place: Place, found: Where[]): Where[] {
  if (found.length === 0) throw invalidField(place.path, 'must say something');
  return found;
}

function group(state: PlanState, place: Place, kind: 'and' | 'or', filters: readonly Args[]): Where {
  const all = filters.map((one, index): Where => {
    const here = { ...place, path: `${place.path}.${index}` };
    return { kind: 'and', negated: false, members: something(here, members(state, here, one)) };
  });
  return { kind, negated: false, members: something(place, all) };
}

function related(state: PlanState, place: Place, relation: GraphTable['relations'][number], value: Args): Where[] {
  const found = Object.entries(value).map(([word, filter]): Where => {
    const path = `${place.path}.${word}`;
    if (filter === null) throw invalidField(path, 'must not be null');
    const child = linked(state, place.node, relation);
    const here = { node: child, table: relation.target, path, depth: place.depth + 1 };
    child.where.push(...members(state, here, filter as Args));
    return { kind: 'related', child, present: word === 'some' };
  });
  return something(place, found);
}

function columnConditions(state: PlanState, place: Place, column: GraphColumn, asked: Args): Where[] {
  return Object.entries(asked).map(([name, value]) => {
    const path = `${place.path}.${name}`;
    if (value === null || value === undefined) throw invalidField(path, 'must not be null; ask for null by isNull');
    state.conditions += 1;
    if (state.conditions > conditionsMax) throw invalidField(path, `at most ${conditionsMax} conditions at once`);
    const field = { name: column.column.name, path: [] };
    const condition = conditionOf(column, name, value);
    refuseCostlyPattern(condition, state.role);
    return { kind: 'filter', field, column: column.column, condition };
  });
}

const operators = {
  eq: 'eq',
  neq: 'neq',
  gt: 'gt',
  gte: 'gte',
  lt: 'lt',
  lte: 'lte',
  like: 'like',
  ilike: 'ilike',
  match: 'match',
  imatch: 'imatch',
  contains: 'cs',
  containedBy: 'cd',
  overlaps: 'ov',
} as const;

function conditionOf({ value: { isList, comparable } }: GraphColumn, name: string, value: unknown): Condition {
  const positive = (operation: Operation): Condition => ({ negated: false, operation });
  if (name === 'isNull') return positive({ kind: 'is', identity: value === true ? 'null' : 'not_null' });
  if (name === 'in')
    return positive({ kind: 'compare', operator: 'eq', quantifier: 'any', value: arrayText(value as unknown[]) });
  const operator = operators[name as keyof typeof operators];
  const text = isList
    ? arrayText(value as unknown[])
    : comparable === 'document'
      ? JSON.stringify(value)
      : textOf(value);
  return positive({ kind: 'compare', operator, value: text, inSql: true });
}

/** A value as PostgreSQL reads it. */
export const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

/** A list as PostgreSQL reads an array. */
function arrayText(values: readonly unknown[]): string {
  const elements = values.map((value) =>
    value === null ? 'null' : `"${textOf(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`,
  );
  return `{${elements.join(',')}}`;
}
