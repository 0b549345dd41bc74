import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { ErrorEnvelope } from '../../core/errors.ts';
import type { Credentials } from '../../kernel/access/credentials.ts';
import { addressRate, newcomerRate, outsideRate } from '../../kernel/limits/limits.ts';
import { RateLimiter } from '../../kernel/limits/rate-limit.ts';
import { execute } from '../../kernel/run/execute.ts';
import { getOrg } from '../../resolvers/orgs/get-org.ts';
import { createContext } from '../../server/request-context.ts';
import { type Actor, withHeaders } from '../helpers/actors.ts';
import { openRawSocket } from '../helpers/raw-socket.ts';
import { startService } from '../helpers/service.ts';

const service = await startService({ env: { TRUSTED_PROXIES: '127.0.0.1' }, jobs: false });
afterAll(() => service.stop());
const { actors, control, statements } = service;
const { rateLimiter } = service.app.services;
const call = service.call<ErrorEnvelope>;

/** Far more than flows in while a test runs. */
const debt = 1e9;
/** What has been taken from a bucket of this file, to be put back. */
const owed: [string, typeof addressRate][] = [];
const drain = (name: string, rate: typeof addressRate) => {
  owed.push([name, rate]);
  rateLimiter.charge(name, rate, debt);
};
afterEach(() => {
  for (const [name, rate] of owed.splice(0)) rateLimiter.charge(name, rate, -2 * debt);
});

test('without a credential `node` looks nothing up', async () => {
  const { orgId } = await service.owner();
  const ask = (id: string) => service.graphql(actors.nobody, 'query ($id: ID!) { node(id: $id) { id } }', { id });
  for (const id of [orgId, randomUUID()]) {
    const sent = await statements(async () =>
      expect(await ask(`Organization_${id}`)).toEqual({ data: { node: null } }),
    );
    expect(sent).toEqual([]);
  }
});

test('who was refused too often is turned away without a look at what it asks for', async () => {
  const { orgId } = await service.owner();
  const stranger = actors.wallet();
  const me = await service.call<{ principal: { id: string } }>(stranger, 'GET', '/agent/v1/whoami');
  const ask = (id: string) => call(stranger, 'GET', `/orgs/v1/${id}`);
  expect((await ask(orgId)).body.code).toBe('NOT_AUTHORIZED');
  drain(`refused:${me.body.principal.id}`, outsideRate);
  for (const id of [orgId, randomUUID()]) {
    const sent = await statements(async () => expect((await ask(id)).status).toBe(429));
    expect(sent.filter((text) => text.includes('from "orgs"'))).toEqual([]);
  }
});

test('one client that is refused with a project’s key does not hold up the others who use it', async () => {
  const { orgId, projectId, serviceKey } = await service.project();
  const client = actors.bearer(serviceKey);
  const ask = (path: string, from: string) => call(client, 'GET', path, { headers: { 'x-forwarded-for': from } });
  const statuses = new Set<number>();
  while (!statuses.has(429)) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(`/orgs/v1/${orgId}/members`, '10.9.9.9')));
    for (const { status } of answers) statuses.add(status);
  }
  expect([...statuses].sort()).toEqual([403, 429]);
  expect((await ask(`/projects/v1/${projectId}`, '10.8.8.8')).status).toBe(200);
});

test('an address that sent too much is told to wait before any credential is looked at', async () => {
  const { wallet, orgId, serviceKey, projectId } = await service.project();
  const socket = await openRawSocket(service.url, actors.bearer(serviceKey));
  drain('address:127.0.0.1', addressRate);
  const doors: [Actor, string][] = [
    [actors.nobody, `/orgs/v1/${orgId}`],
    [wallet, `/orgs/v1/${orgId}`],
    [withHeaders({ 'sign-in-with-x': 'bm9wZQ==' }), '/agent/v1/whoami'],
    [actors.bearer('nonsense'), '/agent/v1/whoami'],
    [actors.bearer(serviceKey), `/projects/v1/${projectId}`],
  ];
  const sent = await statements(async () => {
    for (const [actor, path] of doors) {
      const { status, headers, body } = await call(actor, 'GET', path);
      expect([status, body.code, headers.get('retry-after')], path).toEqual([429, 'RATE_LIMITED', '3600']);
    }
    const graph = await service.graphql(wallet, '{ whoami { __typename } }');
    expect(graph.errors?.[0]?.extensions.code).toBe('RATE_LIMITED');
    const ended = await call(actors.nobody, 'DELETE', '/mcp', { headers: { 'mcp-session-id': randomUUID() } });
    expect([ended.status, ended.body.code]).toEqual([429, 'RATE_LIMITED']);
    const { frames } = await socket.run('{ whoami { __typename } }');
    expect(frames[0]!.payload.errors[0].extensions).toMatchObject({
      code: 'RATE_LIMITED',
      retry_after: 3600,
      next_actions: [{ type: 'retry', why: 'Send the same request again in 3600 seconds.' }],
    });
    // The client's library comes back by itself after this code.
    await expect(openRawSocket(service.url, wallet)).rejects.toThrow('closed with 1013');
  });
  expect(sent).toEqual([]);
  // What needs no caller is served all the same.
  expect((await service.graphql(actors.nobody, '{ __typename }')).data).toEqual({ __typename: 'Query' });
  await socket.close();
});

test('a wallet that nobody knows leaves no principal behind when too many came from its address', async () => {
  const known = await service.owner();
  drain('newcomers:127.0.0.1', newcomerRate);
  const count = async () => (await control.sql<{ count: string }>('select count(*) from principals'))[0]!.count;
  const before = await count();
  expect((await call(actors.wallet(), 'GET', `/orgs/v1/${known.orgId}`)).body.code).toBe('RATE_LIMITED');
  expect(await count()).toBe(before);
  expect((await call(known.wallet, 'GET', `/orgs/v1/${known.orgId}`)).status).toBe(200);
});

/** Requests of an address that has so many tokens left, on a clock that stands still. */
function addressWith(tokens: number) {
  const limiter = new RateLimiter(() => 0);
  limiter.charge('address:10.7.7.7', addressRate, addressRate.burst - tokens);
  const services = { ...service.app.services, rateLimiter: limiter };
  return (credentials: Credentials, orgId: string) => {
    const { signal } = new AbortController();
    const arrival = { credentials, traceId: 'trc', address: '10.7.7.7', baseUrl: service.url, signal };
    return execute(getOrg, createContext(services, arrival), { org: orgId }).then(
      () => 'OK',
      (error: { code: string }) => error.code,
    );
  };
}

test('what an organization’s limits count does not count for the address; what is refused does', async () => {
  const { wallet, orgId } = await service.owner();
  const ask = addressWith(2);
  const signed = async () => ({ 'sign-in-with-x': await wallet.sign() });
  for (let round = 0; round < 5; round++) expect(await ask(await signed(), orgId)).toBe('OK');
  expect(await ask(await signed(), randomUUID())).toBe('NOT_AUTHORIZED');
  expect(await ask({}, orgId)).toBe('AUTH_REQUIRED');
  expect(await ask(await signed(), orgId)).toBe('RATE_LIMITED');
});

test('a signature that does not hold costs its address as much as twenty requests', async () => {
  const { wallet, orgId } = await service.owner();
  const ask = addressWith(40);
  const other = actors.wallet();
  const forged = async () => ({
    'sign-in-with-x': await wallet.sign({ tamper: { address: other.checksumAddress } }),
  });
  expect([await ask(await forged(), orgId), await ask(await forged(), orgId)]).toEqual([
    'INVALID_AUTH',
    'INVALID_AUTH',
  ]);
  expect(await ask({ 'sign-in-with-x': await wallet.sign() }, orgId)).toBe('RATE_LIMITED');
});

test('the network of an IPv6 client counts as one, whatever of it is counted', async () => {
  const { orgId, projectId, serviceKey } = await service.project();
  const network = '2001:db8:1:2::/64';
  for (const [actor, path, bucket, status] of [
    [actors.bearer(serviceKey), `/orgs/v1/${orgId}/members`, `refused:key:${projectId}:service_role:${network}`, 403],
    [actors.nobody, `/orgs/v1/${orgId}`, `refused:address:${network}`, 401],
    [actors.nobody, '/api/stats', `outside:address:${network}`, 200],
  ] as const) {
    const ask = async (from: string) =>
      (await call(actor, 'GET', path, { headers: { 'x-forwarded-for': from } })).status;
    expect(await ask('2001:db8:1:2::1'), path).toBe(status);
    drain(bucket, outsideRate);
    expect([await ask('2001:db8:1:2::2'), await ask('2001:db8:1:3::2')], path).toEqual([429, status]);
    // Who was refused too often may not ask for anything else either.
    rateLimiter.charge(bucket, outsideRate, -2 * debt);
  }
});

test('a full table forgets the buckets that were used longest ago', () => {
  const limiter = new RateLimiter(() => 0);
  const one = { perSecond: 0, burst: 1 };
  limiter.take('busy', one);
  limiter.take('idle', one);
  for (let n = 0; n < 99_998; n++) limiter.take(`other ${n}`, one);
  expect(limiter.take('busy', one)).toBeGreaterThan(0);
  limiter.take('one too many', one);
  expect([limiter.take('busy', one) > 0, limiter.take('idle', one)]).toEqual([true, 0]);
});

test('what a client has had of its day is known however many others come and go', () => {
  const limiter = new RateLimiter(() => 0);
  const aDay = { perSecond: 1 / 86_400, burst: 1 };
  limiter.take('day of one', aDay);
  for (let n = 0; n < 200_000; n++) limiter.take(`other ${n}`, outsideRate);
  expect(limiter.peek('day of one', aDay)).toBeGreaterThan(0);
  expect(limiter.take('day of one', aDay)).toBeGreaterThan(0);
});
