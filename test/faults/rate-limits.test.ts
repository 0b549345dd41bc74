import { afterAll, expect, test } from 'vitest';
import type { ErrorEnvelope } from '../../core/errors.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const service = await startService();
afterAll(() => service.stop());
const { actors } = service;
const call = service.call<ErrorEnvelope>;

const limit = async (orgId: string, limits: object) =>
  expect((await call(actors.admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, { body: { limits } })).status).toBe(200);

/** An organization with a second member. */
async function pair() {
  const { wallet: ada, orgId } = await service.owner();
  const bob = actors.wallet();
  const me = await service.call<{ principal: { id: string } }>(bob, 'GET', '/agent/v1/whoami');
  await actors.member(orgId, me.body.principal.id, 'developer');
  return { ada, bob, orgId };
}

test('a caller over its rate is told when to come back, and another caller is not held up by it', async () => {
  const { ada, bob, orgId } = await pair();
  // Nothing flows in, so the burst is all there is, however slow the machine.
  await limit(orgId, { writes_per_second: 0, writes_burst: 3 });
  const send = (who: typeof ada) =>
    call(who, 'POST', `/orgs/v1/${orgId}/rooms/hall/messages`, { body: { body: 'hello' } });
  for (let sent = 0; sent < 3; sent++) expect((await send(ada)).status).toBe(201);
  const refused = await send(ada);
  expect(refused.status).toBe(429);
  expect(refused.body).toMatchObject({
    code: 'RATE_LIMITED',
    category: 'rate_limit',
    retryable: true,
    safe_to_retry: true,
    mutation_state: 'none',
    retry_after: 3600,
    details: { retry_after: 3600 },
  });
  expect(refused.headers.get('retry-after')).toBe('3600');
  expect((await send(bob)).status).toBe(201);
  // Reads have a rate of their own.
  const page = await service.call<{ messages: unknown[] }>(ada, 'GET', `/orgs/v1/${orgId}/rooms/hall/messages`);
  expect([page.status, page.body.messages.length]).toEqual([200, 4]);
});

test('requests at once get exactly the burst', async () => {
  const { ada, orgId } = await pair();
  await limit(orgId, { reads_per_second: 0, reads_burst: 5 });
  const answers = await Promise.all(Array.from({ length: 20 }, () => call(ada, 'GET', `/orgs/v1/${orgId}`)));
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(5).fill(200), ...Array(15).fill(429)]);
});

test('who waits as long as it is told is served again', async () => {
  const { ada, orgId } = await pair();
  await limit(orgId, { reads_per_second: 1, reads_burst: 1 });
  let refused = await call(ada, 'GET', `/orgs/v1/${orgId}`);
  while (refused.status !== 429) refused = await call(ada, 'GET', `/orgs/v1/${orgId}`);
  expect(refused.body.retry_after).toBe(1);
  expect(refused.headers.get('retry-after')).toBe('1');
  await until(async () => expect((await call(ada, 'GET', `/orgs/v1/${orgId}`)).status).toBe(200));
});

test('GraphQL counts against the same rate and says the same', async () => {
  const { ada, orgId } = await pair();
  await limit(orgId, { writes_per_second: 0, writes_burst: 2 });
  const mutation = `mutation ($input: SendRoomMessageInput!) { sendRoomMessage(input: $input) { body } }`;
  const send = () => service.graphql(ada, mutation, { input: { org: orgId, room: 'hall', body: 'hello' } });
  expect((await call(ada, 'POST', `/orgs/v1/${orgId}/rooms/hall/messages`, { body: { body: 'one' } })).status).toBe(
    201,
  );
  expect((await send()).errors).toBeUndefined();
  expect((await send()).errors?.[0]?.extensions).toMatchObject({
    code: 'RATE_LIMITED',
    retryable: true,
    retry_after: 3600,
  });
});

test('a refused request spends neither its idempotency key nor its signature', async () => {
  const { ada, orgId } = await pair();
  await limit(orgId, { writes_per_second: 0, writes_burst: 0 });
  const path = `/orgs/v1/${orgId}/rooms/hall/messages`;
  const headers = { 'sign-in-with-x': await ada.sign({ path }), 'idempotency-key': 'later' };
  const send = () => call(actors.nobody, 'POST', path, { body: { body: 'later' }, headers });
  expect((await send()).status).toBe(429);
  await limit(orgId, { writes_per_second: null, writes_burst: null });
  await until(async () => expect((await send()).status).toBe(201));
});

test('a stranger that keeps asking is slowed down, and tells no more about what is there than before', async () => {
  const { ada, orgId } = await pair();
  const stranger = actors.wallet();
  const codes = new Set<string>();
  for (let round = 0; round < 40 && !codes.has('RATE_LIMITED'); round++) {
    const answers = await Promise.all(Array.from({ length: 25 }, () => call(stranger, 'GET', `/orgs/v1/${orgId}`)));
    for (const { body } of answers) codes.add(body.code);
  }
  expect([...codes].sort()).toEqual(['NOT_AUTHORIZED', 'RATE_LIMITED']);
  expect((await call(ada, 'GET', `/orgs/v1/${orgId}`)).status).toBe(200);
});
