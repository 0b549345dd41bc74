import fc from 'fast-check';
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLCompositeType,
  getNamedType,
  isCompositeType,
  Kind,
  parse,
  print,
  type SelectionNode,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { checkCost, planCost } from '../../schema/engine/cost.ts';
import { checkLimits, type LimitName } from '../../schema/engine/limits.ts';
import { costOf, counting, measure, refusal, schema } from './measured.ts';

describe('random documents', () => {
  const names = ['A', 'B', 'C'];
  const types = ['Query', 'User', 'Room', 'RoomConnection', '__Type', 'Any', 'Nope'];
  const fields = [
    'me',
    'room',
    'rooms',
    'messages',
    'edges',
    'node',
    'id',
    'members',
    '__schema',
    '__type',
    'types',
    'fields',
    'nope',
  ];
  const directives = fc.constantFrom('', '', ' @include(if: true)', ' @a @b');
  const sizes = fc.constantFrom('', '(first: 3)', '(last: $n)', '(first: $m, last: 2)', '(first: null)');

  /** Selections that spread any of `spreads`, so that the caller decides whether there are cycles. */
  const selections = (spreads: readonly string[]) =>
    fc.letrec<{ set: string; selection: string }>((tie) => ({
      set: fc.array(tie('selection'), { minLength: 1, maxLength: 3 }).map((all) => `{ ${all.join(' ')} }`),
      selection: fc.oneof(
        { maxDepth: 4, depthSize: 'small' },
        fc.constantFrom('id', 'x: name', 'nope', '__type(name: "A") { name }'),
        fc.tuple(fc.constantFrom(...spreads), directives).map(([name, d]) => `...${name}${d}`),
        fc
          .tuple(fc.constantFrom('', 'x: '), fc.constantFrom(...fields), sizes, directives, tie('set'))
          .map(([alias, name, size, d, set]) => `${alias}${name}${size}${d} ${set}`),
        fc
          .tuple(fc.constantFrom('', ...types.map((type) => ` on ${type}`)), directives, tie('set'))
          .map(([type, d, set]) => `...${type}${d} ${set}`),
      ),
    })).set;
  const documents = (spreadsOf: (index: number) => readonly string[]) => {
    const fragments = names.map((name, index) =>
      fc
        .tuple(fc.constantFrom(...types), selections(spreadsOf(index)))
        .map(([type, set]) => `fragment ${name} on ${type} ${set}`),
    );
    return fc
      .tuple(selections(spreadsOf(-1)), ...fragments)
      .map(([set, ...all]) => `query Q($n: Int, $m: Int = 4) ${set} ${all.join(' ')}`);
  };
  const anyDocument = documents(() => [...names, 'Undefined']);
  const acyclicDocument = documents((index) => [...names.slice(index + 1), 'Undefined']);

  test('every check passes or refuses with a limit, and reads each selection once', () => {
    fc.assert(
      fc.property(anyDocument, fc.dictionary(fc.constantFrom('n', 'm'), fc.jsonValue()), (source, variables) => {
        const { document, selections, visits } = counting(parse(source));
        refusal(() => checkLimits(document));
        expect(visits()).toBe(selections);
        const plan = planCost(schema, document);
        expect(visits()).toBe(2 * selections);
        expect(plan.steps.length).toBeLessThanOrEqual(selections);
        refusal(() => checkCost(plan, 'Q', variables));
      }),
    );
  });

  test('without cycles, all counts are those of the plain recursive definition', () => {
    fc.assert(
      fc.property(acyclicDocument, (source) => {
        const document = parse(source);
        const expected = measureByRecursion(document);
        const actual = Object.keys(expected).map((limit) => [limit, measure(document, limit as LimitName)]);
        expect(Object.fromEntries(actual)).toEqual(expected);
        expect(costOf(source, { n: 6 })).toBe(costByRecursion(document));
      }),
    );
  });
});

/** What the checks must agree with: every definition expanded as often as it is spread. */
function measureByRecursion(document: DocumentNode): Partial<Record<LimitName, number>> {
  const below = inside(document);
  const max = (numbers: number[]) => Math.max(0, ...numbers);
  const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
  const isField = (node: SelectionNode): node is FieldNode => node.kind === Kind.FIELD;
  const introspects = (node: SelectionNode) => isField(node) && /^__(schema|type)$/.test(node.name.value);
  const isList = (node: SelectionNode) =>
    isField(node) && (node.name.value === 'types' || node.name.value === 'fields');

  const count = (set: Selections, one: (node: SelectionNode) => number): number =>
    sum(set.map((node) => one(node) + count(below(node), one)));
  const longest = (set: Selections, one: (node: SelectionNode) => boolean): number =>
    max(set.map((node) => (one(node) ? 1 : 0) + longest(below(node), one)));
  const width = (set: Selections): number => sum(set.map((node) => (isField(node) ? 1 : width(below(node)))));
  const depth = (set: Selections): number =>
    max(set.map((node) => (introspects(node) ? 1 : (isField(node) ? 1 : 0) + depth(below(node)))));
  const anywhere = (set: Selections, one: (node: SelectionNode) => number): number =>
    max(set.map((node) => (introspects(node) ? one(node) : anywhere(below(node), one))));
  const nesting = (set: Selections): number =>
    1 + max(set.map((node) => (hasSelections(document, node) ? nesting(below(node)) : 0)));

  const operation = document.definitions.flatMap((d) => (d.kind === Kind.OPERATION_DEFINITION ? [d] : []))[0]!;
  const root = operation.selectionSet.selections;
  const all = document.definitions.flatMap((d) => ('selectionSet' in d ? [d.selectionSet.selections] : []));
  return {
    depth: depth(root),
    rootFields: width(root),
    introspections: count(root, (node) => Number(introspects(node))),
    introspectionDepth: anywhere(root, (node) => longest([node], isField)),
    introspectionLists: anywhere(root, (node) => longest(below(node), isList)),
    fields: max(all.map((set) => count(set, (node) => Number(isField(node))))),
    aliases: max(all.map((set) => count(set, (node) => Number(isField(node) && node.alias !== undefined)))),
    directives: max(all.map((set) => count(set, (node) => node.directives?.length ?? 0))),
    nesting: max(all.map(nesting)),
  };
}

/** The same for cost, with `n` given as 6 and `m` left at its default of 4. */
function costByRecursion(document: DocumentNode): number {
  const below = inside(document);
  const times: Record<string, number> = { 'first: 3': 3, 'last: $n': 6, 'first: $m, last: 2': 4 };
  const typeOf = (name: string | undefined) => {
    const type = name === undefined ? undefined : schema.getType(name);
    return isCompositeType(type) ? type : undefined;
  };
  const cost = (set: Selections, parent: GraphQLCompositeType | undefined): number => {
    let total = 0;
    for (const node of set) {
      if (node.kind === Kind.FIELD) {
        const type = parent && getNamedType(schema.getField(parent, node.name.value)?.type)?.name;
        const pages = times[node.arguments?.map(print).join(', ') ?? ''] ?? 50;
        total += 1 + (type?.endsWith('Connection') ? pages : 1) * cost(below(node), typeOf(type));
      } else {
        const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragmentOf(document, node) : node;
        const condition = fragment?.typeCondition;
        total += cost(below(node), condition ? typeOf(condition.name.value) : parent);
      }
    }
    return total;
  };
  const operation = document.definitions.find((d) => d.kind === Kind.OPERATION_DEFINITION)!;
  return Math.min(cost(operation.selectionSet.selections, typeOf('Query')), 1_000_000_000);
}

type Selections = readonly SelectionNode[];

const fragmentOf = (document: DocumentNode, spread: FragmentSpreadNode) =>
  document.definitions.find((d) => d.kind === Kind.FRAGMENT_DEFINITION && d.name.value === spread.name.value) as
    | FragmentDefinitionNode
    | undefined;
const selectionSetOf = (document: DocumentNode, node: SelectionNode) =>
  (node.kind === Kind.FRAGMENT_SPREAD ? fragmentOf(document, node) : node)?.selectionSet;
const hasSelections = (document: DocumentNode, node: SelectionNode) => selectionSetOf(document, node) !== undefined;
const inside = (document: DocumentNode) => (node: SelectionNode) => selectionSetOf(document, node)?.selections ?? [];
