import { afterAll, expect, test } from 'vitest';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { claimRoomsOf } from './claim-room.ts';

const service = await sharedService();
afterAll(() => service.stop());
const newRoom = claimRoomsOf(service);

const claimId = expect.stringMatching(/^clm_[a-z0-9]{26}$/);

test('a claim says what was said of it, and stands for an hour unless told', async () => {
  const { claim, claims, join } = await newRoom();
  const presence_id = await join('Atlas');
  const made = await claim('function:send-mail', { mode: 'shared', note: 'rewriting it', presence_id });
  expect(made.status).toBe(201);
  const shown = {
    claim_id: claimId,
    resource: 'function:send-mail',
    mode: 'shared',
    note: 'rewriting it',
    holder: 'Atlas',
    created_at: moment,
    expires_at: moment,
  };
  expect(made.body).toStrictEqual({ ...shown, conflicts: [] });
  expect(Date.parse(made.body.expires_at) - Date.parse(made.body.created_at)).toBe(3_600_000);
  const { conflicts, ...listed } = made.body;
  expect(await claims()).toStrictEqual([{ ...listed, released_at: null }]);
});

test.each([
  [1, 1],
  [86_400, 86_400],
])('a claim of %i seconds runs out after as many', async (ttl_seconds, lasts) => {
  const { claim } = await newRoom();
  const { body } = await claim('deploy', { ttl_seconds });
  expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(lasts * 1000);
});

test('who names neither presence nor session becomes a presence by claiming, and is told which', async () => {
  const { claim, get, count } = await newRoom();
  const { body } = await claim('deploy', { requested_name: 'Atlas', task: 'shipping' });
  expect(body.presence).toMatchObject({ name: 'Atlas', task: 'shipping', state: 'active', renamed: false });
  expect(body.holder).toBe('Atlas');
  expect((await get('/presences')).body.presences).toMatchObject([{ name: 'Atlas', active_claims: 1 }]);
  expect(await count('rooms')).toBe(1);
});

test('a session key claims as its presence, and counts as activity of it', async () => {
  const { claim, join, get, expire } = await newRoom();
  const id = await join('Atlas');
  await expire(id);
  const { body } = await claim('deploy', { session_key: 'Atlas' });
  expect(body.holder).toBe('Atlas');
  expect(body).not.toHaveProperty('presence');
  expect((await get(`/presences/${id}`)).body).toMatchObject({ state: 'active' });
});

test('claiming shows as activity of the room, and in how many claims a presence has', async () => {
  const { claim, join, get, orgId } = await newRoom();
  const presence_id = await join('Atlas');
  await service.control.sql(
    `update room_presences set last_active = now() - interval '50 minutes', expires_at = now() + interval '10 minutes'
     where org_id = $1`,
    [orgId],
  );
  const { body } = await claim('deploy', { presence_id });
  await claim('table:orders', { presence_id });
  const room = (await get()).body;
  expect(room.live_presences).toBe(1);
  expect(Date.parse(room.last_activity_at)).toBeGreaterThanOrEqual(Date.parse(body.created_at));
  expect((await get('/presences')).body.presences).toMatchObject([{ name: 'Atlas', active_claims: 2 }]);
});

test('what is gone, somebody else’s or nowhere claims nothing', async () => {
  const { claim, join, member, expire, claims } = await newRoom();
  const expired = await join('Expired');
  await expire(expired);
  expectRefusal(await claim('deploy', { presence_id: expired }), 'PRESENCE_EXPIRED', { presence_id: expired });
  const other = await join('Other', await member());
  expectRefusal(await claim('deploy', { presence_id: other }), 'FORBIDDEN');
  expectRefusal(await claim('deploy', { presence_id: 'prs_nobody' }), 'RESOURCE_NOT_FOUND');
  expect(await claims()).toEqual([]);
});

test('a presence holds 32 claims at a time, exactly, however many are asked for at once', async () => {
  const { claim, join, claims } = await newRoom();
  const presence_id = await join('Greedy');
  const asked = await Promise.all(Array.from({ length: 40 }, (_, n) => claim(`thing ${n}`, { presence_id })));
  expect(asked.filter(({ status }) => status === 201)).toHaveLength(32);
  for (const answer of asked.filter(({ status }) => status !== 201)) {
    const details = { resource: 'active_claims', scope: 'presence', used: 32, limit: 32 };
    expectRefusal(answer, 'QUOTA_EXCEEDED', details);
  }
  expect(await claims()).toHaveLength(32);
});

test('what was released or has run out makes room for another; another presence has its own', async () => {
  const { claim, join, remove, runOut } = await newRoom();
  const presence_id = await join('Greedy');
  const made = [];
  for (let n = 0; n < 32; n++) made.push((await claim(`thing ${n}`, { presence_id })).body.claim_id as string);
  expectRefusal(await claim('more', { presence_id }), 'QUOTA_EXCEEDED');
  await remove(`/claims/${made[0]}`);
  await runOut(made[1]!);
  expect((await claim('more', { presence_id })).status).toBe(201);
  expect((await claim('and more', { presence_id })).status).toBe(201);
  expectRefusal(await claim('and more still', { presence_id }), 'QUOTA_EXCEEDED');
  expect((await claim('more', { session_key: 'another' })).status).toBe(201);
});

test('a request that is repeated under its key claims once', async () => {
  const { post, claims } = await newRoom();
  const headers = { 'idempotency-key': 'once' };
  const body = { resource: 'deploy', mode: 'exclusive', requested_name: 'Atlas' };
  const sent = [];
  for (let n = 0; n < 3; n++) sent.push(await post('/claims', body, undefined, { headers }));
  expect(sent.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(new Set(sent.map(({ text }) => text)).size).toBe(1);
  expect(await claims()).toHaveLength(1);
});

test.each<[string, Record<string, unknown>, string]>([
  ['no resource', { resource: undefined }, 'resource'],
  ['a blank resource', { resource: '  ' }, 'resource'],
  ['a resource of 513 characters', { resource: 'x'.repeat(513) }, 'resource'],
  ['a resource of two lines', { resource: 'a\nb' }, 'resource'],
  ['a resource with a character that does not show', { resource: 'dep\u200bloy' }, 'resource'],
  ['a resource that turns the writing round', { resource: 'repo:\u202etxt' }, 'resource'],
  ['a pattern of nothing', { resource: 'repo:' }, 'resource'],
  ['a pattern of blanks', { resource: 'repo:  ' }, 'resource'],
  ['a pattern too long to be compared', { resource: `repo:*${'a'.repeat(300)}` }, 'resource'],
  ['a pattern of too many alternatives', { resource: `repo:${'{a,b}'.repeat(100)}` }, 'resource'],
  ['another mode', { mode: 'both' }, 'mode'],
  ['no mode', { mode: undefined }, 'mode'],
  ['a time of 0 seconds', { ttl_seconds: 0 }, 'ttl_seconds'],
  ['a time of 86,401 seconds', { ttl_seconds: 86_401 }, 'ttl_seconds'],
  ['a time of half a second', { ttl_seconds: 0.5 }, 'ttl_seconds'],
  ['a time in words', { ttl_seconds: 'an hour' }, 'ttl_seconds'],
  ['a note of 1,001 characters', { note: 'x'.repeat(1_001) }, 'note'],
  ['a note with a NUL', { note: 'a\0b' }, 'note'],
  ['an empty session key', { session_key: '' }, 'session_key'],
])('%s is refused by name, and nobody joins', async (_case, more, field) => {
  const { post, count } = await newRoom();
  expectRefusal(await post('/claims', { resource: 'deploy', mode: 'exclusive', ...more }), 'VALIDATION_FAILED', {
    field,
  });
  expect([await count('rooms'), await count('room_presences')]).toEqual([0, 0]);
});

test('the longest resource and note that may be are kept as they are', async () => {
  const { claim, claims } = await newRoom();
  const [resource, note] = ['🦊'.repeat(512), `${'🦊'.repeat(998)}\n!`];
  expect((await claim(resource, { note })).status).toBe(201);
  expect(await claims()).toMatchObject([{ resource, note }]);
});

test('a path may be as long as any resource, and so may a pattern that is no glob', async () => {
  const { claim } = await newRoom();
  for (const resource of [`repo:${'a/'.repeat(253)}b`, `table:${'*'.repeat(500)}`]) {
    expect((await claim(resource)).status).toBe(201);
  }
});

test('claiming over GraphQL is the same as claiming over REST', async () => {
  const { wallet, orgId, claims, claim, get } = await newRoom();
  await claim('repo:src/**', { requested_name: 'First', note: 'all of it' });
  const made = await service.graphql(
    wallet,
    `mutation ($input: CreateRoomClaimInput!) { createRoomClaim(input: $input) {
      claimId resource mode note holder state expiresAt createdAt releasedAt
      holderPresence { name activeClaims } room { key livePresences }
      conflicts { edges { node { holder resource note conflicts { edges { node { claimId } } } } } }
    } }`,
    {
      input: {
        org: orgId,
        room: 'standup',
        resource: 'repo:src/a.ts',
        mode: 'SHARED',
        ttlSeconds: 60,
        note: 'one of them',
        requestedName: 'Second',
      },
    },
  );
  const { createRoomClaim } = made.data;
  const [row] = await claims();
  expect(createRoomClaim).toEqual({
    claimId: row!.claim_id,
    resource: 'repo:src/a.ts',
    mode: 'SHARED',
    note: 'one of them',
    holder: 'Second',
    state: 'ACTIVE',
    expiresAt: row!.expires_at,
    createdAt: row!.created_at,
    releasedAt: null,
    holderPresence: { name: 'Second', activeClaims: 1 },
    room: { key: 'standup', livePresences: 2 },
    conflicts: {
      edges: [
        {
          node: {
            holder: 'First',
            resource: 'repo:src/**',
            note: 'all of it',
            conflicts: { edges: [{ node: { claimId: row!.claim_id } }] },
          },
        },
      ],
    },
  });
  expect((await get('/presences')).body.presences).toHaveLength(2);
});
