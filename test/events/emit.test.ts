import { afterAll, expect, test } from 'vitest';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { feedsOf, typesOf } from './feed.ts';

const service = await sharedService();
afterAll(() => service.stop());
const feed = feedsOf(service);
const { actors, control } = service;

const twenty = <Result>(run: (n: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: 20 }, (_, n) => run(n)));

/** What is used of the day's events; null when nobody counted. */
async function usedBy(orgId: string): Promise<number | null> {
  const [row] = await control.sql<{ used: number }>(
    `select used from daily_counts where org_id = $1 and resource = 'events_per_day'`,
    [orgId],
  );
  return row?.used ?? null;
}

const limit = (orgId: string, value: number) =>
  service.call(actors.admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, { body: { limits: { events_per_day: value } } });

test('an event is told of, and its cursor stands right after it', async () => {
  const { emit, read, projectId } = await feed();
  const { status, body } = await emit('order_paid', { order: 7, lines: [{ sku: 'a' }] });
  expect(status).toBe(201);
  expect(body).toEqual({
    cursor: expect.stringMatching(/^evc_/),
    event_type: 'order_paid',
    class: 'app',
    source: 'app',
    payload: { order: 7, lines: [{ sku: 'a' }] },
    occurred_at: moment,
    deduplicated: false,
    next_actions: [{ type: 'poll', method: 'GET', path: `/projects/v1/${projectId}/events?cursor=${body.cursor}` }],
  });
  const page = await read();
  expect(page.body.events).toMatchObject([{ event_type: 'order_paid', occurred_at: body.occurred_at }]);
  await emit('order_sent');
  const next = await service.call<{ events: { event_type: string }[]; reset: boolean }>(
    actors.bearer((await feed()).serviceKey),
    'GET',
    '/projects/v1/prj_00000/events',
  );
  expectRefusal(next, 'FORBIDDEN');
  const after = await read(`?cursor=${body.cursor}`);
  expect([typesOf(after), after.body.reset]).toEqual([['order_sent'], false]);
});

test('the same key tells once for ever: a replay is the original, whatever it says, and costs nothing', async () => {
  const { emit, read, orgId } = await feed();
  const first = await emit('order_paid', { order: 7 }, { idempotency_key: 'order-7' });
  const again = await emit('something_else', { order: 8 }, { idempotency_key: 'order-7' });
  expect([first.status, again.status]).toEqual([201, 200]);
  expect(again.body).toEqual({ ...first.body, deduplicated: true });
  expect(typesOf(await read())).toEqual(['order_paid']);
  expect(await usedBy(orgId)).toBe(1);
});

test('the key is the project’s: another project tells under it, too', async () => {
  const [one, two] = [await feed(), await feed()];
  for (const { emit } of [one, two])
    expect((await emit('order_paid', {}, { idempotency_key: 'order-7' })).status).toBe(201);
});

test('twenty who tell under one key at once tell once', async () => {
  const { emit, read, orgId } = await feed();
  const answers = await twenty((n) => emit('order_paid', { n }, { idempotency_key: 'order-7' }));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status, body }) => status === 200 && body.deduplicated)).toHaveLength(19);
  const told = answers.map(({ body }) => JSON.stringify([body.cursor, body.payload, body.occurred_at]));
  expect(new Set(told).size).toBe(1);
  expect((await read()).body.events).toHaveLength(1);
  expect(await usedBy(orgId)).toBe(1);
});

test('an Idempotency-Key header gives the same answer again, with its place in the log', async () => {
  const { emit, read } = await feed();
  const headers = { 'idempotency-key': 'try-1' };
  const first = await emit('order_paid', { order: 7 }, {}, { headers });
  await emit('order_sent');
  expect((await emit('order_paid', { order: 7 }, {}, { headers })).body).toEqual(first.body);
  expect(typesOf(await read())).toEqual(['order_paid', 'order_sent']);
  expect(typesOf(await read(`?cursor=${first.body.cursor}`))).toEqual(['order_sent']);
});

test('twenty who race for the last ten of the day get ten, and the rest learn the limit', async () => {
  const { emit, read, orgId } = await feed();
  await limit(orgId, 10);
  const answers = await twenty((n) => emit(`race_${n}`));
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused).toHaveLength(10);
  for (const answer of refused) {
    expectRefusal(answer, 'QUOTA_EXCEEDED', { resource: 'events_per_day', scope: 'organization', used: 10, limit: 10 });
    expect(answer.body.category).toBe('quota');
    expect(answer.body.next_actions).toMatchObject([
      { type: 'renew_tier', method: 'POST', path: '/tiers/v1/:tier' },
      { type: 'check_usage', method: 'GET', path: '/tiers/v1/status' },
    ]);
  }
  expect((await read()).body.events).toHaveLength(10);
  expect(await usedBy(orgId)).toBe(10);
});

test('what is refused for the quota takes no key: it is told under it the next day', async () => {
  const { emit, orgId } = await feed();
  await limit(orgId, 1);
  await emit('order_paid');
  const refused = await emit('order_sent', {}, { idempotency_key: 'order-7' });
  expectRefusal(refused, 'QUOTA_EXCEEDED', { used: 1, limit: 1 });
  await control.sql(`update daily_counts set day = day - 1 where org_id = $1`, [orgId]);
  const told = await emit('order_sent', {}, { idempotency_key: 'order-7' });
  expect([told.status, told.body.deduplicated]).toEqual([201, false]);
});

test('a limit of nothing refuses the first one, and tiers differ', async () => {
  const { emit, orgId } = await feed();
  await limit(orgId, 0);
  expectRefusal(await emit('order_paid'), 'QUOTA_EXCEEDED', { used: 0, limit: 0 });
  const { tierLimits } = await import('../../kernel/limits/limits.ts');
  expect(Object.values(tierLimits).map(({ eventsPerDay }) => eventsPerDay)).toEqual([1_000, 10_000, 100_000]);
});

test.each([
  'ab',
  'Order_paid',
  '1order',
  '_order',
  'order-paid',
  'order paid',
  'order.paid',
  'ordér_paid',
  'оrder_paid',
  'order_paid\n',
  'a'.repeat(65),
  '',
])('%j is no type', async (type) => {
  const { emit } = await feed();
  expectRefusal(await emit(type), 'INVALID_EVENT_TYPE', { field: 'event_type' });
});

test.each(['abc', 'a'.repeat(64), 'a_1', 'a__'])('%j is a type', async (type) => {
  const { emit } = await feed();
  expect((await emit(type)).status).toBe(201);
});

test.each(['deploy_activated', 'agent_message_sent', 'platform_incident', 'channel_route_auto_paused'])(
  '%s is the platform’s own',
  async (type) => {
    const { emit } = await feed();
    expectRefusal(await emit(type), 'RESERVED_EVENT_TYPE', { field: 'event_type' });
  },
);

test.each<[string, unknown, string]>([
  ['no type', { payload: {} }, 'event_type'],
  ['a type that is a number', { event_type: 7 }, 'event_type'],
  ['a payload that is a list', { event_type: 'order_paid', payload: [] }, 'payload'],
  ['a payload that is a text', { event_type: 'order_paid', payload: '{}' }, 'payload'],
  ['a payload with NUL', { event_type: 'order_paid', payload: { a: 'x\0' } }, 'payload.a'],
  ['a payload with half a surrogate', { event_type: 'order_paid', payload: { a: ['\ud800'] } }, 'payload.a[0]'],
  ['an empty key', { event_type: 'order_paid', idempotency_key: '' }, 'idempotency_key'],
  ['a key that is too long', { event_type: 'order_paid', idempotency_key: 'k'.repeat(257) }, 'idempotency_key'],
  ['a key that is a number', { event_type: 'order_paid', idempotency_key: 7 }, 'idempotency_key'],
])('%s is refused', async (_case, body, field) => {
  const { key, path } = await feed();
  expectRefusal(await service.call(key, 'POST', path, { body }), 'VALIDATION_FAILED', { field });
});

test('a key of 256 characters is one, and a null payload is none', async () => {
  const { emit } = await feed();
  const { status, body } = await emit('order_paid', null, { idempotency_key: '💥'.repeat(128) });
  expect([status, body.payload]).toEqual([201, {}]);
});

test('only the project’s own service key emits', async () => {
  const { path, wallet, orgId, projectId, anonKey } = await feed();
  const other = await feed();
  const body = { event_type: 'order_paid' };
  const delegate = await actors.delegate({ orgId, projectId, capabilities: ['project:write'] });
  for (const actor of [wallet, delegate, other.wallet])
    expectRefusal(await service.call(actor, 'POST', path, { body }), 'NOT_AUTHORIZED');
  for (const actor of [other.key, actors.admin])
    expectRefusal(await service.call(actor, 'POST', path, { body }), 'FORBIDDEN');
  for (const actor of [actors.nobody, actors.apikey(anonKey)])
    expectRefusal(await service.call(actor, 'POST', path, { body }), 'AUTH_REQUIRED');
});

test.each<[string, 'PROJECT_FROZEN' | 'PROJECT_DORMANT']>([
  ['frozen', 'PROJECT_FROZEN'],
  ['dormant', 'PROJECT_DORMANT'],
])('nothing is emitted while the organization is %s', async (state, code) => {
  const { emit, orgId } = await feed();
  await control.sql('update orgs set lifecycle_state = $2 where id = $1', [orgId, state]);
  expectRefusal(await emit('order_paid'), code);
});

test('over GraphQL an event is emitted, and told again under its key', async () => {
  const { key, projectId, read } = await feed();
  const emit = `mutation ($in: EmitEventInput!) { emitEvent(input: $in) {
    cursor deduplicated payloadTruncated event { eventId projectId type source class payload }
  } }`;
  const input = { project: projectId, eventType: 'order_paid', payload: { order: 7 }, onceKey: 'order-7' };
  const { data } = await service.graphql(key, emit, { in: input });
  const rest = await read();
  expect(data.emitEvent).toEqual({
    cursor: rest.body.cursor,
    deduplicated: false,
    payloadTruncated: false,
    event: {
      eventId: rest.body.events[0].id,
      projectId,
      type: 'order_paid',
      source: 'APP',
      class: 'app',
      payload: { order: 7 },
    },
  });
  const again = await service.graphql(key, emit, { in: { ...input, payload: {} } });
  expect(again.data.emitEvent).toEqual({ ...data.emitEvent, deduplicated: true });
  const reserved = await service.graphql(key, emit, { in: { ...input, eventType: 'deploy_activated' } });
  expect(reserved.errors).toMatchObject([{ extensions: { code: 'RESERVED_EVENT_TYPE' } }]);
});

test('each event that was told is in the trail, and a replay is not', async () => {
  const { emit, orgId, projectId } = await feed();
  await emit('order_paid', {}, { idempotency_key: 'order-7' });
  await emit('order_paid', {}, { idempotency_key: 'order-7' });
  expect(
    await control.sql(`select object_id, details from audit_events where org_id = $1 and action = 'event.emitted'`, [
      orgId,
    ]),
  ).toEqual([{ object_id: projectId, details: { event_type: 'order_paid' } }]);
});
