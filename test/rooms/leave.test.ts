import { afterAll, expect, test } from 'vitest';
import { claimRoomsOf } from '../claims/claim-room.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';

const service = await sharedService();
afterAll(() => service.stop());
const newRoom = claimRoomsOf(service);

test('who leaves is off the list, is found by its id as one who left, and has freed what it claimed', async () => {
  const { join, claim, remove, get, claims } = await newRoom();
  const presence_id = await join('Ada');
  await claim('deploy', { presence_id });
  await claim('repo:src/**', { presence_id });
  await claim('table:a', { requested_name: 'Bob' });
  const answer = await remove(`/presences/${presence_id}`);
  expect([answer.status, answer.body]).toStrictEqual([200, { presence_id, left: true }]);
  expect((await get('/presences')).body.presences).toMatchObject([{ name: 'Bob' }]);
  expect((await get()).body.live_presences).toBe(1);
  expect((await get(`/presences/${presence_id}`)).body).toMatchObject({ name: 'Ada', state: 'left' });
  expect(await claims()).toMatchObject([{ holder: 'Bob' }]);
  const freed = (await claims('?include_inactive=true')).filter(({ holder }) => holder === 'Ada');
  expect(freed.map(({ released_at }) => released_at)).toEqual([expect.any(String), expect.any(String)]);
});

test('what was released before its holder left keeps its moment', async () => {
  const { join, claim, remove, claims } = await newRoom();
  const presence_id = await join('Ada');
  const { claim_id } = (await claim('deploy', { presence_id })).body;
  const { released_at } = (await remove(`/claims/${claim_id}`)).body;
  await remove(`/presences/${presence_id}`);
  expect(await claims('?include_inactive=true')).toMatchObject([{ claim_id, released_at }]);
});

test('leaving again, or for somebody else, ends nothing and is no error', async () => {
  const { join, remove, member, get } = await newRoom();
  const gone = await join('Gone');
  await remove(`/presences/${gone}`);
  const other = await join('Other', await member());
  for (const presence_id of [gone, other, 'prs_nobody']) {
    const answer = await remove(`/presences/${presence_id}`);
    expect([answer.status, answer.body]).toStrictEqual([200, { presence_id, left: false }]);
  }
  expect((await get('/presences')).body.presences).toMatchObject([{ name: 'Other', state: 'active' }]);
});

test('leaving a room that nobody has used makes none', async () => {
  const { remove, count } = await newRoom();
  expect((await remove('/presences/prs_nobody')).body.left).toBe(false);
  expect(await count('rooms')).toBe(0);
});

test('a presence is left in its own room alone', async () => {
  const { join, wallet, orgId, get } = await newRoom();
  const presence_id = await join('Ada');
  const path = `/orgs/v1/${orgId}/rooms/other/presences/${presence_id}`;
  expect((await service.call(wallet, 'DELETE', path)).body).toEqual({ presence_id, left: false });
  expect((await get(`/presences/${presence_id}`)).body.state).toBe('active');
});

test('one that has expired is not there to leave, but is ended: its claims are free and its session is over', async () => {
  const { join, claim, remove, expire, claims, get, post } = await newRoom();
  const presence_id = await join('Ada');
  await claim('deploy', { presence_id });
  await expire(presence_id);
  expect((await remove(`/presences/${presence_id}`)).body).toEqual({ presence_id, left: false });
  expect(await claims()).toEqual([]);
  expect((await get(`/presences/${presence_id}`)).body.state).toBe('left');
  expect((await post('/presences', { session_key: 'Ada' })).status).toBe(201);
});

test('nothing brings back one that left: its session key makes another, under another name', async () => {
  const { join, remove, post, get, claim } = await newRoom();
  const presence_id = await join('Ada');
  await remove(`/presences/${presence_id}`);
  const details = { presence_id };
  expectRefusal(await post('/messages', { body: 'still here', presence_id }), 'PRESENCE_EXPIRED', details);
  expectRefusal(await claim('deploy', { presence_id }), 'PRESENCE_EXPIRED', details);
  expectRefusal(await get(`/messages?presence_id=${presence_id}`), 'PRESENCE_EXPIRED', details);
  const again = await post('/presences', { requested_name: 'Ada', session_key: 'Ada' });
  expect(again.status).toBe(201);
  expect(again.body).toMatchObject({ name: 'Ada-2', renamed: true });
  expect(again.body).not.toHaveProperty('resumed');
  expect((await get(`/presences/${presence_id}`)).body.state).toBe('left');
  // The key belongs to the new one from now on.
  const resumed = await post('/presences', { session_key: 'Ada' });
  expect([resumed.status, resumed.body.presence_id]).toEqual([200, again.body.presence_id]);
});

test('of twenty who end one presence at once, one did', async () => {
  const { join, remove } = await newRoom();
  const presence_id = await join('Ada');
  const all = await Promise.all(Array.from({ length: 20 }, () => remove(`/presences/${presence_id}`)));
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
  expect(all.filter(({ body }) => body.left)).toHaveLength(1);
});

test('whoever claims while its presence leaves is refused, or its claim is freed', async () => {
  const { join, remove, claim, claims } = await newRoom();
  for (let round = 0; round < 5; round++) {
    const presence_id = await join(`Ada${round}`);
    const claiming = Array.from({ length: 6 }, (_, n) => claim(`thing ${round} ${n}`, { presence_id }));
    const [left, ...claimed] = await Promise.all([remove(`/presences/${presence_id}`), ...claiming]);
    expect(left!.body.left).toBe(true);
    for (const answer of claimed.filter(({ status }) => status !== 201)) expectRefusal(answer, 'PRESENCE_EXPIRED');
    expect(await claims()).toEqual([]);
  }
});

test('a session that is resumed while it leaves is the old one before, and a new one after', async () => {
  const { join, remove, post, get } = await newRoom();
  const presence_id = await join('Ada');
  const resuming = Array.from({ length: 10 }, () => post('/presences', { session_key: 'Ada' }));
  const [left, ...resumed] = await Promise.all([remove(`/presences/${presence_id}`), ...resuming]);
  expect(left!.body.left).toBe(true);
  const ids = new Set(resumed.map(({ body }) => body.presence_id as string));
  ids.delete(presence_id);
  expect(ids.size).toBeLessThanOrEqual(1);
  expect((await get(`/presences/${presence_id}`)).body.state).toBe('left');
  expect((await get('/presences')).body.presences).toHaveLength(ids.size);
});

test('a request that is repeated under its key is answered as the first time', async () => {
  const { join, path, wallet } = await newRoom();
  const presence_id = await join('Ada');
  const headers = { 'idempotency-key': 'once' };
  for (let n = 0; n < 2; n++) {
    const answer = await service.call(wallet, 'DELETE', `${path}/presences/${presence_id}`, { headers });
    expect(answer.body).toEqual({ presence_id, left: true });
  }
});

test('leaving over GraphQL is the same as leaving over REST', async () => {
  const { join, wallet, orgId, member, get, claim } = await newRoom();
  const leave = async (presence: string) =>
    service.graphql(
      wallet,
      `mutation ($input: LeaveRoomInput!) { leaveRoom(input: $input) { name state activeClaims } }`,
      { input: { org: orgId, room: 'standup', presence } },
    );
  const mine = await join('Ada');
  await claim('deploy', { presence_id: mine });
  const left = { data: { leaveRoom: { name: 'Ada', state: 'LEFT', activeClaims: 0 } } };
  expect(await leave(`RoomPresence_${mine}`)).toEqual(left);
  expect(await leave(mine)).toEqual(left);
  // Somebody else's is shown as it is, which has not left.
  const other = await join('Other', await member());
  expect((await leave(other)).data.leaveRoom).toEqual({ name: 'Other', state: 'ACTIVE', activeClaims: 0 });
  expect(await leave('prs_nobody')).toEqual({ data: { leaveRoom: null } });
  expect((await get('/presences')).body.presences).toMatchObject([{ name: 'Other' }]);
});
