import fc from 'fast-check';
import {
  buildSchema,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLCompositeType,
  getIntrospectionQuery,
  getNamedType,
  isCompositeType,
  Kind,
  OperationTypeNode,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../core/errors.ts';
import { checkCost, planCost } from '../../schema/engine/cost.ts';
import {
  checkLimits,
  checkSource,
  type DocumentLimits,
  documentLimits,
  type LimitName,
} from '../../schema/engine/limits.ts';

const schema = buildSchema(`
  type Query { me: User, room(id: ID): Room, rooms(first: Int, last: Int, after: String): RoomConnection!, any: Any }
  type User { id: ID!, name: String, rooms(first: Int, last: Int): RoomConnection }
  type Room { id: ID!, name: String, members: [User!]!, messages(first: Int, last: Int): MessageConnection! }
  type Message { id: ID!, body: String, sender: User }
  type RoomConnection { edges: [RoomEdge!]!, totalCount: Int }
  type RoomEdge { node: Room }
  type MessageConnection { edges: [MessageEdge!]! }
  type MessageEdge { node: Message }
  union Any = User | Room
`);

const unlimited = Object.fromEntries(
  Object.keys(documentLimits).map((limit) => [limit, Number.MAX_SAFE_INTEGER]),
) as unknown as DocumentLimits;

/** The refusal a check throws, or undefined when it lets the document pass; anything else it throws fails the test. */
function refusal(check: () => void): { limit: LimitName; allowed: number; actual: number } | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'GRAPHQL_LIMIT_EXCEEDED') throw error;
    return error.details as ReturnType<typeof refusal>;
  }
}
const limitsOf = (source: string, limits = documentLimits) => refusal(() => checkLimits(parse(source), limits));
/** The least one has to allow of a limit for the document to pass. */
function measure(document: DocumentNode, limit: LimitName): number {
  for (let allowed = -1; ; ) {
    const refused = refusal(() => checkLimits(document, { ...unlimited, [limit]: allowed }));
    if (refused === undefined) return allowed;
    allowed = refused.actual;
  }
}
const costOf = (source: string, variables: Record<string, unknown> = {}, operationName?: string) =>
  refusal(() => checkCost(planCost(schema, parse(source)), operationName, variables, { ...unlimited, cost: -1 }))
    ?.actual;

/** `{a{a{a … }}}` made by hand, since the parser could not go so deep. */
function deepDocument(depth: number): DocumentNode {
  let selectionSet: SelectionSetNode | undefined;
  for (let level = 0; level < depth; level++) {
    const name = { kind: Kind.NAME, value: 'me' } as const;
    const field: FieldNode = { kind: Kind.FIELD, name, ...(selectionSet && { selectionSet }) };
    selectionSet = { kind: Kind.SELECTION_SET, selections: [field] };
  }
  const operation = OperationTypeNode.QUERY;
  return {
    kind: Kind.DOCUMENT,
    definitions: [{ kind: Kind.OPERATION_DEFINITION, operation, selectionSet: selectionSet! }],
  };
}

/** A chain of fragments, each of which spreads the next one twice: two to the power of `levels` leaves. */
function doublingChain(levels: number, leaf: string): string {
  const fragments = Array.from({ length: levels }, (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`);
  return `{ ...F0 } ${fragments.join(' ')} fragment F${levels} on Query { ${leaf} }`;
}

/** The same document, counting how often any selection is read. */
function counting(document: DocumentNode): { document: DocumentNode; selections: number; visits: () => number } {
  let visits = 0;
  let selections = 0;
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        if (key === 'loc') return [key, undefined];
        if (key !== 'selections') return [key, copy(member)];
        selections += (member as unknown[]).length;
        return [
          key,
          new Proxy(copy(member) as object, {
            get(target, index, receiver) {
              const read = Reflect.get(target, index, receiver);
              if (typeof index === 'string' && /^\d+$/.test(index) && read !== undefined) visits++;
              return read;
            },
          }),
        ];
      }),
    );
  };
  const copied = copy(document) as DocumentNode;
  return { document: copied, selections, visits: () => visits };
}

describe('before parsing', () => {
  test.each<[LimitName, string]>([
    ['sourceBytes', 'x'.repeat(documentLimits.sourceBytes + 1)],
    ['sourceBytes', 'ü'.repeat(documentLimits.sourceBytes / 2 + 1)],
    ['tokens', `{ ${'me '.repeat(4_000)} }`],
    ['comments', `${'#\n'.repeat(1_001)} { me }`],
    ['comments', `{ me } ${'#\n'.repeat(1_001)}`],
    ['nesting', '{ me '.repeat(101)],
    ['nesting', `{ me(x: ${'['.repeat(1_900)}`],
    ['nesting', `{ me(x: ${'{x:'.repeat(1_000)}`],
    ['nesting', `query ($x: ${'['.repeat(1_900)}`],
  ])('a source over the limit of %s is refused', (limit, source) => {
    expect(refusal(() => checkSource(source))).toMatchObject({ limit, allowed: documentLimits[limit] });
  });

  test('brackets in strings and comments are not nesting', () => {
    expect(checkSource(`{ me(x: "${'{'.repeat(500)}", y: """${'['.repeat(500)}""") } # ${'('.repeat(500)}`)).toBe(11);
  });

  test('brackets beside each other are not nesting', () => {
    expect(checkSource(`{ ${'me(x: [{}]) { id } '.repeat(150)} }`)).toBe(2 + 150 * 12);
  });

  test('a source the lexer refuses is left to the parser', () => {
    expect(checkSource('{ me(x: "unclosed')).toBe(5);
  });
});

describe('a document is measured after its fragments are expanded', () => {
  test.each<[LimitName, number, string]>([
    ['depth', 3, '{ me { ...F } } fragment F on User { rooms { ... { totalCount } } }'],
    ['aliases', 4, '{ ...F ...F } fragment F on Query { a: me { id } b: me { id } }'],
    ['directives', 5, 'query @a { me @a ... @a { ...F @a } } fragment F on Query { me @a }'],
    ['directives', 1, 'query ($x: Int @a) { me }'],
    ['fields', 7, '{ me { ...F ...F rooms { totalCount } } } fragment F on User { id name }'],
    ['rootFields', 3, '{ ...F ... { me { id } } } fragment F on Query { me { id } any { __typename } }'],
    ['nesting', 4, '{ me { ...F } } fragment F on User { ... { id } }'],
    ['introspections', 2, '{ ...F ...F } fragment F on Query { __type(name: "A") { name } }'],
  ])('%s: %i in %j', (limit, actual, source) => {
    expect(measure(parse(source), limit)).toBe(actual);
    expect(limitsOf(source, { ...unlimited, [limit]: actual })).toBeUndefined();
    expect(limitsOf(source, { ...unlimited, [limit]: actual - 1 })).toEqual({ limit, allowed: actual - 1, actual });
  });

  test('the definitions of a document are counted apart, since only one of them runs', () => {
    expect(measure(parse('query A { me { id } } query B { me { id } }'), 'fields')).toBe(2);
  });

  test('a fragment that nothing spreads is counted: validation looks into it as well', () => {
    expect(limitsOf(`{ me } ${doublingChain(50, 'me').slice('{ ...F0 }'.length)}`)).toMatchObject({ limit: 'fields' });
  });

  test('the refusal says which limit, what is allowed and what was found', () => {
    const document = parse(`{ ${Array.from({ length: 61 }, (_, i) => `...{ me { a${i}: id } }`).join(' ')} }`);
    expect(() => checkLimits(document, { ...documentLimits, rootFields: 100 })).toThrow(
      expect.objectContaining({
        code: 'GRAPHQL_LIMIT_EXCEEDED',
        message: 'The document has more than 60 aliases.',
        details: { limit: 'aliases', allowed: 60, actual: 61 },
      }),
    );
  });
});

describe('introspection', () => {
  const options = {
    descriptions: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    experimentalDirectiveDeprecation: true,
    oneOf: true,
  };

  test.each([
    ['as GraphiQL sends it', getIntrospectionQuery()],
    ['with every option', getIntrospectionQuery(options)],
    ['unwrapping types as deep as allowed', getIntrospectionQuery({ ...options, typeDepth: 14 })],
  ])('the standard query passes %s, with room to spare', (_case, source) => {
    expect(checkSource(source) * 10).toBeLessThan(documentLimits.tokens);
    expect(limitsOf(source)).toBeUndefined();
    expect(measure(parse(source), 'fields') * 3).toBeLessThan(documentLimits.fields);
    expect(costOf(source)).toBeLessThan(documentLimits.cost / 4);
  });

  test('levels below __schema and __type have their own allowance and do not lend it to data', () => {
    const ofTypes = (levels: number) => `${'ofType { '.repeat(levels)} name ${'} '.repeat(levels)}`;
    expect(limitsOf(`{ __type(name: "A") { ${ofTypes(18)} } }`)).toBeUndefined();
    expect(limitsOf(`{ x: __type(name: "A") { ${ofTypes(19)} } }`)).toMatchObject({ limit: 'introspectionDepth' });
    expect(limitsOf(`{ ${ofTypes(15)} }`)).toMatchObject({ limit: 'depth', actual: 16 });
    expect(limitsOf(`{ __typename ${ofTypes(15)} }`)).toMatchObject({ limit: 'depth' });
    // The same fragment counts by where it is spread.
    const fragment = `fragment T on __Type { ${ofTypes(15)} }`;
    expect(limitsOf(`{ __type(name: "A") { ...T } } ${fragment}`)).toBeUndefined();
    expect(limitsOf(`{ __type(name: "A") { ...T } ...T } ${fragment}`)).toMatchObject({ limit: 'depth' });
  });

  test('lists inside lists are refused, as each multiplies the answer by the size of the schema', () => {
    const nested = '{ __schema { types { fields { ...A } } } } fragment A on __Field { type { fields { LAST } } }';
    expect(limitsOf(nested.replace('LAST', 'name'))).toBeUndefined();
    expect(limitsOf(nested.replace('LAST', 'args { name }'))).toMatchObject({ limit: 'introspectionLists', actual: 4 });
    expect(limitsOf('{ types { fields { args { args { name } } } } }')).toBeUndefined();
  });

  test('asking for it many times over is refused', () => {
    const asks = (count: number) =>
      `{ ${Array.from({ length: count }, (_, i) => `s${i}: __schema { types { name } }`)} }`;
    expect(limitsOf(asks(5))).toBeUndefined();
    expect(limitsOf(asks(6))).toMatchObject({ limit: 'introspections', allowed: 5, actual: 6 });
  });
});

describe('hostile documents', () => {
  test('ten thousand levels of fields are refused and overflow nothing', () => {
    expect(refusal(() => checkLimits(deepDocument(10_000)))).toMatchObject({ limit: 'nesting', actual: 10_000 });
    expect(measure(deepDocument(10_000), 'depth')).toBe(10_000);
    expect(planCost(schema, deepDocument(10_000)).operations[0]?.sum.fixed).toBe(10_000);
  });

  test.each([
    ['with a leaf', doublingChain(50, 'me { id }')],
    ['with a page size by variable', doublingChain(50, 'rooms(first: $n) { totalCount }')],
    ['that select nothing', doublingChain(50, '')],
  ])('fifty fragments %s, each spreading the next one twice, are read once each', (_case, source) => {
    const { document, selections, visits } = counting(parse(source));
    refusal(() => checkLimits(document, unlimited));
    expect(visits()).toBe(selections);
    const plan = planCost(schema, document);
    expect(visits()).toBe(2 * selections);
    // One step for each fragment, and one for what the page multiplies.
    expect(plan.steps.length).toBeLessThanOrEqual(52);
  });

  test('a count that explodes stops at a ceiling and is refused', () => {
    expect(limitsOf(doublingChain(80, 'me { id }'))).toMatchObject({ limit: 'fields', actual: 1_000_000_000 });
    expect(costOf(doublingChain(80, 'rooms(first: 200) { totalCount }'))).toBe(1_000_000_000);
    expect(costOf(doublingChain(80, 'rooms(first: $n) { totalCount }'), { n: 200 })).toBe(1_000_000_000);
    expect(costOf(`{ ${'rooms(first: 200) { '.repeat(20)} id ${'} '.repeat(20)} }`)).toBeLessThanOrEqual(1_000_000_000);
  });

  test.each([
    ['a fragment that spreads itself', '{ ...A } fragment A on Query { me { id } ...A ...A }'],
    [
      'a cycle of three',
      '{ ...A } fragment A on Query { ...B } fragment B on Query { ...C } fragment C on Query { ...A me { id } }',
    ],
    [
      'a cycle through fields',
      'query ($n: Int) { ...A } fragment A on Query { rooms(first: $n) { ...A } me { ...A id } }',
    ],
    ['undefined fragments, types and fields', '{ ...Nope nope { nope ... on Nope { id } } } fragment F on Nope { id }'],
    ['two fragments of one name', '{ ...A } fragment A on Query { me { id } } fragment A on Query { me { name } }'],
    ['definitions that do not execute', 'type A { a: Int } extend type A { b: Int } { me { id } }'],
    ['an operation the schema does not have', 'subscription { me { id } }'],
    ['empty selection sets', '{ me { } ...F } fragment F on Query { }'],
  ])('%s passes: validation has the better words for it', (_case, source) => {
    const { document, selections, visits } = counting(parse(source));
    expect(refusal(() => checkLimits(document))).toBeUndefined();
    expect(visits()).toBe(selections);
    expect(refusal(() => checkCost(planCost(schema, document), undefined, { n: 1 }))).toBeUndefined();
  });
});

describe('cost', () => {
  const page = (argument: string) => `query Q($n: Int, $d: Int = 7, $m: Int) { rooms${argument} { totalCount } }`;

  test.each<[string, string, Record<string, unknown>, number]>([
    ['a page that says nothing counts as fifty', '', {}, 51],
    ['a literal counts as it is', '(first: 10)', {}, 11],
    ['`last` counts like `first`, the larger one of both', '(first: 10, last: 20)', {}, 21],
    ['a page counts as two hundred at most', '(first: 100000)', {}, 201],
    ['a page of none counts once', '(first: 0)', {}, 2],
    ['a negative page counts once', '(first: -5)', {}, 2],
    ['null is a page that says nothing', '(first: null)', {}, 51],
    ['a string is a page that says nothing', '(first: "3")', {}, 51],
    ['a variable counts by its value', '(first: $n)', { n: 10 }, 11],
    ['a variable is clamped as well', '(first: $n)', { n: 1e9 }, 201],
    ['a variable beside a literal: the larger one', '(first: $n, last: 20)', { n: 10 }, 21],
    ['two variables: the larger one', '(first: $n, last: $m)', { n: 10, m: 30 }, 31],
    ['one of two variables is null', '(first: $n, last: $m)', { n: 10, m: null }, 11],
    ['a variable without value is a page that says nothing', '(first: $n)', {}, 51],
    ['a variable that is no integer is a page that says nothing', '(first: $n)', { n: '10' }, 51],
    ['a variable with default counts by its default', '(first: $d)', {}, 8],
    ['a value goes before the default', '(first: $d)', { d: 3 }, 4],
    ['null goes before the default', '(first: $d)', { d: null }, 51],
    ['members inherited by the variables are not values', '(first: $n)', Object.create({ n: 3 }), 51],
    ['other arguments say nothing about size', '(after: "3")', {}, 51],
  ])('%s', (_case, argument, variables, cost) => {
    expect(costOf(page(argument), variables)).toBe(cost);
  });

  test('pages inside pages multiply, through fragments and aliases, by literal and by variable', () => {
    const source = (first: string) => `
      query ($n: Int) { a: rooms(first: 3) { ...Rooms } }
      fragment Rooms on RoomConnection { edges { node { id messages(first: ${first}) { edges { node { ...M } } } } } }
      fragment M on Message { id ... { sender { name } } }`;
    const cost = 1 + 3 * (1 + 1 + 1 + 1 + 5 * (1 + 1 + 1 + 2));
    expect(costOf(source('5'))).toBe(cost);
    expect(costOf(source('$n'), { n: 5 })).toBe(cost);
  });

  test('only connections multiply', () => {
    expect(
      costOf('{ room { members { id } } any { ... on Room { messages(first: 4) { edges { __typename } } } } }'),
    ).toBe(3 + 1 + 1 + 4 * 2);
  });

  test('only the operation that runs is counted, with its own defaults', () => {
    const source =
      'query A($n: Int = 2) { ...F } query B($n: Int = 3) { ...F me { id } } fragment F on Query { rooms(first: $n) { totalCount } }';
    expect(costOf(source, {}, 'A')).toBe(3);
    expect(costOf(source, {}, 'B')).toBe(6);
    expect(costOf(source, { n: 4 }, 'B')).toBe(7);
    // These two select nothing, which executing them reports.
    expect(costOf(source, {}, 'C')).toBeUndefined();
    expect(costOf(source)).toBeUndefined();
  });

  test('two default pages inside each other pass, three are refused', () => {
    const rooms = (inside: string) => `rooms { edges { node { id ${inside} } } }`;
    const check = (source: string) => refusal(() => checkCost(planCost(schema, parse(source)), undefined, undefined));
    const members = (inside: string) => `members { ${inside} }`;
    expect(check(`{ ${rooms(members(rooms('')))} }`)).toBeUndefined();
    expect(check(`{ ${rooms(members(rooms(members(rooms('')))))} }`)).toMatchObject({ limit: 'cost', allowed: 20_000 });
  });
});

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
