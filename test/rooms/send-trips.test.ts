import { afterAll, expect, test } from 'vitest';
import { startFaultyWorld } from '../helpers/faulty-world.ts';

const world = await startFaultyWorld();
afterAll(() => world.stop());
const gateway = await world.start();
const { wallet, orgId } = await world.owner(gateway);
const path = `/orgs/v1/${orgId}/rooms/hall`;
const { body: speaker } = await gateway.call<{ presence_id: string }>(gateway.as(wallet), 'POST', `${path}/presences`, {
  body: {},
});

/** What a statement is to a send. */
const names: readonly (readonly [RegExp, string])[] = [
  [/update "room_presences"/, 'speaker'],
  [/pg_advisory_xact_lock_shared/, 'day'],
  [/"archived_at"/, 'archived'],
  [/insert into "audit_events"/, 'trail'],
  [/set "outcome"/, 'outcome'],
  [/insert into "room_messages"/, 'message'],
];
const nameOf = (text: string) => names.find(([pattern]) => pattern.test(text))?.[1] ?? text;

/** The trips of the transaction in which a message is written, from its beginning to its commit. */
async function tripsOf(send: () => Promise<{ readonly status: number }>) {
  const before = world.proxy.trips.length;
  expect((await send()).status).toBe(201);
  const trips = world.proxy.trips.slice(before);
  const end = trips.findIndex(({ texts }) => texts.some((text) => nameOf(text) === 'message'));
  const own = trips.slice(0, end + 1).filter(({ link }) => link === trips[end]!.link);
  const start = own.findLastIndex(({ texts }) => texts.includes('begin'));
  return own.slice(start).map(({ texts }) => texts.map(nameOf));
}

const input = { body: 'hello', presence_id: speaker.presence_id };

test('sending a message is two trips to the database, and the lock of its room is held during none', async () => {
  const send = () => gateway.call(gateway.as(wallet), 'POST', `${path}/messages`, { body: input });
  const expected = [
    ['begin', 'day', 'archived', 'speaker'],
    ['trail', 'message', 'commit'],
  ];
  expect([await tripsOf(send), await tripsOf(send)]).toEqual([expected, expected]);
});

test('under a key its outcome is stored in the trip of the message', async () => {
  const headers = { 'idempotency-key': 'once' };
  const send = () => gateway.call(gateway.as(wallet), 'POST', `${path}/messages`, { body: input, headers });
  expect(await tripsOf(send)).toEqual([
    ['begin', 'day', 'archived', 'speaker'],
    ['trail', 'outcome', 'message', 'commit'],
  ]);
});

test('over GraphQL it travels alike', async () => {
  const query = 'mutation ($input: SendRoomMessageInput!) { sendRoomMessage(input: $input) { id } }';
  const variables = { input: { org: orgId, room: 'hall', body: 'hello', presenceId: speaker.presence_id } };
  const send = async () => {
    const { status, body } = await gateway.call<{ errors?: unknown }>(gateway.as(wallet), 'POST', '/graphql', {
      body: { query, variables },
    });
    expect(body.errors).toBeUndefined();
    return { status: status === 200 ? 201 : status };
  };
  expect(await tripsOf(send)).toEqual([
    ['begin', 'day', 'archived', 'speaker'],
    ['trail', 'message', 'commit'],
  ]);
});

test('a change whose key was taken over meanwhile is not made', async () => {
  const send = () =>
    gateway.call<{ code: string }>(gateway.as(wallet), 'POST', `${path}/messages`, {
      body: { ...input, body: 'twice' },
      headers: { 'idempotency-key': 'taken' },
    });
  const release = await world.hold('select 1 from room_presences where id = $1 for update', [speaker.presence_id]);
  const slow = send();
  await world.blocked(/update "room_presences"/);
  const [claim] = await world.sql(
    `update idempotency_keys set lease_token = 'another' where key = 'taken' returning *`,
  );
  await release();
  expect(await slow).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_IN_PROGRESS' } });
  expect(claim).toMatchObject({ outcome: null });
  expect(await world.sql(`select 1 from room_messages where body = 'twice'`)).toEqual([]);
});
