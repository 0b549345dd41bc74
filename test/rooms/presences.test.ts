import { afterAll, expect, test } from 'vitest';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { roomsOf } from './room.ts';

const service = await sharedService();
afterAll(() => service.stop());
const newRoom = roomsOf(service);

const presenceId = expect.stringMatching(/^prs_[a-z0-9]{26}$/);

test('a new presence shows what it said of itself and lives for an hour', async () => {
  const { post, get, path } = await newRoom();
  const said = { requested_name: ' Atlas ', task: 'mapping', program: 'svc', model: 'm-1' };
  const joined = await post('/presences', said);
  expect(joined.status).toBe(201);
  const shown = {
    presence_id: presenceId,
    name: 'Atlas',
    task: 'mapping',
    program: 'svc',
    model: 'm-1',
    state: 'active',
    last_active: moment,
    expires_at: moment,
  };
  expect(joined.body).toStrictEqual({
    ...shown,
    requested_name: 'Atlas',
    renamed: false,
    next_actions: [{ type: 'poll', method: 'GET', path: `${path}/messages` }],
  });
  expect(Date.parse(joined.body.expires_at) - Date.parse(joined.body.last_active)).toBe(3600_000);
  const { requested_name, renamed, next_actions, ...presence } = joined.body;
  expect((await get(`/presences/${presence.presence_id}`)).body).toStrictEqual(presence);
  expect((await get('/presences')).body).toStrictEqual({ presences: [{ ...presence, active_claims: 0 }] });
});

test('a presence that asks for nothing gets two memorable words and nulls', async () => {
  const { post } = await newRoom();
  const { body } = await post('/presences', {});
  expect(body).toMatchObject({ name: expect.stringMatching(/^[A-Z][a-z]+[A-Z][a-z]+$/), task: null, program: null });
  for (const rider of ['requested_name', 'renamed', 'why', 'resumed']) expect(body).not.toHaveProperty(rider);
});

test('a taken name gets the next number, whatever its letter case, and says so', async () => {
  const { post } = await newRoom();
  const ask = async (requested_name: string) => (await post('/presences', { requested_name })).body;
  expect(await ask('Atlas')).toMatchObject({ name: 'Atlas', renamed: false });
  const second = await ask('atlas');
  expect(second).toMatchObject({ name: 'atlas-2', requested_name: 'atlas', renamed: true });
  expect(second.why).toMatch(/atlas is taken .* atlas-2/);
  expect(await ask('ATLAS')).toMatchObject({ name: 'ATLAS-3' });
  expect(await ask('Atlas-2')).toMatchObject({ name: 'Atlas-2-2' });
  // A name that only begins like another is free.
  expect(await ask('Atlas-')).toMatchObject({ name: 'Atlas-', renamed: false });
});

test.each(['Ärger', 'İstanbul', 'ΣΊΣΥΦΟΣ', 'ǅ', 'straße', 'x_y%z', 'a\\b', '🦊'])(
  '%s twice is two names',
  async (name) => {
    const { post } = await newRoom();
    const names = [];
    for (let turn = 0; turn < 3; turn++) names.push((await post('/presences', { requested_name: name })).body.name);
    expect(names).toEqual([name, `${name}-2`, `${name}-3`]);
  },
);

test('names are never recycled, also after their presence has expired', async () => {
  const { post, expire } = await newRoom();
  const { body } = await post('/presences', { requested_name: 'Once' });
  await expire(body.presence_id);
  expect((await post('/presences', { requested_name: 'Once' })).body.name).toBe('Once-2');
});

test('the same name is free in another room', async () => {
  const { wallet, orgId, post } = await newRoom();
  await post('/presences', { requested_name: 'Atlas' });
  const other = await service.call<{ name: string }>(wallet, 'POST', `/orgs/v1/${orgId}/rooms/other/presences`, {
    body: { requested_name: 'Atlas' },
  });
  expect(other.body.name).toBe('Atlas');
});

test('twenty who race for one name all get in, each under a name of its own', async () => {
  const { post, get } = await newRoom();
  const racers = Array.from({ length: 20 }, () => post('/presences', { requested_name: 'Racer' }));
  const joined = await Promise.all(racers);
  expect(joined.map(({ status }) => status)).toEqual(Array(20).fill(201));
  const names = new Set(joined.map(({ body }) => body.name as string));
  expect(names).toEqual(new Set(['Racer', ...Array.from({ length: 19 }, (_, index) => `Racer-${index + 2}`)]));
  expect((await get('/presences')).body.presences).toHaveLength(20);
});

test('a session key brings the same presence back, however long it was silent', async () => {
  const { post, expire, count } = await newRoom();
  const first = (await post('/presences', { requested_name: 'Atlas', session_key: 's1', task: 'a', model: 'm' })).body;
  await expire(first.presence_id);
  const again = await post('/presences', { requested_name: 'Other', session_key: 's1', task: 'b' });
  expect(again.status).toBe(200);
  expect(again.body).toMatchObject({ presence_id: first.presence_id, name: 'Atlas', task: 'b', model: 'm' });
  expect(again.body).toMatchObject({ resumed: true, state: 'active' });
  for (const rider of ['requested_name', 'renamed', 'why']) expect(again.body).not.toHaveProperty(rider);
  expect(await count('room_presences')).toBe(1);
});

test('ten calls that race with one new session key are one presence: one registers, nine resume', async () => {
  const { post, count } = await newRoom();
  // In a room that exists: making one would line the callers up.
  await post('/presences', {});
  const calls = await Promise.all(
    Array.from({ length: 10 }, () => post('/presences', { requested_name: 'Solo', session_key: 'same' })),
  );
  expect(calls.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
  expect(calls.filter(({ body }) => body.resumed === true)).toHaveLength(9);
  expect(new Set(calls.map(({ body }) => body.name))).toEqual(new Set(['Solo']));
  expect(await count('room_presences')).toBe(2);
});

test('a session key belongs to its principal and its room', async () => {
  const { post, member, wallet, orgId } = await newRoom();
  const mine = (await post('/presences', { session_key: 'k' })).body;
  const theirs = await post('/presences', { session_key: 'k' }, await member());
  expect(theirs.status).toBe(201);
  const elsewhere = await service.call<{ presence_id: string }>(wallet, 'POST', `/orgs/v1/${orgId}/rooms/b/presences`, {
    body: { session_key: 'k' },
  });
  expect(elsewhere.status).toBe(201);
  expect(new Set([mine.presence_id, theirs.body.presence_id, elsewhere.body.presence_id]).size).toBe(3);
});

test('the server guesses no session: two calls of one credential are two presences', async () => {
  const { post, get } = await newRoom();
  await post('/presences', {});
  await post('/presences', {});
  expect((await get('/presences')).body.presences).toHaveLength(2);
});

test('live presences are listed by latest activity; an expired one is still found by its id', async () => {
  const { post, get, expire } = await newRoom();
  const [one, two, gone] = await Promise.all(
    ['One', 'Two', 'Gone'].map(async (name) => (await post('/presences', { requested_name: name })).body.presence_id),
  );
  await expire(gone);
  await post('/messages', { body: 'I am here', presence_id: two });
  const message = { body: 'me too', presence_id: one };
  await post('/messages', message);
  const { presences } = (await get('/presences')).body;
  expect(presences.map(({ name }: { name: string }) => name)).toEqual(['One', 'Two']);
  expect((await get(`/presences/${gone}`)).body).toMatchObject({ name: 'Gone', state: 'expired' });
});

test('a presence is found in its own room alone', async () => {
  const { post, wallet, orgId, get } = await newRoom();
  const { presence_id } = (await post('/presences', {})).body;
  const elsewhere = await service.call(wallet, 'GET', `/orgs/v1/${orgId}/rooms/other/presences/${presence_id}`);
  expectRefusal(elsewhere, 'RESOURCE_NOT_FOUND', { presence_id });
  expectRefusal(await get('/presences/prs_nobody'), 'RESOURCE_NOT_FOUND');
});

test.each<[string, Record<string, unknown> | string, string]>([
  ['an empty name', { requested_name: '' }, 'requested_name'],
  ['a blank name', { requested_name: '  ' }, 'requested_name'],
  ['a name of 65 characters', { requested_name: 'x'.repeat(65) }, 'requested_name'],
  ['a name with a line break', { requested_name: 'a\nb' }, 'requested_name'],
  ['a name with half a surrogate pair', '{"requested_name":"\\ud83e"}', 'requested_name'],
  ['a task of 501 characters', { task: 'x'.repeat(501) }, 'task'],
  ['a program of 101 characters', { program: 'x'.repeat(101) }, 'program'],
  ['a model that is no text', { model: 5 }, 'model'],
  ['an empty session key', { session_key: '' }, 'session_key'],
  ['a session key of 129 characters', { session_key: 'x'.repeat(129) }, 'session_key'],
  ['a session key with a NUL', { session_key: 'a\0b' }, 'session_key'],
])('%s is refused by name and nobody joins', async (_case, body, field) => {
  const { post, count } = await newRoom();
  expectRefusal(await post('/presences', body), 'VALIDATION_FAILED', { field });
  expect([await count('room_presences'), await count('rooms')]).toEqual([0, 0]);
});

test('joining over GraphQL is the same as joining over REST', async () => {
  const { wallet, orgId, get } = await newRoom();
  const joined = await service.graphql(
    wallet,
    'mutation ($input: JoinRoomInput!) { joinRoom(input: $input) { presenceId name task state lastActive expiresAt } }',
    { input: { org: orgId, room: 'standup', requestedName: 'Graph', task: 'drawing', sessionKey: 'g' } },
  );
  const presence = joined.data.joinRoom;
  const { body } = await get(`/presences/${presence.presenceId}`);
  expect(presence).toEqual({
    presenceId: body.presence_id,
    name: 'Graph',
    task: 'drawing',
    state: 'ACTIVE',
    lastActive: body.last_active,
    expiresAt: body.expires_at,
  });
});

test('an operator session reads without a trace: no presence of its principal is touched', async () => {
  const { orgId, post, get, principalId } = await newRoom();
  const operator = await service.actors.session({ kind: 'operator', principalId });
  const { presence_id } = (await post('/presences', { session_key: 'desk' })).body;
  await service.control.sql(
    `update room_presences set last_active = now() - interval '10 minutes', expires_at = now() + interval '50 minutes'
     where org_id = $1`,
    [orgId],
  );
  const before = (await get(`/presences/${presence_id}`)).body;
  for (const reader of [`presence_id=${presence_id}`, 'session_key=desk']) {
    expect((await get(`/messages?${reader}`, operator)).status).toBe(200);
  }
  expect((await get(`/presences/${presence_id}`)).body).toStrictEqual(before);
});
