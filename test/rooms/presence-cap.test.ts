import { afterAll, expect, test } from 'vitest';
import { liveShownMax } from '../../resolvers/rooms/shared/live-presences.ts';
import { presencesMax } from '../../resolvers/rooms/shared/presence.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { roomsOf } from './room.ts';

const service = await startService({ jobs: false });
afterAll(() => service.stop());
const newRoom = roomsOf(service);
type Room = Awaited<ReturnType<typeof newRoom>>;

const atCap = { resource: 'live_presences', scope: 'principal', used: presencesMax, limit: presencesMax };

/** Presences of a principal, `name-1` and on, each with its session key `name-1`. */
const seat = ({ orgId, principalId }: Room, count: number, { name = 'Seat', alive = true, owner = principalId } = {}) =>
  service.control.sql(
    `insert into room_presences (org_id, id, room_key, principal_id, name, session_key, last_active, expires_at)
     select $1, 'prs_' || $4 || n, 'standup', $2, $4 || '-' || n, $4 || '-' || n, now() - n * interval '1 second',
       now() + $5::interval - n * interval '1 second'
     from generate_series(1, $3::int) n`,
    [orgId, owner, count, name, alive ? '1 hour' : '-1 hour'],
  );
const live = async ({ get }: Room) => (await get('/presences')).body.presences.length;

test('a principal has 1,000 live presences in a room at most, and is told what helps', async () => {
  expect(presencesMax).toBe(1_000);
  const room = await newRoom();
  await seat(room, presencesMax);
  for (const [path, body] of [
    ['/presences', {}],
    ['/messages', { body: 'x' }],
    ['/claims', { resource: 'deploy', mode: 'shared' }],
  ] as const) {
    const refused = await room.post(path, body);
    expectRefusal(refused, 'QUOTA_EXCEEDED', atCap);
    expect(refused.body.message).toMatch(/session_key, or let one leave/);
  }
  expect([await live(room), await room.count('room_messages')]).toEqual([presencesMax, 0]);
});

test('a writer without a session key is one presence, however much it writes, by each door', async () => {
  const room = await newRoom();
  await seat(room, presencesMax - 1);
  const [first, second] = [
    await room.post('/messages', { body: 'a' }),
    await room.post('/messages', { body: 'b', task: 'more' }),
  ];
  expect([first.status, second.status]).toEqual([201, 201]);
  const { presence_id: id } = first.body.sender_presence;
  expect(second.body.sender_presence).toMatchObject({ presence_id: id, task: 'more' });
  const document = `mutation ($input: SendRoomMessageInput!) { sendRoomMessage(input: $input) { messageId } }`;
  const sent = await service.graphql(room.wallet, document, { input: { org: room.orgId, room: 'standup', body: 'c' } });
  expect(sent.errors).toBeUndefined();
  expect([await live(room), await room.count('room_messages')]).toEqual([presencesMax, 3]);
});

test('of several first messages without a session key all are from one presence', async () => {
  const room = await newRoom();
  const sent = await Promise.all(Array.from({ length: 8 }, (_, n) => room.post('/messages', { body: `${n}` })));
  expect(new Set(sent.map(({ body }) => body.sender_presence.presence_id)).size).toBe(1);
});

test('messages without a session key are from no presence that has one, of another member or of another name', async () => {
  const room = await newRoom();
  const keyed = await room.post('/messages', { body: 'x', session_key: 'one' });
  const plain = await room.post('/messages', { body: 'x' });
  const theirs = await room.post('/messages', { body: 'x' }, await room.member());
  const named = await room.post('/messages', { body: 'x', requested_name: `${plain.body.sender_presence.name}b` });
  const ids = [keyed, plain, theirs, named].map(({ body }) => body.sender_presence.presence_id);
  expect(new Set(ids).size).toBe(4);
  // The name is taken: this writer has it with a number, and is found by it the next time.
  const numbered = { body: 'x', requested_name: theirs.body.sender_presence.name };
  const first = (await room.post('/messages', numbered)).body.sender_presence;
  expect(first.name).toBe(`${numbered.requested_name}-2`);
  expect((await room.post('/messages', numbered)).body.sender_presence.presence_id).toBe(first.presence_id);
  // One that has left or fell silent is not brought back.
  await room.expire(first.presence_id);
  expect((await room.post('/messages', numbered)).body.sender_presence.presence_id).not.toBe(first.presence_id);
});

test('those who are live speak and come back as before', async () => {
  const room = await newRoom();
  await seat(room, presencesMax);
  expect((await room.post('/presences', { session_key: 'Seat-3' })).status).toBe(200);
  expect((await room.post('/messages', { body: 'x', session_key: 'Seat-4' })).status).toBe(201);
  const [{ presence_id }] = (await room.get('/presences?name=Seat-5')).body.presences;
  expect((await room.post('/messages', { body: 'x', presence_id })).status).toBe(201);
});

test('one that fell silent or left makes room; reviving one takes a place as a new one does', async () => {
  const room = await newRoom();
  await seat(room, presencesMax);
  await seat(room, 1, { name: 'Old', alive: false });
  const old = { session_key: 'Old-1' };
  expectRefusal(await room.post('/presences', old), 'QUOTA_EXCEEDED', atCap);
  expect((await room.get('/presences?name=Old-1&include_expired=true')).body.presences[0].state).toBe('expired');
  const [first, second] = (await room.get('/presences')).body.presences;
  await room.expire(first.presence_id);
  expect((await room.post('/presences', old)).body).toMatchObject({ name: 'Old-1', resumed: true, state: 'active' });
  expectRefusal(await room.post('/presences', {}), 'QUOTA_EXCEEDED', atCap);
  await service.call(room.wallet, 'DELETE', `${room.path}/presences/${second.presence_id}`);
  expect((await room.post('/presences', {})).status).toBe(201);
});

test('others, and other rooms, have their own', async () => {
  const room = await newRoom();
  await seat(room, presencesMax);
  expect((await room.post('/presences', {}, await room.member())).status).toBe(201);
  const elsewhere = `/orgs/v1/${room.orgId}/rooms/other/presences`;
  expect((await service.call(room.wallet, 'POST', elsewhere, { body: {} })).status).toBe(201);
});

test('of twenty who race, newcomers and revived ones, exactly as many get in as there are places', async () => {
  const room = await newRoom();
  await seat(room, presencesMax - 7);
  await seat(room, 10, { name: 'Old', alive: false });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => {
      const body = n < 10 ? { session_key: `Old-${n + 1}` } : { requested_name: `New-${n}x`, session_key: `New-${n}` };
      return n % 3 === 0 ? room.post('/messages', { body: 'x', ...body }) : room.post('/presences', body);
    }),
  );
  expect(answers.filter(({ status }) => status < 300)).toHaveLength(7);
  for (const answer of answers) if (answer.status >= 300) expectRefusal(answer, 'QUOTA_EXCEEDED', atCap);
  expect(await live(room)).toBe(presencesMax);
});

test('twenty who race with one new session for the last place are one presence', async () => {
  const room = await newRoom();
  await seat(room, presencesMax - 1);
  const calls = await Promise.all(Array.from({ length: 20 }, () => room.post('/presences', { session_key: 'one' })));
  expect(calls.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
  expect(await live(room)).toBe(presencesMax);
});

test('GraphQL refuses what REST refuses', async () => {
  const room = await newRoom();
  await seat(room, presencesMax);
  const join = 'mutation ($input: JoinRoomInput!) { joinRoom(input: $input) { name } }';
  const { errors } = await service.graphql(room.wallet, join, { input: { org: room.orgId, room: 'standup' } });
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'QUOTA_EXCEEDED', details: atCap });
});

test('of many who are live, an answer shows the latest 200, and a message finds any of them by name', async () => {
  const room = await newRoom();
  for (let n = 0; n < 10; n++) await seat(room, 30, { name: `P${n}`, owner: `prn_${n}` });
  const latest = (await room.get('/presences')).body.presences.slice(0, liveShownMax);
  const sent = await room.post('/messages', { body: 'x', to: ['p9-30'], cc: ['P0-30'], session_key: 's' });
  expect(sent.body.recipients.map(({ name }: { name: string }) => name)).toEqual(['P9-30', 'P0-30']);
  const names = (list: { name: string }[]) => list.map(({ name }) => name).sort();
  const lastActive = (list: { last_active: string }[]) => list.map(({ last_active }) => last_active);
  expect(sent.body.live_presences).toHaveLength(200);
  expect(lastActive(sent.body.live_presences)).toEqual(lastActive(latest));
  expect(names(sent.body.live_presences)).not.toContain(sent.body.sender);
  const held = await room.get('/messages?wait=1&session_key=s');
  expect(held.body.live_presences).toEqual(sent.body.live_presences);
});

test('what is kept of a send holds nobody who is live; given again, it tells who is live by then', async () => {
  const room = await newRoom();
  for (let n = 0; n < 10; n++) await seat(room, 30, { name: `P${n}`, owner: `prn_${n}` });
  const headers = { 'idempotency-key': 'once' };
  const body = { body: 'x', to: ['P1-1'], session_key: 's' };
  const first = await room.post('/messages', body, undefined, { headers });
  expect(first.body.live_presences).toHaveLength(200);
  const [stored] = await service.control.sql<{ bytes: number }>(
    `select octet_length(outcome) as bytes from idempotency_keys where operation = 'rooms.sendMessage' and key = 'once'`,
  );
  expect(stored!.bytes).toBeLessThan(4_096);
  // Who is live is told as it is now, also with an answer that is given again.
  await service.control.sql(`update room_presences set expires_at = now() where org_id = $1 and name <> 'P1-1'`, [
    room.orgId,
  ]);
  const again = await room.post('/messages', body, undefined, { headers });
  expect(again.body.live_presences.map(({ name }: { name: string }) => name)).toEqual(['P1-1']);
  expect({ ...again.body, live_presences: 0 }).toEqual({ ...first.body, live_presences: 0 });
});
