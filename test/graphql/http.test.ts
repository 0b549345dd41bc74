import { createHash } from 'node:crypto';
import { buildClientSchema, getIntrospectionQuery, validateSchema } from 'graphql';
import { afterAll, describe, expect, test } from 'vitest';
import { type GraphQLAnswer, startService } from '../helpers/service.ts';

const service = await startService({ jobs: false });
afterAll(() => service.stop());

const responseJson = 'application/graphql-response+json';
const { nobody } = service.actors;

const post = (body: unknown, headers: Record<string, string> = {}) =>
  service.call<GraphQLAnswer>(nobody, 'POST', '/graphql', { body, headers });
const get = (parameters: Record<string, string>, headers: Record<string, string> = {}) =>
  service.call<GraphQLAnswer>(nobody, 'GET', `/graphql?${new URLSearchParams(parameters)}`, { headers });
const codesOf = ({ errors = [] }: GraphQLAnswer) => errors.map(({ extensions }) => extensions.code);

const createOrg = 'mutation { createOrganization(input: {}) { id } }';
const orgsOf = async (wallet: ReturnType<typeof service.actors.wallet>) =>
  (await service.graphql(wallet, '{ organizations { edges { cursor } } }')).data.organizations.edges.length;

describe('content types', () => {
  test.each([
    [`application/json;q=0.5, ${responseJson};q=0.9`, responseJson],
    [`${responseJson};q=0.2, application/json;q=0.8`, 'application/json'],
    [`${responseJson};q=0, application/json`, 'application/json'],
    [`${responseJson}; charset=utf-8, application/json; charset=utf-8`, responseJson],
    ['image/png, */*;q=0.1', 'application/json'],
    ['*/*', 'application/json'],
  ])('Accept: %s is answered in %s', async (accept, type) => {
    const answer = await post({ query: '{ __typename }' }, { accept });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(`${type}; charset=utf-8`);
    expect(answer.body).toEqual({ data: { __typename: 'Query' } });
  });

  test.each(['image/png', 'application/json;q=0', 'text/html'])(
    'a change whose answer is only accepted as %s is refused and not made',
    async (accept) => {
      const wallet = service.actors.wallet();
      const options = { body: { query: createOrg }, headers: { accept } };
      const answer = await service.call<{ code: string }>(wallet, 'POST', '/graphql', options);
      expect([answer.status, answer.body.code]).toEqual([406, 'NOT_ACCEPTABLE']);
      expect(await orgsOf(wallet)).toBe(0);
    },
  );

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/xml'])(
    'a body of %s is refused',
    async (type) => {
      const answer = await post(JSON.stringify({ query: '{ __typename }' }), { 'content-type': type });
      expect(answer.status).toBe(415);
      expect(codesOf(answer.body)).toEqual(['UNSUPPORTED_MEDIA_TYPE']);
    },
  );

  test.each(['application/json', 'application/json; charset=UTF-8', 'Application/JSON', 'application/graphql+json'])(
    'a body of %s is read',
    async (type) => {
      const answer = await post(JSON.stringify({ query: '{ __typename }' }), { 'content-type': type });
      expect(answer.body).toEqual({ data: { __typename: 'Query' } });
    },
  );
});

describe('request errors', () => {
  const wrong: [string, object, string][] = [
    ['a syntax error', { query: '{' }, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', { query: '{ nope }' }, 'GRAPHQL_VALIDATION_FAILED'],
    ['an unknown operation', { query: 'query A { __typename }', operationName: 'B' }, 'VALIDATION_FAILED'],
    ['several operations and no name', { query: 'query A { __typename } query B { __typename }' }, 'VALIDATION_FAILED'],
    ['a variable that is missing', { query: 'query ($x: Boolean!) { __typename @skip(if: $x) }' }, 'VALIDATION_FAILED'],
    [
      'a variable of the wrong type',
      { query: 'query ($x: Int) { projects(first: $x) { edges { cursor } } }', variables: { x: 'two' } },
      'VALIDATION_FAILED',
    ],
    ['a limit', { query: `{ ${'a: __typename '.repeat(61)} }` }, 'GRAPHQL_LIMIT_EXCEEDED'],
  ];

  test.each(wrong)('%s has status 400 under the response type and 200 under plain JSON', async (_case, body, code) => {
    const modern = await post(body, { accept: responseJson });
    expect([modern.status, codesOf(modern.body)]).toEqual([400, [code]]);
    expect(modern.body).not.toHaveProperty('data');
    const classic = await post(body, { accept: 'application/json' });
    expect([classic.status, codesOf(classic.body)]).toEqual([200, [code]]);
    expect(classic.body).not.toHaveProperty('data');
  });

  test('a variable that does not fit is the client’s error: named, and not logged as ours', async () => {
    const query = 'query ($first: Int!) { projects(first: $first) { edges { cursor } } }';
    const { body } = await post({ query, variables: { first: 'two' } });
    expect(body.errors![0]!.message).toContain('$first');
    const trace = body.errors![0]!.extensions.trace_id;
    expect(service.logged().filter((line) => line.trace_id === trace && line.level === 50)).toEqual([]);
  });

  test('a null for an argument that takes none is the client’s error, too', async () => {
    const query = 'query ($all: Boolean) { projects(includeArchived: $all) { edges { cursor } } }';
    const { errors } = await service.graphql(service.actors.wallet(), query, { all: null });
    expect(errors).toMatchObject([{ path: ['projects'], extensions: { code: 'VALIDATION_FAILED' } }]);
  });

  test('a refusal inside a field has status 200 and keeps the data of others', async () => {
    const answer = await post({ query: '{ __typename organizations { edges { cursor } } }' }, { accept: responseJson });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({ __typename: 'Query', organizations: null });
    expect(codesOf(answer.body)).toEqual(['AUTH_REQUIRED']);
  });
});

describe('parameters', () => {
  const good = { query: createOrg };
  test.each([
    ['variables that are a list', { ...good, variables: [] }, 'VALIDATION_FAILED'],
    ['variables that are a string', { ...good, variables: '{}' }, 'VALIDATION_FAILED'],
    ['extensions that are a number', { ...good, extensions: 1 }, 'VALIDATION_FAILED'],
    ['an operation name that is an object', { ...good, operationName: {} }, 'VALIDATION_FAILED'],
    ['a query that is a number', { query: 1 }, 'VALIDATION_FAILED'],
    ['no query', {}, 'VALIDATION_FAILED'],
    ['a batch', [good, good], 'VALIDATION_FAILED'],
    ['a body of null', 'null', 'VALIDATION_FAILED'],
    ['a body that is a string', '"{ __typename }"', 'VALIDATION_FAILED'],
    ['malformed JSON', '{"query":', 'MALFORMED_JSON'],
    ['an empty body', '', 'MALFORMED_JSON'],
  ])('%s is refused with 400 whatever is accepted, and changes nothing', async (_case, body, code) => {
    const wallet = service.actors.wallet();
    for (const accept of [responseJson, 'application/json']) {
      const answer = await service.call<GraphQLAnswer>(wallet, 'POST', '/graphql', { body, headers: { accept } });
      expect([answer.status, codesOf(answer.body)]).toEqual([400, [code]]);
    }
    expect(await orgsOf(wallet)).toBe(0);
  });

  test('members that nobody knows are ignored', async () => {
    const { body } = await post({ query: '{ __typename }', somethingElse: 1 });
    expect(body).toEqual({ data: { __typename: 'Query' } });
  });
});

describe('GET', () => {
  test('runs a query with its variables', async () => {
    const query = 'query ($no: Boolean!) { a: __typename @skip(if: $no) b: __typename }';
    const { status, body } = await get({ query, variables: '{"no":true}', extensions: '{"a":1}' });
    expect([status, body]).toEqual([200, { data: { b: 'Query' } }]);
  });

  test.each([
    ['variables', '{oops'],
    ['variables', '[1]'],
    ['variables', '1'],
    ['extensions', 'nope'],
  ])('%s=%s is refused with 400', async (name, value) => {
    const { status, body } = await get({ query: '{ __typename }', [name]: value });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', details: { field: name } } }]);
  });

  test('a mutation is refused with 405 and Allow, and not run', async () => {
    const wallet = service.actors.wallet();
    for (const accept of [responseJson, 'application/json']) {
      const path = `/graphql?${new URLSearchParams({ query: createOrg })}`;
      const answer = await service.call<GraphQLAnswer>(wallet, 'GET', path, { headers: { accept } });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
      expect(codesOf(answer.body)).toEqual(['METHOD_NOT_ALLOWED']);
    }
    expect(await orgsOf(wallet)).toBe(0);
  });

  test.each(['PUT', 'PATCH', 'DELETE'])('%s is refused with 405 and Allow', async (method) => {
    const answer = await service.call(nobody, method, '/graphql', { body: { query: '{ __typename }' } });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, POST, HEAD, OPTIONS']);
  });
});

describe('persisted documents', () => {
  const hashOf = (query: string) => createHash('sha256').update(query).digest('hex');
  const persisted = (query: string) => ({ persistedQuery: { version: 1, sha256Hash: hashOf(query) } });

  test('a document is sent once with its hash, and by its hash from then on', async () => {
    const query = '{ first: __typename }';
    const extensions = persisted(query);
    const unknown = await post({ extensions });
    expect(unknown.body.errors).toMatchObject([
      { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND', retryable: true } },
    ]);
    const data = { first: 'Query' };
    expect((await post({ query, extensions })).body).toEqual({ data });
    expect((await post({ extensions })).body).toEqual({ data });
    expect((await get({ extensions: JSON.stringify(extensions) })).body).toEqual({ data });
  });

  test('a hash of another document is refused and teaches nothing', async () => {
    const query = '{ second: __typename }';
    const wrong = { query: '{ third: __typename }', extensions: persisted(query) };
    expect(codesOf((await post(wrong)).body)).toEqual(['VALIDATION_FAILED']);
    expect(codesOf((await post({ extensions: persisted(query) })).body)).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
  });

  test('a mutation by its hash is not run by GET either', async () => {
    await post({ query: createOrg, extensions: persisted(createOrg) });
    const { status } = await get({ extensions: JSON.stringify(persisted(createOrg)) });
    expect(status).toBe(405);
  });
});

describe('limits', () => {
  const nested = (levels: number): string => (levels === 0 ? 'id' : `organization { id ${nested(levels - 1)} }`);
  test.each([
    ['depth', `{ whoami { memberships { edges { node { ${nested(14)} } } } } }`, {}],
    ['aliases', `{ ${Array.from({ length: 61 }, (_, i) => `a${i}: __typename`).join(' ')} }`, {}],
    ['rootFields', `{ ${'__typename '.repeat(31)} }`, {}],
    ['directives', `{ __typename ${'@skip(if: false) '.repeat(61)} }`, {}],
    [
      'cost',
      'query ($n: Int) { organizations(first: $n) { edges { node { members(last: $n) { edges { cursor } } } } } }',
      { n: 200 },
    ],
  ])('the limit of %s acts before the caller is even looked up', async (limit, query, variables) => {
    const wallet = service.actors.wallet();
    let answer: GraphQLAnswer = {};
    const statements = await service.statements(async () => {
      answer = await service.graphql(wallet, query, variables);
    });
    expect(answer).toMatchObject({ errors: [{ extensions: { code: 'GRAPHQL_LIMIT_EXCEEDED', details: { limit } } }] });
    expect(answer).not.toHaveProperty('data');
    expect(statements).toEqual([]);
  });

  test('the same connections in a size that is allowed are answered', async () => {
    const query =
      'query ($n: Int) { organizations(first: $n) { edges { node { members(last: $n) { edges { cursor } } } } } }';
    const { data } = await service.graphql(service.actors.wallet(), query, { n: 50 });
    expect(data).toEqual({ organizations: { edges: [] } });
  });
});

test('the schema can be asked for', async () => {
  const { body } = await post({ query: getIntrospectionQuery() });
  expect(validateSchema(buildClientSchema(body.data))).toEqual([]);
});
