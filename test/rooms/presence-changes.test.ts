import { afterAll, expect, test } from 'vitest';
import { claimRoomsOf } from '../claims/claim-room.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { followChanges, followsOf } from './room-changes.ts';

const service = await sharedService();
afterAll(() => service.stop());
const newRoom = claimRoomsOf(service);
const follow = followsOf(service, 'roomPresences');
type Room = Awaited<ReturnType<typeof newRoom>>;

test('who comes, comes back and leaves is told in order, before and after the subscription began', async () => {
  const room = await newRoom();
  const ada = await room.join('Ada');
  const { told } = await follow(room);
  expect(await told(1)).toEqual(['Ada ACTIVE']);
  await room.post('/messages', { body: 'hello', requested_name: 'Bob' });
  await room.claim('deploy', { requested_name: 'Eve' });
  await room.expire(ada);
  await room.join('Ada');
  await room.remove(`/presences/${ada}`);
  expect(await told(5)).toEqual(['Ada ACTIVE', 'Bob ACTIVE', 'Eve ACTIVE', 'Ada ACTIVE', 'Ada LEFT']);
});

test('what changes nothing is not told: signs of life, and leaving again', async () => {
  const room = await newRoom();
  const ada = await room.join('Ada');
  await room.join('Ada');
  await room.post('/messages', { body: 'hello', presence_id: ada });
  await room.get(`/messages?presence_id=${ada}`);
  await room.claim('deploy', { presence_id: ada });
  await room.remove('/presences/prs_nobody');
  await room.remove(`/presences/${ada}`);
  await room.remove(`/presences/${ada}`);
  await room.join('Last');
  const { told } = await follow(room);
  expect(await told(3)).toEqual(['Ada ACTIVE', 'Ada LEFT', 'Last ACTIVE']);
});

test('a session that says it does something else is told', async () => {
  const room = await newRoom();
  const { told, changes } = await follow(room);
  for (const task of ['mapping', 'mapping', 'drawing']) await room.post('/presences', { session_key: 's', task });
  await told(2);
  await room.join('Last');
  await told(3);
  expect(changes().map(({ presence }) => presence!.task)).toEqual(['mapping', 'drawing', null]);
});

test('resuming from any cursor leaves no gap and no repeat, and ends where it is told to', async () => {
  const room = await newRoom();
  for (let n = 0; n < 6; n++) await room.join(`P${n}`);
  const all = (await follow(room)).changes;
  const whole = await follow(room);
  await whole.told(6);
  const cursors = whole.changes().map(({ cursor }) => cursor);
  expect(cursors.every((cursor) => cursor.startsWith('pcr_'))).toBe(true);
  for (const [at, after] of cursors.entries()) {
    const rest = await follow(room, { after, first: 2 });
    const expected = ['P0', 'P1', 'P2', 'P3', 'P4', 'P5'].slice(at + 1, at + 3);
    if (expected.length < 2) continue;
    expect(await rest.told(2)).toEqual(expected.map((name) => `${name} ACTIVE`));
    await rest.socket.next('complete', 'follow');
    expect(rest.changes().some(({ reset }) => reset)).toBe(false);
  }
  expect(all().map(({ cursor }) => cursor)).toEqual(cursors);
});

test.each<[string, (room: Room) => Promise<string>]>([
  ['no cursor at all', async () => 'garbage'],
  ['a cursor of another organization', async () => cursorOf(await newRoom())],
  ['a cursor of its claims', async (room) => claimCursorOf(room)],
])('%s begins anew and says so once, and shows nothing of another room', async (_case, make) => {
  const room = await newRoom();
  await room.join('Ada');
  await room.join('Bob');
  const follower = await follow(room, { after: await make(room), name: 'Bob' });
  expect(await follower.told(1)).toEqual(['Bob ACTIVE']);
  await room.remove(`/presences/${(await room.get('/presences?name=Bob')).body.presences[0].presence_id}`);
  expect(await follower.told(2)).toEqual(['Bob ACTIVE', 'Bob LEFT']);
  expect(follower.changes().map(({ reset }) => reset)).toEqual([true, false]);
});

async function cursorOf(room: Room): Promise<string> {
  await room.join('Foreign');
  const { told, changes } = await follow(room);
  await told(1);
  return changes()[0]!.cursor;
}

async function claimCursorOf(room: Room): Promise<string> {
  await room.claim('deploy', { session_key: 'Ada' });
  const follower = await followsOf(service, 'roomClaims')(room);
  await follower.told(1);
  return follower.changes()[0]!.cursor;
}

test('of a name, only that presence is told of', async () => {
  const room = await newRoom();
  const { told } = await follow(room, { name: 'Bob-2' });
  for (const name of ['Ada', 'bob', 'Bobby']) await room.join(name);
  // The letter case of a name is given to one alone, so this one has a number.
  const { presence_id } = (await room.post('/presences', { requested_name: 'Bob' })).body;
  await room.join('Eve');
  await room.remove(`/presences/${presence_id}`);
  expect(await told(2)).toEqual(['Bob-2 ACTIVE', 'Bob-2 LEFT']);
});

test('twenty who come at once are each told of once', async () => {
  const room = await newRoom();
  const { told } = await follow(room);
  await Promise.all(Array.from({ length: 20 }, (_, n) => room.join(`P${n}`)));
  const names = await told(20);
  expect(new Set(names).size).toBe(20);
  expect(names).toHaveLength(20);
});

test('whoever loses the right to the room is cut off', async () => {
  const room = await newRoom();
  const member = await room.member();
  const follower = await follow(room, {}, member);
  await room.join('Ada');
  await follower.told(1);
  const path = `/orgs/v1/${room.orgId}/members/${member.principalId}`;
  expect((await service.call(room.wallet, 'DELETE', path)).status).toBeLessThan(300);
  expect(await follower.refusal()).toBe('NOT_AUTHORIZED');
  await room.join('Bob');
  expect(follower.changes()).toHaveLength(1);
});

test('a stranger is refused as for a room that is not there; a project’s service key reads its own', async () => {
  const { wallet, orgId, projectId, serviceKey } = await service.project();
  const room = { org: orgId, room: projectId };
  const stranger = (await service.owner()).wallet;
  const follower = await followChanges(service, stranger, 'roomPresences', room);
  expect(await follower.refusal()).toBe('NOT_AUTHORIZED');
  const key = await followChanges(service, service.actors.bearer(serviceKey), 'roomPresences', room);
  const path = `/orgs/v1/${orgId}/rooms/${projectId}/presences`;
  await service.call(wallet, 'POST', path, { body: { requested_name: 'Ada' } });
  expect(await key.told(1)).toEqual(['Ada ACTIVE']);
});

test('the log holds no session key', async () => {
  const room = await newRoom();
  await room.post('/presences', { session_key: 'my own secret' });
  const rows = await service.control.sql('select change::text from feed_changes where org_id = $1', [room.orgId]);
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain('my own secret');
});

test('a follower ends after no events, or fewer, only by name', async () => {
  const room = await newRoom();
  const follower = await follow(room, { first: 0 });
  expect(await follower.refusal()).toBe('VALIDATION_FAILED');
});

test('who is there and what is claimed say where to follow from; elsewhere there is nothing to follow', async () => {
  const room = await newRoom();
  const ada = await room.join('Ada');
  await room.claim('deploy', { presence_id: ada });
  const { data } = await service.graphql(
    room.wallet,
    `query ($org: ID!) { room(org: $org, room: "standup") { presences { cursor }
      claims { cursor edges { node { conflicts { cursor } } } } } }`,
    { org: room.orgId },
  );
  const { presences, claims } = data.room;
  expect(claims.edges).toEqual([{ node: { conflicts: { cursor: null } } }]);
  await room.join('Bob');
  await room.claim('import', { requested_name: 'Eve' });
  const came = await follow(room, { after: presences.cursor });
  expect(await came.told(2)).toEqual(['Bob ACTIVE', 'Eve ACTIVE']);
  const claimed = await followsOf(service, 'roomClaims')(room, { after: claims.cursor });
  expect(await claimed.told(1)).toEqual(['import ACTIVE']);
});
