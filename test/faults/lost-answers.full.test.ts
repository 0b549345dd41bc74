import { afterAll, expect, test } from 'vitest';
import type { ErrorEnvelope } from '../../core/errors.ts';
import { persist, startFaultyWorld } from '../helpers/faulty-world.ts';
import type { GatewayProcess } from '../helpers/gateway-process.ts';
import { createWallet, type TestWallet } from '../helpers/wallet.ts';

const world = await startFaultyWorld();
afterAll(() => world.stop());

const keyed = (key: string, body: object) => ({ body, headers: { 'idempotency-key': key } });
const createOrg = (gateway: GatewayProcess, wallet: TestWallet, key: string) =>
  gateway.call<{ org_id: string }>(gateway.as(wallet), 'POST', '/orgs/v1', keyed(key, { display_name: 'Kites' }));

test('an organization whose creation was committed but never answered is the answer after a kill -9', async () => {
  const gateway = await world.start();
  const wallet = createWallet();
  // A wallet's first request makes its principal; the next one makes nothing but the organization.
  await gateway.call(gateway.as(wallet), 'GET', '/agent/v1/whoami');
  const commit = world.proxy.freezeCommit(/insert into "orgs" /);
  const unanswered = createOrg(gateway, wallet, 'lost').catch((error: unknown) => error);
  await commit.answered;
  const [made] = await world.sql<{ id: string }>(`select id from orgs where display_name = 'Kites'`);
  await gateway.kill();
  expect(await unanswered).toBeInstanceOf(Error);

  const next = await world.start();
  const first = await createOrg(next, wallet, 'lost');
  expect([first.status, first.body.org_id]).toEqual([201, made!.id]);
  expect((await createOrg(next, wallet, 'lost')).body).toEqual(first.body);
  expect(await world.sql(`select 1 from orgs where display_name = 'Kites'`)).toHaveLength(1);
  expect(await world.sql('select 1 from audit_events where org_id = $1', [made!.id])).toHaveLength(1);
  await next.stop();
});

test('a project whose creation was committed but never answered is the answer after a kill -9, keys and all', async () => {
  const gateway = await world.start();
  const { wallet, orgId } = await world.owner(gateway);
  const create = (on: GatewayProcess) =>
    on.call<Record<string, string>>(on.as(wallet), 'POST', '/projects/v1', keyed('lost', { org_id: orgId }));
  const commit = world.proxy.freezeCommit(/update "projects" .* then 'ready'/);
  const unanswered = create(gateway).catch((error: unknown) => error);
  await commit.answered;
  await gateway.kill();
  expect(await unanswered).toBeInstanceOf(Error);

  const next = await world.start();
  const first = await create(next);
  expect(first.status).toBe(201);
  // The first answer, to the letter: it names the address that the first request was sent to.
  expect(first.body).toMatchObject({ org_id: orgId, endpoints: { rest_url: `${gateway.url}/rest/v1` } });
  expect((await create(next)).body).toEqual(first.body);
  const keys = await next.call(next.as(wallet), 'GET', `/projects/v1/${first.body.project_id}/keys`);
  expect(keys.body).toMatchObject({ anon_key: first.body.anon_key, service_key: first.body.service_key });
  expect(await world.sql('select 1 from projects where org_id = $1', [orgId])).toHaveLength(1);
  await next.stop();
});

test('a message whose sending was committed but never answered is the answer after a kill -9, place in the room and all', async () => {
  const gateway = await world.start();
  const { wallet, orgId } = await world.owner(gateway);
  const path = `/orgs/v1/${orgId}/rooms/hall/messages`;
  const send = (on: GatewayProcess, key: string, body: string) =>
    on.call<{ message_id: string; cursor: string }>(on.as(wallet), 'POST', path, keyed(key, { body }));
  await send(gateway, 'before', 'before');
  const commit = world.proxy.freezeCommit(/insert into "room_messages"/);
  const unanswered = send(gateway, 'lost', 'lost').catch((error: unknown) => error);
  await commit.answered;
  await gateway.kill();
  expect(await unanswered).toBeInstanceOf(Error);

  const next = await world.start();
  await send(next, 'after', 'after');
  const first = await send(next, 'lost', 'lost');
  expect(first.status).toBe(201);
  expect((await send(next, 'lost', 'lost')).body).toEqual(first.body);
  const list = await next.call<{ messages: { message_id: string; cursor: string; body_snippet: string }[] }>(
    next.as(wallet),
    'GET',
    path,
  );
  expect(list.body.messages.map(({ body_snippet }) => body_snippet)).toEqual(['before', 'lost', 'after']);
  expect(list.body.messages[1]).toMatchObject({ message_id: first.body.message_id, cursor: first.body.cursor });
  await next.stop();
});

test('a change that died before its commit is made once under its key after the restart, without waiting', async () => {
  const gateway = await world.start();
  const wallet = createWallet();
  const { body: me } = await gateway.call<{ principal: { id: string } }>(gateway.as(wallet), 'GET', '/agent/v1/whoami');
  const release = await world.hold('select 1 from principals where id = $1 for update', [me.principal.id]);
  const unanswered = createOrg(gateway, wallet, 'early').catch((error: unknown) => error);
  await world.blocked(/from "principals"/);
  await gateway.kill();
  await unanswered;
  await release();

  const next = await world.start();
  // Not told to come back: nobody else serves this database, so nobody can be at work on it.
  expect((await createOrg(next, wallet, 'early')).status).toBe(201);
  expect(await world.sql('select 1 from orgs where created_by = $1', [me.principal.id])).toHaveLength(1);
  await next.stop();
});

test('a change whose commit lost its connection says that its outcome is unknown, and its key tells it', async () => {
  const gateway = await world.start();
  const wallet = createWallet();
  await gateway.call(gateway.as(wallet), 'GET', '/agent/v1/whoami');
  const lose = async (send: () => Promise<{ status: number; body: unknown }>) => {
    const commit = world.proxy.freezeCommit(/insert into "orgs" /);
    const answer = send();
    await commit.answered;
    commit.lose();
    return answer;
  };
  const unknown = { code: 'UPSTREAM_UNAVAILABLE', retryable: true, mutation_state: 'unknown' };
  const withKey = await lose(() => createOrg(gateway, wallet, 'told'));
  expect(withKey).toMatchObject({ status: 503, body: { ...unknown, safe_to_retry: true } });
  const withoutKey = await lose(() =>
    gateway.call<ErrorEnvelope>(gateway.as(wallet), 'POST', '/orgs/v1', { body: {} }),
  );
  expect(withoutKey).toMatchObject({ status: 503, body: { ...unknown, safe_to_retry: false, retry_after: 1 } });

  const told = await persist(() => createOrg(gateway, wallet, 'told'));
  expect(told.status).toBe(201);
  expect((await gateway.call<{ orgs: unknown[] }>(gateway.as(wallet), 'GET', '/orgs/v1')).body.orgs).toHaveLength(2);
  expect(gateway.stderr()).toBe('');
  expect(await gateway.stop()).toBe(0);
});
