import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { buildSchema, execute, type GraphQLError, type GraphQLObjectType, getIntrospectionQuery } from 'graphql';
import { describe, expect, test } from 'vitest';
import { Lru } from '../../core/lru.ts';
import { compile } from '../../schema/engine/compile.ts';
import { checkCost } from '../../schema/engine/cost.ts';
import { Documents, type PreparedDocument, type RefusedDocument } from '../../schema/engine/documents.ts';
import { documentLimits } from '../../schema/engine/limits.ts';
import { PersistedDocuments } from '../../schema/engine/persisted-documents.ts';

const schema = buildSchema(`
  type Query { me: User, echo(value: [Int]): Int }
  type User { id: ID!, friend: User, rooms(first: Int): RoomConnection! }
  type RoomConnection { edges: [RoomEdge!]! }
  type RoomEdge { cursor: String }
`);
const documents = new Documents(schema);

function refused(prepared: PreparedDocument): RefusedDocument {
  if (prepared.ok) throw new Error('The document was not refused.');
  return prepared;
}
const messagesOf = (prepared: PreparedDocument) => refused(prepared).errors.map(({ message }) => message);
const locationsOf = (errors: readonly GraphQLError[]) => errors.map(({ locations }) => locations);

/** Fragments that spread the next one twice each, down to one this leaves out. */
const doubling = Array.from({ length: 50 }, (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`).join(
  ' ',
);

describe('preparing', () => {
  test('a good document is ready to execute and to have its cost checked', () => {
    const prepared = documents.prepare(
      'query A { me { id } } query B($n: Int) { me { rooms(first: $n) { edges { cursor } } } }',
    );
    if (!prepared.ok) throw new Error('refused');
    expect(prepared.operations.map(({ name }) => name?.value)).toEqual(['A', 'B']);
    expect(() => checkCost(prepared.cost, 'B', { n: 100 })).not.toThrow();
    const limits = { ...documentLimits, cost: 201 };
    expect(() => checkCost(prepared.cost, 'B', { n: 99 }, limits)).not.toThrow();
    expect(() => checkCost(prepared.cost, 'B', { n: 100 }, limits)).toThrow(
      expect.objectContaining({ details: { limit: 'cost', allowed: 201, actual: 202 } }),
    );
    const rootValue = { me: { id: '1' } };
    expect(execute({ schema, document: prepared.document, rootValue, operationName: 'A' })).toMatchObject({
      data: { me: { id: '1' } },
    });
  });

  test('a syntax error says where it is', () => {
    const { code, errors, details } = refused(documents.prepare('{\n  me {'));
    expect(code).toBe('GRAPHQL_PARSE_FAILED');
    expect(details).toBeUndefined();
    expect(errors.map(({ message }) => message)).toEqual(['Syntax Error: Expected Name, found <EOF>.']);
    expect(locationsOf(errors)).toEqual([[{ line: 2, column: 7 }]]);
    expect(refused(documents.prepare('')).code).toBe('GRAPHQL_PARSE_FAILED');
  });

  test('validation errors say where they are, and do not hold on to the document', () => {
    const { code, errors } = refused(documents.prepare('{ me { nope id(x: 1) } }'));
    expect(code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(errors.map(({ message }) => message)).toEqual([
      'Cannot query field "nope" on type "User".',
      'Unknown argument "x" on field "User.id".',
    ]);
    expect(locationsOf(errors)).toEqual([[{ line: 1, column: 8 }], [{ line: 1, column: 16 }]]);
    expect(errors.map(({ nodes }) => nodes)).toEqual([undefined, undefined]);
  });

  test('validation stops after twenty errors', () => {
    const fields = Array.from({ length: 50 }, (_, i) => `nope${i}`).join(' ');
    const messages = messagesOf(documents.prepare(`{ me { ${fields} } }`));
    expect(messages).toHaveLength(21);
    expect(messages.at(-1)).toMatch('Too many validation errors');
  });

  test.each([
    ['sourceBytes', '}'.repeat(documentLimits.sourceBytes + 1)],
    ['tokens', `{ me { ${'id '.repeat(4_000)} } }`],
    ['comments', `${'#\n'.repeat(1_001)} {`],
    // Two thousand levels overflow the stack of the parser.
    ['nesting', '{ me '.repeat(1_990)],
    ['nesting', `{ echo(value: ${'['.repeat(3_990)}`],
    ['fields', `{ ...F0 } ${doubling} fragment F50 on Query { me { nope } }`],
    ['depth', `{ me { ${'friend { '.repeat(14)} id ${'} '.repeat(14)} } }`],
    ['aliases', `{ me { ${Array.from({ length: 61 }, (_, i) => `a${i}: nope`)} } }`],
    ['directives', `{ me { id ${'@nope '.repeat(61)} } }`],
  ])('a document over the limit of %s is refused, whatever else is wrong with it', (limit, source) => {
    const prepared = documents.prepare(source);
    expect(prepared).toMatchObject({ ok: false, code: 'GRAPHQL_LIMIT_EXCEEDED', details: { limit } });
    expect(messagesOf(prepared)).toHaveLength(1);
  });

  test.each([true, false])('introspection can be switched off (%s)', (introspection) => {
    const prepared = new Documents(schema, { introspection }).prepare(getIntrospectionQuery());
    expect(prepared.ok).toBe(introspection);
    if (!prepared.ok) expect(prepared.code).toBe('GRAPHQL_VALIDATION_FAILED');
  });
});

// Compared by `===`: `toBe` looks for a difference to show, which in tokens that refer to each other takes minutes.
describe('remembering', () => {
  test('the same text gives the same document, so that what is cached by document is found again', () => {
    const first = documents.prepare('query Same { me { id } }');
    expect(documents.prepare(['query Same', '{ me { id } }'].join(' ')) === first).toBe(true);
    expect(documents.prepare('query Same { me { id  } }') === first).toBe(false);
  });

  test.each([
    ['does not parse', '{ me'],
    ['does not fit the schema', '{ nope }'],
    ['is over a limit', '{ me '.repeat(200)],
  ])('a document that %s is refused from memory the next time', (_case, source) => {
    const first = documents.prepare(source);
    expect(first.ok).toBe(false);
    expect(documents.prepare(source) === first).toBe(true);
  });

  test('a source too large to run is not kept', () => {
    const source = ' '.repeat(documentLimits.sourceBytes + 1);
    const first = documents.prepare(source);
    expect(documents.prepare(source) === first).toBe(false);
  });

  test('a thousand documents are kept, and a flood of bad ones pushes out no good one', () => {
    const cache = new Documents(schema);
    const first = cache.prepare('{ me { id } }');
    for (let i = 0; i < 2_000; i++) cache.prepare(`{ nope${i} }`);
    for (let i = 0; i < 999; i++) cache.prepare(`query Q${i} { me { id } }`);
    expect(cache.prepare('{ me { id } }') === first).toBe(true);
    for (let i = 0; i < 1_000; i++) cache.prepare(`query R${i} { me { id } }`);
    expect(cache.prepare('{ me { id } }') === first).toBe(false);
  });

  test('large documents are kept up to their share of memory', () => {
    const cache = new Documents(schema);
    const large = (name: string) => `query ${name} { echo(value: [${'1 '.repeat(3_900)}]) }`;
    const first = cache.prepare(large('First'));
    // Each counts as 1.6 MB, of 64 MiB.
    for (let i = 0; i < 20; i++) cache.prepare(large(`Q${i}`));
    expect(cache.prepare(large('First')) === first).toBe(true);
    for (let i = 0; i < 50; i++) cache.prepare(large(`R${i}`));
    expect(cache.prepare(large('First')) === first).toBe(false);
  });

  test('what one schema makes of a text says nothing about another schema', () => {
    const other = new Documents(buildSchema('type Query { other: Int }'));
    expect(other.prepare('{ other }').ok).toBe(true);
    expect(other.prepare('{ me { id } }').ok).toBe(false);
    expect(documents.prepare('{ me { id } }').ok).toBe(true);
  });
});

describe('random sources', () => {
  const words =
    '{ } ( ) [ ] ... on fragment query A B me id echo friend : $ @ ! = # " """ 1 -1.5 "x" , & | __schema'.split(' ');
  const source = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom(...words), { maxLength: 300 }).map((all) => all.join(' ')),
    fc
      .array(fc.constantFrom('{ me ', '[', '( ', '}', '... ', '# \n'), { minLength: 1, maxLength: 8 })
      .map((all) => all.join('').repeat(500)),
  );

  test('whatever is sent is ready or refused, and nothing is thrown', () => {
    fc.assert(
      fc.property(source, (text) => {
        const prepared = documents.prepare(text);
        if (prepared.ok) return;
        expect(prepared.errors.length).toBeGreaterThan(0);
        expect(['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'GRAPHQL_LIMIT_EXCEEDED']).toContain(
          prepared.code,
        );
        expect(prepared.details !== undefined).toBe(prepared.code === 'GRAPHQL_LIMIT_EXCEEDED');
      }),
      { numRuns: 500 },
    );
  });
});

describe('the bounded map', () => {
  test('it holds what was used last, within both bounds, like a plain list would', () => {
    const bounds = { entries: 4, bytes: 20 };
    const step = fc.record({ key: fc.constantFrom(...'abcdefgh'), bytes: fc.option(fc.nat(25), { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const lru = new Lru<number>(bounds);
        let model: { key: string; value: number; bytes: number }[] = [];
        const weight = () => model.reduce((sum, { bytes }) => sum + bytes, 0);
        for (const [value, { key, bytes }] of steps.entries()) {
          const held = model.find((entry) => entry.key === key);
          model = model.filter((entry) => entry !== held);
          if (bytes === undefined) {
            expect(lru.get(key)).toBe(held?.value);
            if (held) model.push(held);
          } else {
            lru.set(key, value, bytes);
            if (bytes <= bounds.bytes) model.push({ key, value, bytes });
            while (model.length > bounds.entries || weight() > bounds.bytes) model.shift();
          }
          expect([lru.size, lru.bytes]).toEqual([model.length, weight()]);
        }
      }),
    );
  });
});

describe('persisted documents', () => {
  const query = '{ me { id } }';
  const hashOf = (source: string) => createHash('sha256').update(source).digest('hex');
  const persisted = (sha256Hash: unknown, version: unknown = 1) => ({ persistedQuery: { version, sha256Hash } });
  const refusedWith = (code: string) => ({ refuse: expect.objectContaining({ code }) });

  test('a hash that was never seen asks for the document, which is then remembered', () => {
    const store = new PersistedDocuments();
    const extensions = persisted(hashOf(query));
    expect(store.resolve({ extensions })).toEqual(refusedWith('PERSISTED_QUERY_NOT_FOUND'));
    expect(store.resolve({ query, extensions })).toEqual({ source: query });
    expect(store.resolve({ extensions })).toEqual({ source: query });
    expect(store.resolve({ query: null, extensions: persisted(hashOf(query).toUpperCase()) })).toEqual({
      source: query,
    });
    expect(store.resolve({ query, extensions })).toEqual({ source: query });
  });

  test('a document under the hash of another one is refused and not remembered', () => {
    const store = new PersistedDocuments();
    const extensions = persisted(hashOf(query));
    expect(store.resolve({ query: '{ me { name } }', extensions })).toEqual(refusedWith('VALIDATION_FAILED'));
    expect(store.resolve({ extensions })).toEqual(refusedWith('PERSISTED_QUERY_NOT_FOUND'));
    store.resolve({ query, extensions });
    expect(store.resolve({ query: '{ me { name } }', extensions })).toEqual(refusedWith('VALIDATION_FAILED'));
    expect(store.resolve({ extensions })).toEqual({ source: query });
  });

  test.each([
    ['no extensions', undefined],
    ['null', null],
    ['other extensions', { trace: true }],
    ['persistedQuery null', { persistedQuery: null }],
  ])('with %s a document is taken as it is, and no document is refused', (_case, extensions) => {
    expect(new PersistedDocuments().resolve({ query, extensions })).toEqual({ source: query });
    expect(new PersistedDocuments().resolve({ extensions })).toEqual(refusedWith('VALIDATION_FAILED'));
  });

  test.each([
    ['extensions that are a string', 'persistedQuery'],
    ['extensions that are a list', [persisted(hashOf(query))]],
    ['persistedQuery that is a string', { persistedQuery: hashOf(query) }],
    ['persistedQuery that is a list', { persistedQuery: [hashOf(query)] }],
    ['another version', persisted(hashOf(query), 2)],
    ['a version that is a string', persisted(hashOf(query), '1')],
    ['no hash', persisted(undefined)],
    ['a hash that is a number', persisted(7)],
    ['a hash that is too short', persisted(hashOf(query).slice(1))],
    ['a hash with something after it', persisted(`${hashOf(query)}\n`)],
  ])('%s: refused, with a document or without', (_case, extensions) => {
    expect(new PersistedDocuments().resolve({ query, extensions })).toEqual(refusedWith('VALIDATION_FAILED'));
    expect(new PersistedDocuments().resolve({ extensions })).toEqual(refusedWith('VALIDATION_FAILED'));
  });

  test('memory is bounded by number and by size, and what was used last stays', () => {
    const store = new PersistedDocuments({ entries: 3, bytes: 100 });
    const remember = (source: string) => store.resolve({ query: source, extensions: persisted(hashOf(source)) });
    const knows = (source: string) => 'source' in store.resolve({ extensions: persisted(hashOf(source)) });
    for (const source of ['{ a }', '{ b }', '{ c }']) remember(source);
    expect(knows('{ a }')).toBe(true);
    remember('{ d }');
    expect(['{ a }', '{ b }', '{ c }', '{ d }'].map(knows)).toEqual([true, false, true, true]);
    remember(`{ ${'e'.repeat(90)} }`);
    expect(['{ a }', '{ c }', '{ d }'].map(knows)).toEqual([false, false, true]);
  });

  test('a document too large to run is neither hashed nor remembered, and refused when prepared', () => {
    const store = new PersistedDocuments();
    const large = ' '.repeat(documentLimits.sourceBytes + 1);
    const extensions = persisted(hashOf(large));
    expect(store.resolve({ query: large, extensions })).toEqual({ source: large });
    expect(store.resolve({ extensions })).toEqual(refusedWith('PERSISTED_QUERY_NOT_FOUND'));
    expect(refused(documents.prepare(large)).details).toMatchObject({ limit: 'sourceBytes' });
  });
});

describe('what is kept beside a document', () => {
  test('counts in the bound of documents: the one that was used longest ago goes', () => {
    const kept = new Documents(schema);
    const [old, grown] = ['{ me { id } }', '{ a: me { id } }'].map((source) => kept.prepare(source));
    if (!old!.ok || !grown!.ok) throw new Error('refused');
    const most = 64 * 1024 * 1024;
    kept.grow(grown!.document, most - old!.bytes - grown!.bytes);
    expect(kept.prepare('{ me { id } }')).toBe(old);
    kept.grow(grown!.document, 1);
    expect(kept.prepare('{ me { id } }')).toBe(old);
    expect(kept.prepare('{ a: me { id } }')).not.toBe(grown);
  });

  test('a plan tells what it takes, also of types that it meets as it runs', () => {
    const prepared = documents.prepare('{ me { id friend { id } rooms { edges { cursor } } } }');
    if (!prepared.ok) throw new Error('refused');
    let bytes = 0;
    const plan = compile(schema, prepared.operations[0]!, {}, (more) => {
      bytes += more;
    })!;
    const begun = bytes;
    expect(begun).toBeGreaterThan(0);
    const user = schema.getType('User') as GraphQLObjectType;
    expect(plan.fields[0]!.below(user)).toHaveLength(3);
    const met = bytes;
    expect(met).toBeGreaterThan(begun);
    plan.fields[0]!.below(user);
    expect(bytes).toBe(met);
  });
});
