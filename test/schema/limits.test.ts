import { getIntrospectionQuery, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { checkCost, planCost } from '../../schema/engine/cost.ts';
import { checkLimits, checkSource, documentLimits, type LimitName } from '../../schema/engine/limits.ts';
import {
  costOf,
  counting,
  deepDocument,
  doublingChain,
  limitsOf,
  measure,
  refusal,
  schema,
  unlimited,
} from './measured.ts';

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
