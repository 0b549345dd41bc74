import pg from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { freeOrgsPerOwner } from '../../kernel/limits/limits.ts';
import { withHeaders } from '../helpers/actors.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { openSocket } from '../helpers/graphql-ws-client.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { createWallet } from '../helpers/wallet.ts';
import { roomsOf } from '../rooms/room.ts';

// Two gateways on one database whose signals never reach each other: what holds here holds without NATS. The lane
// `two-nodes` runs the suites of rooms and idempotency in the same way, with NATS.
const service = await startService({ nodes: 2 });
afterAll(() => service.stop());
const { call, control, actors } = service;
const newRoom = roomsOf(service);

const twenty = <Result>(run: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: 20 }, (_, n) => run(n)));

/** How often each node has listed organizations so far. */
const listed = () =>
  Promise.all(
    service.nodes.map(async ({ url }) => {
      const page = await (await fetch(`${url}/metrics`)).text();
      return Number(/^operations_total\{operation="orgs\.list",code="OK"\} (\d+)$/m.exec(page)?.[1] ?? 0);
    }),
  );

test('requests to the one address are answered by both nodes', async () => {
  const wallet = actors.wallet();
  await twenty(() => call(wallet, 'GET', '/orgs/v1'));
  expect(await listed()).toEqual([10, 10]);
});

test('messages sent to both nodes arrive once and in one order at subscriptions on both, without a signal', async () => {
  const { orgId, path } = await newRoom();
  const member = createWallet();
  const as = withHeaders({ 'sign-in-with-x': await member.header({ baseUrl: service.url, path: '/agent/v1/whoami' }) });
  const me = await call<{ principal: { id: string } }>(as, 'GET', '/agent/v1/whoami');
  await actors.member(orgId, me.body.principal.id, 'developer');
  const followers = service.nodes.map(({ url }) => {
    // The socket goes straight to its node, and signs for the address that both share.
    const socket = openSocket(url, {
      ...member,
      header: (options) => member.header({ ...options, baseUrl: service.url }),
    });
    onTestFinished(() => void socket.client.dispose());
    return socket.follow({ org: orgId, room: 'standup' });
  });
  const sender = await actors.session({ principalId: me.body.principal.id });
  const sent = twenty((n) => call(sender, 'POST', `${path}/messages`, { body: { body: `${n}`, session_key: `${n}` } }));
  const seen = await Promise.all(
    followers.map(async (events) => {
      const bodies: string[] = [];
      while (bodies.length < 20) bodies.push((await events.next()).value!.data!.roomMessages.message.body);
      return bodies;
    }),
  );
  expect((await sent).map(({ status }) => status)).toEqual(Array(20).fill(201));
  expect(seen[0]).toEqual(seen[1]);
  expect(new Set(seen[0]).size).toBe(20);

  // And what only one of the nodes knows of.
  for (const [index, { url }] of service.nodes.entries()) {
    const body = JSON.stringify({ body: `only node ${index}` });
    const headers = { ...(await sender.headers(path)), 'content-type': 'application/json' };
    expect((await fetch(`${url}${path}/messages`, { method: 'POST', headers, body })).status).toBe(201);
    for (const events of followers) {
      expect((await events.next()).value?.data?.roomMessages.message.body).toBe(`only node ${index}`);
    }
  }
});

test('a long result of a tool is read on in on whichever node', async () => {
  const { principalId, projectId } = await service.project();
  const who = await actors.session({ principalId });
  const ask = async (url: string, name: string, args: object) => {
    const headers = { ...(await who.headers('/mcp')), 'content-type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
    const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body });
    return ((await answer.json()) as { result: { content: { text: string }[]; structuredContent: object } }).result;
  };
  const sql = 'select n from generate_series(1, 40) n';
  for (const [made, read] of [service.nodes, service.nodes.toReversed()] as const) {
    const long = await ask(made!.url, 'run_sql', { project_id: projectId, sql });
    const ref = /res_[0-9a-f]{16}/.exec(long.content[0]!.text)![0];
    for (const node of [read!, made!])
      expect((await ask(node.url, 'expand_result', { ref, offset: 38 })).structuredContent).toMatchObject({
        total: 40,
        items: [{ n: 39 }, { n: 40 }],
      });
  }
});

test('one idempotency key raced across both nodes does its work once, and both give its answer', async () => {
  const { wallet, orgId } = await service.owner();
  const create = async () => {
    for (;;) {
      const headers = { 'idempotency-key': 'across' };
      const answer = await call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId }, headers });
      if (answer.status !== 409) return answer;
      expectRefusal(answer, 'IDEMPOTENCY_IN_PROGRESS');
    }
  };
  const answers = await twenty(create);
  for (const { status, body } of answers) expect([status, body]).toEqual([201, answers[0]!.body]);
  expect(await control.sql('select 1 from projects where org_id = $1', [orgId])).toHaveLength(1);
});

test('a name asked for on both nodes at once is given once, the others get numbers', async () => {
  const { post } = await newRoom();
  const joined = await twenty(() => post('/presences', { requested_name: 'Racer' }));
  const numbers = Array.from({ length: 19 }, (_, index) => `Racer-${index + 2}`);
  expect(new Set(joined.map(({ body }) => body.name))).toEqual(new Set(['Racer', ...numbers]));
});

test('a cursor of one node is good on the other', async () => {
  const { post, get } = await newRoom();
  const first = (await post('/messages', { body: 'one' })).body;
  await post('/messages', { body: 'two' });
  for (const _ of service.nodes) {
    const { messages } = (await get(`/messages?cursor=${first.cursor}`)).body;
    expect(messages).toMatchObject([{ body_snippet: 'two' }]);
  }
});

test('a signature that was spent on one node is spent on the other', async () => {
  const wallet = createWallet();
  const header = await wallet.header({ baseUrl: service.url, path: '/orgs/v1' });
  const answers = await twenty(() => call(withHeaders({ 'sign-in-with-x': header }), 'POST', '/orgs/v1', { body: {} }));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const refused of answers.filter(({ status }) => status !== 201)) {
    expectRefusal(refused, 'INVALID_AUTH', { reason: 'nonce_used' });
  }
});

test('free organizations are counted over both nodes', async () => {
  const wallet = actors.wallet();
  // The first request of a wallet makes its principal.
  await call(wallet, 'GET', '/orgs/v1');
  const answers = await twenty(() => call(wallet, 'POST', '/orgs/v1', { body: {} }));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(freeOrgsPerOwner);
  for (const refused of answers.filter(({ status }) => status !== 201)) {
    expectRefusal(refused, 'FREE_ORG_OWNER_LIMIT_EXCEEDED');
  }
});

test('a membership that ends during a held read on one node ends it, whichever node is told', async () => {
  const { orgId, post, get, member } = await newRoom();
  const guest = await member();
  const held = get('/messages?wait=25', guest);
  for (;;) if ((await service.gauge('feed_followers')) === 1) break;
  await control.sql(`update memberships set status = 'revoked' where org_id = $1 and principal_id = $2`, [
    orgId,
    guest.principalId,
  ]);
  await post('/messages', { body: 'not for those who left' });
  expectRefusal(await held, 'NOT_AUTHORIZED', { reason: 'member' });
});

test('a node holds no more connections than docs/scale.md counts with, however many ask at once', async () => {
  const perNode = {
    'svc-gateway': 20,
    'svc-gateway reads': 4,
    'svc-gateway admin': 5,
    'svc-gateway health': 1,
    'svc-gateway node': 1,
    'svc-gateway workers': 4,
  };
  const { orgId, path } = await newRoom();
  const writers = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const writer = await actors.session();
      await actors.member(orgId, writer.principalId, 'developer');
      return writer;
    }),
  );
  const { wallet, orgId: busy } = await service.owner();
  // A send that cannot be written for now keeps its connection.
  const blocker = new pg.Client({ connectionString: control.url });
  await blocker.connect();
  onTestFinished(() => blocker.end());
  await blocker.query('begin; lock table room_messages in exclusive mode');
  const all = writers.flatMap((writer, n) => [
    ...Array.from({ length: 20 }, () =>
      call(writer, 'POST', `${path}/messages`, { body: { body: 'x', session_key: `${n}` } }),
    ),
    call(wallet, 'POST', '/projects/v1', { body: { org_id: busy } }),
    call(actors.nobody, 'GET', '/readyz'),
  ]);
  const held = () =>
    control.sql<{ name: keyof typeof perNode; count: number }>(
      `select application_name as name, count(*)::int as count from pg_stat_activity
       where datname = current_database() and application_name like 'svc-gateway%' group by 1`,
    );
  // All of the pools are needed, so the counts mean something.
  await until(async () =>
    expect((await held()).find(({ name }) => name === 'svc-gateway')?.count).toBe(2 * perNode['svc-gateway']),
  );
  const most = await held();
  await blocker.query('commit');
  await Promise.all(all);
  for (const { name, count } of [...most, ...(await held())])
    expect([name, count <= 2 * perNode[name]]).toEqual([name, true]);
});
