import { afterAll, expect, test } from 'vitest';
import { tierLimits } from '../../kernel/limits/limits.ts';
import { sendsSlots } from '../../resolvers/rooms/sends-of-day.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { roomsOf } from './room.ts';

const service = await startService();
afterAll(() => service.stop());
const newRoom = roomsOf(service);

/** A room of an organization that may send so many messages a day. */
async function bounded(limit: number) {
  const room = await newRoom();
  const body = { limits: { messages_per_day: limit, writes_per_second: 1_000, writes_burst: 1_000 } };
  const path = `/orgs/v1/admin/${room.orgId}/limits`;
  expect((await service.call(service.actors.admin, 'POST', path, { body })).status).toBe(200);
  const send = (body: object, key = 'standup') =>
    service.call<{ code?: string; details?: object; deduplicated?: boolean }>(
      room.wallet,
      'POST',
      `/orgs/v1/${room.orgId}/rooms/${key}/messages`,
      { body: { session_key: `of ${key}`, ...body } },
    );
  return { ...room, send };
}

const used = (limit: number) => ({ resource: 'messages_per_day', scope: 'organization', used: limit, limit });

test('a tier sends so many messages a day', () => {
  const { prototype, hobby, team } = tierLimits;
  expect([prototype, hobby, team].map((tier) => tier.messagesPerDay)).toEqual([1_000, 10_000, 100_000]);
});

test.each([
  ['one room', () => 'standup'],
  ['twenty rooms', (n: number) => `room-${n}`],
])('of twenty senders who race in %s exactly as many get through as are left', async (_case, roomOf) => {
  const { send, count } = await bounded(7);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => send({ body: `${n}` }, roomOf(n))));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(7).fill(201), ...Array(13).fill(403)]);
  for (const answer of answers) if (answer.status === 403) expectRefusal(answer, 'QUOTA_EXCEEDED', used(7));
  expect(await count('room_messages')).toBe(7);
});

test('the refusal says what is used up, and what helps', async () => {
  const { send } = await bounded(1);
  await send({ body: 'the last one' });
  const { body } = await send({ body: 'one too many' });
  expect(body).toMatchObject({
    code: 'QUOTA_EXCEEDED',
    message: 'Daily message quota reached for this organization.',
    details: used(1),
    mutation_state: 'none',
    next_actions: [
      { type: 'renew_tier', method: 'POST', path: '/tiers/v1/:tier' },
      { type: 'check_usage', method: 'GET', path: '/tiers/v1/status' },
    ],
  });
});

test('a repeated send costs nothing, also when nothing is left', async () => {
  const { send, count } = await bounded(2);
  const first = { body: 'once', idempotency_key: 'k' };
  for (const status of [201, 200, 200]) expect((await send(first)).status).toBe(status);
  expect((await send({ body: 'the last one' })).status).toBe(201);
  expectRefusal(await send({ body: 'one too many' }), 'QUOTA_EXCEEDED', used(2));
  const again = await send(first);
  expect([again.status, again.body.deduplicated]).toEqual([200, true]);
  expect(await count('room_messages')).toBe(2);
});

test('what is refused for another reason costs nothing', async () => {
  const { send } = await bounded(1);
  for (const bad of [{ body: ' ' }, { body: 'x', to: ['Nobody'] }, { body: 'x', presence_id: 'prs_nobody' }]) {
    expect((await send(bad)).status).toBeGreaterThanOrEqual(400);
  }
  expect((await send({ body: 'x' })).status).toBe(201);
});

test('a message that is refused leaves nothing behind, no presence either', async () => {
  const { send, count } = await bounded(0);
  expectRefusal(await send({ body: 'x' }), 'QUOTA_EXCEEDED', used(0));
  expect([await count('rooms'), await count('room_presences'), await count('room_messages')]).toEqual([0, 0, 0]);
});

test('a day of UTC begins with nothing used, and another organization has its own', async () => {
  const { send, orgId } = await bounded(1);
  await send({ body: 'yesterday' });
  const other = await bounded(1);
  expect((await other.send({ body: 'theirs' })).status).toBe(201);
  await service.control.sql('update room_sends set day = day - 1 where org_id = $1', [orgId]);
  expect((await send({ body: 'today' })).status).toBe(201);
  expectRefusal(await send({ body: 'one too many' }), 'QUOTA_EXCEEDED', used(1));
});

test('a large allowance is counted as exactly as a small one, with senders side by side before and after it is near', async () => {
  const limit = 1_030;
  const { send, orgId, count } = await bounded(limit);
  // What was sent before stands in a room of its own; twenty are sent far from the limit.
  await service.control.sql(
    `insert into room_sends (org_id, day, room_key, sent) values ($1, (now() at time zone 'utc')::date, 'before', 0)`,
    [orgId],
  );
  const before = (sent: number) =>
    service.control.sql(`update room_sends set sent = $2 where org_id = $1 and room_key = 'before'`, [orgId, sent]);
  await Promise.all(Array.from({ length: 20 }, (_, n) => send({ body: 'x' }, `room-${n}`)));
  expect(await count('room_messages')).toBe(20);
  await before(limit - 40);
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => send({ body: 'x' }, `room-${n % 20}`)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
  expect(await count('room_messages')).toBe(40);
});

test('GraphQL refuses what REST refuses', async () => {
  const { wallet, orgId } = await bounded(0);
  const send = 'mutation ($input: SendRoomMessageInput!) { sendRoomMessage(input: $input) { body } }';
  const { errors } = await service.graphql(wallet, send, { input: { org: orgId, room: 'standup', body: 'x' } });
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'QUOTA_EXCEEDED', details: used(0) });
});

test('however many rooms an organization sends to, its day is a few rows, and the sum is exact', async () => {
  const rooms = 3 * sendsSlots;
  const { send, orgId, count } = await bounded(rooms);
  for (let from = 0; from < rooms; from += 16) {
    await Promise.all(Array.from({ length: 16 }, (_, n) => send({ body: 'x' }, `room-${from + n}`)));
  }
  expect(await count('rooms')).toBe(rooms);
  const [day] = await service.control.sql<{ rows: number; sent: number }>(
    'select count(*)::int as rows, sum(sent)::int as sent from room_sends where org_id = $1',
    [orgId],
  );
  expect(day!.sent).toBe(rooms);
  expect(day!.rows).toBeLessThanOrEqual(sendsSlots);
  expectRefusal(await send({ body: 'one too many' }), 'QUOTA_EXCEEDED', used(rooms));
});
