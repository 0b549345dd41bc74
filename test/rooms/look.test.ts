import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { roomsOf } from './room.ts';

const service = await sharedService();
afterAll(() => service.stop());
const newRoom = roomsOf(service);
const call = documentedCalls(service);

test('a room nobody has used reads as empty, and reading does not bring it into being', async () => {
  const { orgId, get, count } = await newRoom();
  const empty = {
    org_id: orgId,
    room_key: 'standup',
    project_id: null,
    live_presences: 0,
    last_activity_at: null,
    archived_at: null,
  };
  expect((await get()).body).toStrictEqual(empty);
  expect((await get('/presences')).body).toStrictEqual({ presences: [] });
  const messages = (await get('/messages?session_key=mine')).body;
  expect(messages).toStrictEqual({ messages: [], cursor: expect.stringMatching(/^mcr_/), has_more: false });
  expect((await get()).body).toStrictEqual(empty);
  expect([await count('rooms'), await count('room_presences')]).toEqual([0, 0]);
});

test('a used room counts who is live and dates its newest sign of life', async () => {
  const { orgId, get, post, expire } = await newRoom();
  const { presence_id } = (await post('/presences', {})).body;
  const sent = (await post('/messages', { body: 'hello', session_key: 'another' })).body;
  expect((await get()).body).toStrictEqual({
    org_id: orgId,
    room_key: 'standup',
    project_id: null,
    live_presences: 2,
    last_activity_at: moment,
    archived_at: null,
  });
  expect((await get()).body.last_activity_at >= sent.created_at).toBe(true);
  await expire(presence_id);
  expect((await get()).body.live_presences).toBe(1);
});

test('the rooms somebody used are listed, newest activity first', async () => {
  const { wallet, orgId } = await newRoom();
  for (const key of ['one', 'two', 'three', 'one']) {
    await call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/${key}/messages`, { body: { body: key } });
  }
  const { rooms } = (await call(wallet, 'GET', `/orgs/v1/${orgId}/rooms`)).body;
  expect(rooms.map(({ room_key }: { room_key: string }) => room_key)).toEqual(['one', 'three', 'two']);
  for (const room of rooms) {
    expect((await call(wallet, 'GET', `/orgs/v1/${orgId}/rooms/${room.room_key}`)).body).toStrictEqual(room);
  }
});

test.each(['a', '0', 'a.b_c-d', 'x'.repeat(64), 'stand..up'])('%s is a room key', async (key) => {
  const { get } = await newRoom(key);
  expect((await get()).body.room_key).toBe(key);
});

test.each([
  'Standup',
  '.a',
  '-a',
  '_a',
  'x'.repeat(65),
  'a%20b',
  'a%2Fb',
  'a%00',
  '%C3%A4',
  '%F0%9F%A6%8A',
  `prj_${'x'.repeat(65)}`,
  'prj_a.b',
  'prj_',
])('%s is no room key', async (key) => {
  const { get, post, count } = await newRoom(key);
  for (const answer of [await get(), await get('/messages'), await get('/presences'), await post('/presences', {})]) {
    expectRefusal(answer, 'VALIDATION_FAILED', { field: 'room_key' });
  }
  expectRefusal(await post('/messages', { body: 'x' }), 'VALIDATION_FAILED', { field: 'room_key' });
  expect(await count('rooms')).toBe(0);
});

test('a project’s room carries its id, and exists under its own organization alone', async () => {
  const { wallet, orgId, projectId } = await service.project();
  const room = await call(wallet, 'GET', `/orgs/v1/${orgId}/rooms/${projectId}`);
  expect(room.body).toMatchObject({ room_key: projectId, project_id: projectId });
  const second = (await call(wallet, 'POST', '/orgs/v1')).body.org_id;
  const refusals = [];
  for (const key of [projectId, 'prj_nobody']) {
    for (const [method, rest, body] of [
      ['GET', '', undefined],
      ['GET', '/messages', undefined],
      ['POST', '/messages', { body: 'x' }],
      ['POST', '/presences', {}],
    ] as const) {
      const answer = await call(wallet, method, `/orgs/v1/${second}/rooms/${key}${rest}`, { body });
      expectRefusal(answer, 'NOT_AUTHORIZED', { reason: 'member' });
      refusals.push(answer);
    }
  }
  expect(new Set(refusals.map(({ body }) => body.message)).size).toBe(1);
  expect((await call(wallet, 'GET', `/orgs/v1/${second}/rooms`)).body).toEqual({ rooms: [] });
});

test('the room of a deleted project is gone from reads and from the list', async () => {
  const { wallet, orgId, projectId } = await service.project();
  const path = `/orgs/v1/${orgId}/rooms/${projectId}`;
  await call(wallet, 'POST', `${path}/messages`, { body: { body: 'last words' } });
  expect((await call(wallet, 'GET', `/orgs/v1/${orgId}/rooms`)).body.rooms).toHaveLength(1);
  await service.control.sql('update projects set deleted_at = now() where id = $1', [projectId]);
  expectRefusal(await call(wallet, 'GET', path), 'NOT_AUTHORIZED');
  expect((await call(wallet, 'GET', `/orgs/v1/${orgId}/rooms`)).body.rooms).toEqual([]);
});

test('each credential lists exactly the rooms that it can read', async () => {
  const { wallet, orgId, projectId, serviceKey } = await service.project();
  const sibling = (await call(wallet, 'POST', '/projects/v1', { body: { org_id: orgId } })).body.project_id;
  const keys = [projectId, sibling, 'named'];
  for (const key of keys) {
    await call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/${key}/messages`, { body: { body: key } });
  }
  const viewer = await service.actors.session();
  await service.actors.member(orgId, viewer.principalId, 'viewer');
  const delegate = await service.actors.delegate({ orgId, projectId, capabilities: ['deploy'] });
  for (const [who, actor, reachable] of [
    ['viewer', viewer, keys],
    ['delegate', delegate, [projectId, 'named']],
    ['service key', service.actors.bearer(serviceKey), [projectId]],
  ] as const) {
    const { rooms } = (await call(actor, 'GET', `/orgs/v1/${orgId}/rooms`)).body;
    const listed = rooms.map(({ room_key }: { room_key: string }) => room_key);
    expect([who, new Set(listed)]).toEqual([who, new Set(reachable)]);
    for (const key of keys) {
      const { status } = await call(actor, 'GET', `/orgs/v1/${orgId}/rooms/${key}/messages`);
      expect([who, key, status]).toEqual([who, key, (reachable as readonly string[]).includes(key) ? 200 : 403]);
    }
  }
  const key = service.actors.bearer(serviceKey);
  const path = `/orgs/v1/${orgId}/rooms/${projectId}`;
  expectRefusal(await call(key, 'POST', `${path}/messages`, { body: { body: 'x' } }), 'FORBIDDEN');
  expectRefusal(await call(key, 'POST', `${path}/presences`, { body: {} }), 'FORBIDDEN');
});

test('rooms work whatever the state of the organization', async () => {
  const { orgId, post, get } = await newRoom();
  for (const state of ['past_due', 'frozen', 'dormant']) {
    await service.control.sql('update orgs set lifecycle_state = $2 where id = $1', [orgId, state]);
    expect((await post('/messages', { body: state })).status).toBe(201);
  }
  expect((await get('/messages')).body.messages).toHaveLength(3);
});
