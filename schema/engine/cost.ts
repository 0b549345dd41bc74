import {
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';
import { foldSelections, type Selecting } from './fold-selections.ts';
import { checkLimit, type DocumentLimits, documentLimits, saturate } from './limits.ts';

/** Length taken for a connection that says nothing, or nothing that is an integer. */
const defaultPageSize = 50;
/** Length taken at most: no connection answers more, whatever it was asked. */
const maxPageSize = 200;
/** What says of a field that it is a list of so many. */
const listLength = 'listLength';

/** Says of a field that it is a list of so many, where no argument does: its children count as often. */
export const lengthOfList = (length: number) => ({ [listLength]: length });

/** The largest of no numbers. */
const nothingAsked = Number.NEGATIVE_INFINITY;

/** How often the children of a field count: a number, or what to read from variables, no less than `literal`. */
type Times = number | { readonly variables: readonly string[]; readonly literal: number };

/** The cost of some selections: a fixed part, and the parts that hang on variables. */
interface Sum {
  fixed: number;
  readonly terms: { readonly times: Times; readonly step: number }[];
}

/**
 * The cost of each operation of a document, worked out once as far as it does not hang on variables. What does hang on
 * them is a straight-line program: a step refers only to earlier ones, and a fragment is one step for all its spreads.
 */
export interface CostPlan {
  readonly steps: readonly Sum[];
  readonly operations: readonly { readonly node: OperationDefinitionNode; readonly sum: Sum }[];
}

/**
 * Plans the cost of a document: one for each field, with the children of a connection counted as often as `first` or
 * `last` says, and those of a list as often as its length is told. Takes any document that parses; a field or type the schema does not know counts as a plain one.
 */
export function planCost(schema: GraphQLSchema, document: DocumentNode): CostPlan {
  const steps: Sum[] = [];
  const places = new Map<Sum, number>();
  const placeOf = (sum: Sum): number => {
    const known = places.get(sum);
    if (known !== undefined) return known;
    places.set(sum, steps.length);
    return steps.push(sum) - 1;
  };
  const addBelow = (into: Sum, times: Times, below: Sum) => {
    if (typeof times === 'number' && below.terms.length === 0) into.fixed = saturate(into.fixed + times * below.fixed);
    else into.terms.push({ times, step: placeOf(below) });
  };
  const sums = foldSelections<Sum, GraphQLCompositeType | undefined>(document, {
    enter: (node, around) => typeInside(schema, node, around),
    begin: () => ({ fixed: 0, terms: [] }),
    add(into, selection, below, parent) {
      if (selection.kind === Kind.FIELD) into.fixed = saturate(into.fixed + 1);
      if (below !== undefined) addBelow(into, timesOf(schema, selection, parent), below);
    },
  });
  const operations = [];
  for (const [node, sum] of sums) if (node.kind === Kind.OPERATION_DEFINITION) operations.push({ node, sum });
  return { steps, operations };
}

/**
 * Throws if the operation that is about to run costs too much with these variables. Says nothing of an operation name
 * that selects none: executing it will.
 */
export function checkCost(
  plan: CostPlan,
  operationName: string | null | undefined,
  variables: Readonly<Record<string, unknown>> | null | undefined,
  limits: DocumentLimits = documentLimits,
): void {
  const { operations } = plan;
  const operation =
    operationName == null
      ? operations.length === 1 && operations[0]
      : operations.find(({ node }) => node.name?.value === operationName);
  if (operation) checkLimit('cost', limits, costOf(plan, operation, variables ?? {}));
}

function costOf(
  { steps }: CostPlan,
  { node, sum }: CostPlan['operations'][number],
  variables: Readonly<Record<string, unknown>>,
): number {
  const pageSizeOf = (name: string): unknown => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value !== undefined) return value;
    const fallback = node.variableDefinitions?.find(({ variable }) => variable.name.value === name)?.defaultValue;
    return fallback?.kind === Kind.INT ? Number(fallback.value) : undefined;
  };
  const timesNow = (times: Times): number => {
    if (typeof times === 'number') return times;
    const sizes = [times.literal, ...times.variables.map(pageSizeOf)].filter(Number.isInteger) as number[];
    return pageSize(Math.max(nothingAsked, ...sizes));
  };
  const values: number[] = [];
  const total = ({ fixed, terms }: Sum): number =>
    terms.reduce((cost, { times, step }) => saturate(cost + timesNow(times) * values[step]!), fixed);
  if (sum.terms.length > 0) for (const step of steps) values.push(total(step));
  return total(sum);
}

/** A page of none still asks for its first row, so the children count at least once. */
const pageSize = (asked: number): number =>
  asked === nothingAsked ? defaultPageSize : Math.min(Math.max(asked, 1), maxPageSize);

function timesOf(schema: GraphQLSchema, selection: SelectionNode, parent: GraphQLCompositeType | undefined): Times {
  if (selection.kind !== Kind.FIELD || parent === undefined) return 1;
  const field = schema.getField(parent, selection.name.value);
  const length = field?.extensions[listLength];
  if (typeof length === 'number') return length;
  const type = getNamedType(field?.type);
  if (!isObjectType(type) || !type.name.endsWith('Connection')) return 1;
  const variables: string[] = [];
  let literal = nothingAsked;
  for (const { name, value } of selection.arguments ?? []) {
    if (name.value !== 'first' && name.value !== 'last') continue;
    if (value.kind === Kind.VARIABLE) variables.push(value.name.value);
    else if (value.kind === Kind.INT) literal = Math.max(literal, Number(value.value));
  }
  return variables.length === 0 ? pageSize(literal) : { variables, literal };
}

function typeInside(
  schema: GraphQLSchema,
  node: Selecting,
  around: GraphQLCompositeType | undefined,
): GraphQLCompositeType | undefined {
  if (node.kind === Kind.OPERATION_DEFINITION) return schema.getRootType(node.operation) ?? undefined;
  if (node.kind === Kind.FIELD) {
    const type = around && getNamedType(fieldType(schema, node, around));
    return isCompositeType(type) ? type : undefined;
  }
  if (node.typeCondition === undefined) return around;
  const type = schema.getType(node.typeCondition.name.value);
  return isCompositeType(type) ? type : undefined;
}

const fieldType = (
  schema: GraphQLSchema,
  field: FieldNode,
  parent: GraphQLCompositeType,
): GraphQLOutputType | undefined => schema.getField(parent, field.name.value)?.type;
