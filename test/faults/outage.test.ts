import { afterAll, expect, test } from 'vitest';
import type { ErrorEnvelope } from '../../core/errors.ts';
import { persist, startFaultyWorld } from '../helpers/faulty-world.ts';
import { openSocket } from '../helpers/graphql-ws-client.ts';
import { until } from '../helpers/until.ts';

const world = await startFaultyWorld();
const gateway = await world.start();
afterAll(() => world.stop());
const { call } = gateway;

/** What Node says of an exception that nobody caught. The job queue reports lost connections on standard error, too. */
const crash = /uncaught|unhandled|Node\.js v\d/i;

/** The database goes away while `during` runs. */
async function outage(during: () => Promise<void>): Promise<void> {
  world.proxy.cut();
  try {
    await during();
  } finally {
    world.proxy.mend();
  }
}

const ready = async () => (await call(gateway.as(sender), 'GET', '/readyz')).status;
const { wallet: sender, orgId } = await world.owner(gateway);
const messages = `/orgs/v1/${orgId}/rooms/hall/messages`;
const send = (body: string, key?: string) =>
  call<ErrorEnvelope>(gateway.as(sender), 'POST', messages, {
    body: { body },
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });
const unavailable = {
  code: 'UPSTREAM_UNAVAILABLE',
  category: 'upstream',
  retryable: true,
  safe_to_retry: true,
  retry_after: 1,
  mutation_state: 'none',
};

test('while Postgres is away every request is refused as one that may be repeated, and then served again', async () => {
  const expectRefusal = async (method: string, path: string, body?: object) => {
    const answer = await call<ErrorEnvelope>(gateway.as(sender), method, path, body === undefined ? {} : { body });
    expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 503, '1']);
    expect(answer.body).toMatchObject(unavailable);
  };
  await outage(async () => {
    await expectRefusal('GET', '/orgs/v1');
    await expectRefusal('GET', `${messages}?wait=1`);
    await expectRefusal('GET', `/orgs/v1/${orgId}/rooms`);
    await expectRefusal('POST', '/orgs/v1', {});
    await expectRefusal('POST', '/projects/v1', { org_id: orgId });
    await expectRefusal('POST', messages, { body: 'hello?' });
    const query = `{ organizations { edges { node { orgId } } } node(id: "Organization_${orgId}") { id } }`;
    const answer = await call<{ errors: { extensions: object }[] }>(gateway.as(sender), 'POST', '/graphql', {
      body: { query },
    });
    expect(answer.body.errors.length).toBeGreaterThan(0);
    for (const { extensions } of answer.body.errors) expect(extensions).toMatchObject(unavailable);

    const health = await call(gateway.as(sender), 'GET', '/api/health');
    expect([health.status, health.body]).toMatchObject([200, { status: 'degraded', checks: { database: 'down' } }]);
    expect(await ready()).toBe(503);
  });
  await until(async () => expect(await ready()).toBe(200));
  expect((await call(gateway.as(sender), 'GET', '/orgs/v1')).status).toBe(200);
  expect(gateway.running()).toBe(true);
  expect(gateway.stderr()).not.toMatch(crash);
});

test('an open subscription goes on after an outage on the same socket and misses nothing', async () => {
  const socket = openSocket(gateway.url, sender);
  const events = socket.follow({ org: orgId, room: 'hall' });
  const bodies: string[] = [];
  const reading = (async () => {
    for await (const { data } of events) bodies.push(data!.roomMessages.message.body);
  })();
  expect((await send('before')).status).toBe(201);
  await until(() => expect(bodies).toEqual(['before']));

  for (const round of ['first', 'second']) {
    await outage(async () => {
      expect((await send(`lost in the ${round} outage`)).status).toBe(503);
      // Long enough for the gateway to have looked, failed and looked again.
      await until(async () => expect(await ready()).toBe(503));
      // Another gateway's, say: written while this one cannot read, and without a signal.
      await world.sql(
        `with head as (update feed_heads set position = position + 1 where org_id = $1 and kind = 'room'
           returning position)
         insert into room_messages (org_id, room_key, seq, id, sender_presence_id, sender_name, principal_id, body,
           importance, ack_required, recipients)
         select org_id, room_key, head.position, $2, sender_presence_id, sender_name, principal_id, $3, importance,
           false, '[]' from room_messages, head where org_id = $1 and seq = 1`,
        [orgId, `msg_${round}`, `during the ${round} outage`],
      );
    });
    await until(async () => expect((await send(`after the ${round} outage`)).status).toBe(201));
  }
  const expected = [
    'before',
    ...['first', 'second'].flatMap((round) => [`during the ${round} outage`, `after the ${round} outage`]),
  ];
  await until(() => expect(bodies).toHaveLength(expected.length));
  expect(bodies).toEqual(expected);
  expect([socket.opened(), socket.closes()]).toEqual([1, []]);
  await events.return?.();
  await reading;
  await socket.client.dispose();
});

test('a held read that an outage interrupts goes on, or is refused as one that may be repeated', async () => {
  const { body: page } = await call<{ cursor: string }>(gateway.as(sender), 'GET', `${messages}?limit=200`);
  const read = () =>
    call<{ messages: { body_snippet: string }[] }>(
      gateway.as(sender),
      'GET',
      `${messages}?cursor=${page.cursor}&wait=25`,
    );
  const held = read();
  await outage(async () => until(async () => expect(await ready()).toBe(503)));
  await until(async () => expect((await send('at last')).status).toBe(201));
  let answer = await held;
  if (answer.status === 503) answer = await read();
  expect(answer.body.messages.map(({ body_snippet }) => body_snippet)).toEqual(['at last']);
});

test('a change that an outage cut short is made once under its key', async () => {
  const release = await world.hold('select 1 from feed_heads where org_id = $1 for update', [orgId]);
  const cut = send('under a key', 'outage');
  await world.blocked(/insert into "feed_heads"/);
  await outage(async () => {
    const { status, body } = await cut;
    expect([status, body.code, body.retryable]).toEqual([503, 'UPSTREAM_UNAVAILABLE', true]);
    await release();
  });
  await until(async () => expect(await ready()).toBe(200));
  const made = await persist(() => send('under a key', 'outage'));
  expect(made.status).toBe(201);
  expect((await send('under a key', 'outage')).body).toEqual(made.body);
  expect(await world.sql(`select 1 from room_messages where body = 'under a key'`)).toHaveLength(1);
});

test('sessions that Postgres itself ends are an outage like any other', async () => {
  const end = () =>
    world.postgres.admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'svc-gateway%'`,
    );
  for (let round = 0; round < 5; round++) {
    const reads = Array.from({ length: 10 }, () => call<ErrorEnvelope>(gateway.as(sender), 'GET', '/orgs/v1'));
    await end();
    for (const { status, body } of await Promise.all(reads)) {
      if (status !== 200) expect([status, body]).toMatchObject([503, unavailable]);
    }
  }
  await until(async () => expect(await ready()).toBe(200));
});

test('after all outages nothing was left uncaught, and the gateway ends as it should', async () => {
  expect(gateway.running()).toBe(true);
  expect(await gateway.stop(), gateway.stdout().slice(-4_000)).toBe(0);
  expect(gateway.stderr()).not.toMatch(crash);
  expect(gateway.stdout()).not.toMatch('did not end in time');
});

test('idle connections that break are told of once for each database, without a stack', () => {
  const told = gateway
    .stdout()
    .split('\n')
    .filter((line) => /idle database connection/i.test(line));
  expect(told.length).toBeGreaterThan(0);
  for (const line of told) {
    expect(line).not.toMatch(/stack/);
    expect(JSON.parse(line)).toMatchObject({ database: expect.any(String), connections: expect.any(Number) });
  }
});
