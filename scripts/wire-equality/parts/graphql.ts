import { type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';
import type { Exchange } from '../exchange.ts';
import { http } from '../http.ts';
import { foreign, inOrder, snake, takesAway } from '../samples.ts';
import type { Caller, Side } from '../side.ts';
import { newWorld } from '../world.ts';
import { documentOf, type FieldDocument, schemaOf } from './graphql-fields.ts';

type Field = GraphQLField<unknown, unknown>;

const reading: readonly Caller[] = [
  'nobody',
  'stranger',
  'viewer',
  'person',
  'delegate',
  'service key',
  'admin',
  'owner',
];
const changing: readonly Caller[] = ['nobody', 'stranger', 'viewer', 'admin', 'service key', 'owner'];

/** Objects that are had by a query, with the place for one of their fields. */
const objects: Readonly<Record<string, string>> = {
  Organization: 'organization(id: "{{org}}") { * }',
  OrganizationBilling: 'organization(id: "{{org}}") { billing { * } }',
  Project: 'project(id: "{{project}}") { * }',
  Room: 'room(org: "{{org}}", room: "{{room}}") { * }',
};

const send = (group: string, name: string, as: Caller, body: unknown, headers: Record<string, string> = {}): Exchange =>
  http({ group, name: `as ${as}, ${name}`, as, method: 'POST', path: '/graphql', body, headers });

/** Every field of queries, mutations and the main objects that either build has. */
export async function* graphqlPart(sides: readonly Side[]): AsyncIterable<Exchange> {
  const [old, next] = [await schemaOf(sides[0]!), await schemaOf(sides.at(-1)!)];
  const fieldsOf = (type: (schema: GraphQLSchema) => unknown) => [
    ...new Map(
      [next, old].flatMap((schema) => {
        const found = type(schema);
        return isObjectType(found)
          ? Object.values(found.getFields()).map((field) => [field.name, { field, schema }] as const)
          : [];
      }),
    ).values(),
  ];
  const queries = fieldsOf((schema) => schema.getQueryType());
  const mutations = fieldsOf((schema) => schema.getMutationType());
  yield send('graphql schema', 'introspected', 'nobody', {
    query:
      '{ __schema { types { name kind description fields { name description isDeprecated args { name description defaultValue type { name kind ofType { name kind ofType { name kind ofType { name } } } } } type { name kind ofType { name kind ofType { name kind ofType { name } } } } } inputFields { name description } enumValues { name description } } } }',
  });
  yield* newWorld(sides);
  for (const { field, schema } of queries) {
    const group = `query ${field.name}`;
    for (const as of reading) yield send(group, 'plain', as, documentOf('query', field, schema));
    yield send(group, 'with all arguments', 'owner', documentOf('query', field, schema, { all: true }));
    yield send(group, 'flat', 'owner', documentOf('query', field, schema, { depth: 0 }));
    yield* wrong(group, documentOf('query', field, schema));
  }
  for (const [type, around] of Object.entries(objects))
    for (const { field, schema } of fieldsOf((one) => one.getType(type)))
      for (const as of ['stranger', 'viewer', 'service key', 'owner'] as const)
        yield send(`${type}.${field.name}`, 'plain', as, documentOf('query', field, schema, { around, depth: 2 }));
  for (const { field, schema } of mutations)
    yield* wrong(`mutation ${field.name}`, documentOf('mutation', field, schema));
  yield* odd();
  const last = ({ field }: { readonly field: Field }) => takesAway(field.name);
  for (const one of mutations.filter((each) => !last(each))) yield* change(one);
  yield* newWorld(sides);
  for (const one of inOrder(mutations.filter(last), ({ field }) => field.name)) yield* change(one);
  for (const { field, schema } of queries)
    yield send(`query ${field.name}`, 'behind it all', 'owner', documentOf('query', field, schema));
}

function* change({ field, schema }: { readonly field: Field; readonly schema: GraphQLSchema }): Iterable<Exchange> {
  const group = `mutation ${field.name}`;
  const document = documentOf('mutation', field, schema, { depth: 1 });
  for (const as of changing) yield send(group, 'plain', as, document);
  yield send(group, 'with all arguments', 'owner', documentOf('mutation', field, schema, { all: true, depth: 1 }));
  const headers = { 'idempotency-key': `wire ${field.name}` };
  for (const name of ['with a key', 'with the key again']) yield send(group, name, 'owner', document, headers);
}

/** A document whose variables are wrong, one at a time. */
function* wrong(group: string, { query, variables }: FieldDocument): Iterable<Exchange> {
  const isWrapped = Object.keys(variables).join() === 'input';
  const inner = (isWrapped ? variables.input : variables) as Record<string, unknown>;
  const wrap = (value: object) => ({ query, variables: isWrapped ? { input: value } : value });
  for (const [name, value] of Object.entries(inner).slice(0, 5)) {
    const { [name]: _left, ...rest } = inner;
    yield send(group, `without ${name}`, 'owner', wrap(rest));
    yield send(
      group,
      `${name} of another type`,
      'owner',
      wrap({ ...inner, [name]: typeof value === 'string' ? { a: 1 } : 'text' }),
    );
    if (typeof value !== 'string') continue;
    yield send(group, `${name} too long`, 'owner', wrap({ ...inner, [name]: 'x'.repeat(40_000) }));
    yield send(group, `${name} empty`, 'owner', wrap({ ...inner, [name]: '' }));
    const other = foreign[snake(name)];
    if (other !== undefined)
      yield send(group, `${name} of another organization`, 'owner', wrap({ ...inner, [name]: other }));
  }
  yield send(group, 'an unknown member', 'owner', wrap({ ...inner, wireUnknown: 1 }));
}

/** What is no field, but of the protocol. */
function* odd(): Iterable<Exchange> {
  const group = 'graphql protocol';
  const bodies: readonly unknown[] = [
    {},
    [],
    '{',
    { query: '' },
    { query: '{' },
    { query: '{ nothing }' },
    { query: '{ whoami }' },
    { query: 'query A { whoami { principal { id } } } query B { __typename }' },
    { query: '{ __typename }', operationName: 'Nothing' },
    { query: '{ __typename @skip(if: true) }' },
    { query: '{ a: __typename b: __typename }' },
    {
      query: `{ ${'a'.repeat(10)}: __typename ${Array.from({ length: 200 }, (_one, at) => `a${at}: __typename`).join(' ')} }`,
    },
    {
      query: `{ ${'organizations { edges { node { projects { edges { node { organization { '.repeat(4)} id ${'} } } } } } '.repeat(4)} }`,
    },
    { query: 'subscription { nothing }' },
    { query: '{ node(id: "nothing") { id } }' },
    { query: '{ node(id: "{{org}}") { id __typename } }' },
    { extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } },
    { query: '{ __typename }', variables: 5 },
    { query: '{ __typename }', extensions: 5 },
    { query: 'query ($if: Boolean!) { whoami @include(if: $if) { principal { id } } }', variables: { if: true } },
  ];
  for (const [at, body] of bodies.entries()) yield send(group, `body ${at + 1}`, 'owner', body);
  for (const accept of [
    'text/html',
    'application/graphql-response+json',
    'text/plain',
    'multipart/mixed',
    '*/*',
    'text/event-stream',
  ])
    yield send(group, `accept ${accept}`, 'owner', { query: '{ __typename }' }, { accept });
  const gets = [
    '',
    '?query={__typename}',
    '?query={__typename',
    '?query=mutation{__typename}',
    '?query={__typename}&variables={',
    '?extensions={}',
  ];
  for (const search of gets)
    yield http({
      group,
      name: 'by GET',
      method: 'GET',
      path: `/graphql${encodeURI(search)}`,
      headers: { accept: 'application/json' },
    });
  yield http({ group, name: 'the page', method: 'GET', path: '/graphql', headers: { accept: 'text/html' } });
}
