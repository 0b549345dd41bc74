import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RunningFeedHub } from '../../subscriptions/feed-hub.ts';
import { roomSubscription } from '../helpers/graphql-ws-client.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { until } from '../helpers/until.ts';
import { openProtocolSocket } from './protocol-socket.ts';

const service = await sharedService();
afterAll(() => service.stop());

const followed = () => (service.app.services.feeds as RunningFeedHub).followed();
/** Longer than anything it waits for takes; what is proven is that it happens at all. */
const open = () => openProtocolSocket(service.url);
type Raw = Awaited<ReturnType<typeof open>>;

/** Proves that a socket is still served. */
async function stillServed(raw: Raw) {
  raw.subscribe('alive', '{ __typename }');
  expect(await raw.next('next', 'alive')).toMatchObject({ payload: { data: { __typename: 'Query' } } });
  await raw.next('complete', 'alive');
}

/** Project with an empty room, and a socket that may read it. */
async function quietRoom() {
  const project = await service.project();
  const raw = await (await open()).init({ apikey: project.serviceKey });
  const variables = { org: project.orgId, room: project.projectId };
  return { ...project, raw, variables };
}

const openSubscriptions = async () =>
  /^\S*subscriptions_open (\d+)/m.exec((await service.call(service.actors.nobody, 'GET', '/metrics')).text)?.[1];

describe('signing in', () => {
  test.each(['connection_init', 'upgrade request'])('a wallet’s signature in the %s is spent', async (where) => {
    const wallet = service.actors.wallet();
    const header = await wallet.sign({ path: '/graphql' });
    const raw = await (await open()).init({ 'sign-in-with-x': header });
    raw.subscribe('me', '{ whoami { authenticator { publicSubject } } }');
    const { payload } = await raw.next('next', 'me');
    expect(payload.data.whoami.authenticator.publicSubject).toBe(wallet.address);
    if (where === 'connection_init') {
      const copy = await open();
      copy.send({ type: 'connection_init', payload: { 'sign-in-with-x': header } });
      expect((await copy.closed).code).toBe(4403);
    } else {
      const created = await service.call(service.actors.nobody, 'POST', '/graphql', {
        body: { query: 'mutation { createOrganization(input: {}) { id } }' },
        headers: { 'sign-in-with-x': header },
      });
      expect(created.body).toMatchObject({ errors: [{ extensions: { details: { reason: 'nonce_used' } } }] });
    }
    await stillServed(raw);
  });

  test('two sockets that race with one signature do not both get in', async () => {
    const wallet = service.actors.wallet();
    const payload = { 'sign-in-with-x': await wallet.sign({ path: '/graphql' }) };
    const both = await Promise.all([open(), open()]);
    for (const raw of both) raw.send({ type: 'connection_init', payload });
    const outcomes = await Promise.all(
      both.map((raw) =>
        Promise.race([
          raw.next('connection_ack').then(
            () => 'in',
            () => 'out',
          ),
          raw.closed.then(({ code }) => code),
        ]),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'in')).toHaveLength(1);
  });

  test.each([
    ['a broken bearer', { authorization: 'Bearer broken' }],
    ['a broken signature', { 'sign-in-with-x': 'bm9wZQ==' }],
    ['a broken key', { apikey: 'nope' }],
    ['a wrong admin key', { 'x-admin-key': 'nope' }],
    ['a credential that is no text', { apikey: { key: 1 } }],
  ])('%s closes the socket with 4403', async (_case, payload) => {
    const raw = await open();
    raw.send({ type: 'connection_init', payload });
    expect((await raw.closed).code).toBe(4403);
    expect(raw.seen).toEqual([]);
  });

  test('without a credential the socket opens, and operations ask for one', async () => {
    const raw = await (await open()).init();
    raw.subscribe('q', '{ organizations { edges { cursor } } }');
    expect((await raw.next('next', 'q')).payload).toMatchObject({
      data: { organizations: null },
      errors: [{ path: ['organizations'], extensions: { code: 'AUTH_REQUIRED', source: 'gateway' } }],
    });
  });
});

describe('errors', () => {
  test.each([
    ['a syntax error', '{', 'GRAPHQL_PARSE_FAILED'],
    ['a syntax error in a subscription', 'subscription {', 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', '{ nope }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a limit', `{ ${'a: __typename '.repeat(61)} }`, 'GRAPHQL_LIMIT_EXCEEDED'],
  ])('%s is an error message with the envelope, and the socket stays open', async (_case, query, code) => {
    const raw = await (await open()).init();
    raw.subscribe('e', query);
    const { payload } = await raw.next('error', 'e');
    expect(payload).toMatchObject([{ extensions: { code, retryable: false, trace_id: expect.any(String) } }]);
    expect(payload[0].extensions).not.toHaveProperty('http');
    await stillServed(raw);
    expect(raw.seen.filter(({ id, type }) => id === 'e' && type === 'complete')).toEqual([]);
  });

  test('a variable that does not fit is the client’s error', async () => {
    const raw = await (await open()).init();
    raw.subscribe('v', roomSubscription, { variables: { org: 'x' } });
    expect((await raw.next('next', 'v')).payload).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_FAILED' } }],
    });
    await raw.next('complete', 'v');
    await stillServed(raw);
  });

  test('a room that may not be read ends its subscription with the refusal', async () => {
    const { raw } = await quietRoom();
    const other = await service.project();
    raw.subscribe('r', roomSubscription, { variables: { org: other.orgId, room: other.projectId } });
    expect((await raw.next('next', 'r')).payload).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    await raw.next('complete', 'r');
    await stillServed(raw);
  });

  describe('what breaks the protocol', () => {
    const printed = vi.spyOn(console, 'error');
    beforeAll(() => void printed.mockClear());
    afterAll(() => printed.mockRestore());

    test.each([
      ['a message of the server', { type: 'next', id: '1', payload: { data: null } }, 4400],
      ['text that is no JSON', 'hello', 4400],
      ['a type that nobody knows', { type: 'banana' }, 4400],
      ['a second connection_init', { type: 'connection_init' }, 4429],
    ])('%s closes the socket and is no matter for the console', async (_case, message, code) => {
      const raw = await (await open()).init();
      raw.send(message);
      expect((await raw.closed).code).toBe(code);
      expect(printed).not.toHaveBeenCalled();
    });

    test('an operation before the socket is signed in closes it with 4401', async () => {
      const raw = await open();
      raw.subscribe('early', '{ __typename }');
      expect((await raw.closed).code).toBe(4401);
      expect(raw.seen).toEqual([]);
    });

    test('a socket that never signs in is closed with 4408', async () => {
      const raw = await open();
      expect((await raw.closed).code).toBe(4408);
      expect(printed).not.toHaveBeenCalled();
    });

    test('an id that is in use closes with 4409, however long it is', async () => {
      const { raw, variables } = await quietRoom();
      const id = 'i'.repeat(1_000);
      raw.subscribe(id, roomSubscription, { variables });
      raw.subscribe(id, '{ __typename }');
      expect((await raw.closed).code).toBe(4409);
      expect(printed).not.toHaveBeenCalled();
    });
  });
});

test('a persisted document runs by its hash alone; the query that has to be there may be empty', async () => {
  const query = '{ persisted: __typename }';
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  const more = { extensions: { persistedQuery: { version: 1, sha256Hash } } };
  const raw = await (await open()).init();
  raw.subscribe('1', '', more);
  expect((await raw.next('error', '1')).payload).toMatchObject([{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }]);
  raw.subscribe('2', query, more);
  await raw.next('complete', '2');
  raw.subscribe('3', '', more);
  expect((await raw.next('next', '3')).payload).toEqual({ data: { persisted: 'Query' } });
});

describe('leaving', () => {
  test('unsubscribing from a quiet room frees its follower at once and keeps the socket', async () => {
    const { raw, variables } = await quietRoom();
    raw.subscribe('s', roomSubscription, { variables });
    await until(() => expect(followed()).toBe(1));
    raw.complete('s');
    await until(() => expect(followed()).toBe(0));
    expect(await openSubscriptions()).toBe('0');
    await stillServed(raw);
  });

  test('a held read that its client completes waits no longer', async () => {
    const { raw, variables } = await quietRoom();
    const query = `query ($org: ID!, $room: String!) {
      roomMessages(org: $org, room: $room, wait: 25) { edges { cursor } }
    }`;
    const other = await quietRoom();
    other.raw.subscribe('held', query, { variables: other.variables });
    await until(() => expect(followed()).toBe(1));
    raw.subscribe('held', query, { variables });
    await until(() => expect(followed()).toBe(2));
    raw.complete('held');
    // One that began earlier and waits as long still waits: so this one has not simply run out.
    await until(() => expect(followed()).toBe(1));
    expect(other.raw.seen.filter(({ id }) => id === 'held')).toEqual([]);
    await stillServed(raw);
    expect(raw.seen.filter(({ id }) => id === 'held')).toEqual([]);
    other.raw.socket.terminate();
    await until(() => expect(followed()).toBe(0));
  });

  test.each(['close', 'terminate'] as const)('a socket that ends by %s frees what it followed', async (how) => {
    const { raw, variables } = await quietRoom();
    for (const id of ['a', 'b']) raw.subscribe(id, roomSubscription, { variables });
    await until(() => expect(followed()).toBe(1));
    raw.socket[how]();
    await until(() => expect(followed()).toBe(0));
    await until(async () => expect(await openSubscriptions()).toBe('0'));
  });

  test('unsubscribing right behind subscribing leaves nothing behind', async () => {
    const { raw, variables } = await quietRoom();
    for (let i = 0; i < 50; i++) {
      raw.subscribe(`s${i}`, roomSubscription, { variables });
      raw.complete(`s${i}`);
    }
    await stillServed(raw);
    await until(() => expect(followed()).toBe(0));
    await until(async () => expect(await openSubscriptions()).toBe('0'));
  });

  test('the listeners of a socket do not grow with its operations', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    const raw = await (await open()).init();
    for (let i = 0; i < 100; i++) raw.subscribe(`n${i}`, '{ __typename }');
    for (let i = 0; i < 100; i++) await raw.next('complete', `n${i}`);
    await stillServed(raw);
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });
});
