import { afterAll, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { newKey } from './invite-key.ts';
import { roomsOf } from './room.ts';

const service = await sharedService();
afterAll(() => service.stop());
const newRoom = roomsOf(service);

async function hosting() {
  const room = await newRoom();
  const mint = (more: object = {}, actor?: Actor, key = newKey()) =>
    room.post('/invites', { invite_id: key.id, auth_hash: key.authHash, ...more }, actor);
  const open = async () =>
    (await room.get('/invites')).body.invites.map((one: { invite_id: string }) => one.invite_id) as string[];
  const revoke = (id: string, actor: Actor = room.wallet) =>
    service.call<Record<string, unknown>>(actor, 'DELETE', `${room.path}/invites/${id}`);
  return { ...room, mint, open, revoke };
}

test('a key is minted by its id and its hash, and says what it gives away', async () => {
  const { mint, orgId, path, wallet } = await hosting();
  const key = newKey();
  const minted = await mint({ note: 'Welcome', expires_in_seconds: 60 }, undefined, key);
  expect(minted.status).toBe(201);
  const shown = {
    invite_id: key.id,
    kind: 'room',
    role: 'viewer',
    room: { org_id: orgId, room_key: 'standup' },
    note: 'Welcome',
    expires_at: moment,
    created_at: moment,
  };
  const warning = expect.stringContaining('permanent viewer seat');
  expect(minted.body).toStrictEqual({
    ...shown,
    warning,
    warnings: [{ code: 'ROOM_INVITE_KEY_CONFERS_SEAT', message: warning }],
  });
  expect(Date.parse(minted.body.expires_at) - Date.parse(minted.body.created_at)).toBe(60_000);
  const listed = await service.call(wallet, 'GET', `${path}/invites`);
  expect(listed.body).toStrictEqual({ invites: [shown] });
  // Neither what opens it nor what that is checked against.
  for (const { text } of [minted, listed]) expect(text).not.toContain(key.authHash);
});

test('unless told otherwise a key is good for an hour, and the room it leads to is there', async () => {
  const { mint, count, get } = await hosting();
  const { expires_at, created_at, note } = (await mint()).body;
  expect([Date.parse(expires_at) - Date.parse(created_at), note]).toEqual([3_600_000, null]);
  expect(await count('rooms')).toBe(1);
  expect((await get()).body.live_presences).toBe(0);
});

test('an id is taken once, whoever takes it and however many try', async () => {
  const first = await hosting();
  const second = await hosting();
  const key = newKey();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? first : second).mint({}, undefined, key)),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const answer of answers) {
    if (answer.status !== 201) expectRefusal(answer, 'ROOM_INVITE_ID_CONFLICT', { invite_id: key.id });
  }
  expect([...(await first.open()), ...(await second.open())]).toEqual([key.id]);
});

test('of twenty-five who race twenty keys of a room are open; one that is taken back or expired makes way', async () => {
  const { mint, open, revoke, orgId } = await hosting();
  const answers = await Promise.all(Array.from({ length: 25 }, () => mint()));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(20).fill(201), ...Array(5).fill(403)]);
  const refused = answers.find(({ status }) => status === 403)!;
  expectRefusal(refused, 'ROOM_INVITE_OPEN_LIMIT', { limit: 20, used: 20 });
  const [one, two] = await open();
  await revoke(one!);
  await service.control.sql('update room_invites set expires_at = now() where org_id = $1 and id = $2', [orgId, two]);
  const further = await Promise.all(Array.from({ length: 5 }, () => mint()));
  expect(further.filter(({ status }) => status === 201)).toHaveLength(2);
});

test('taking a key back takes it off the list, once and for all', async () => {
  const { mint, open, revoke, orgId } = await hosting();
  const { invite_id } = (await mint()).body;
  const answers = await Promise.all(Array.from({ length: 5 }, () => revoke(invite_id)));
  for (const { status, body } of answers) expect([status, body]).toEqual([200, { invite_id, revoked: true }]);
  expect(await open()).toEqual([]);
  const audited = await service.control.sql(
    `select 1 from audit_events where org_id = $1 and action = 'room_invite.revoked'`,
    [orgId],
  );
  expect(audited).toHaveLength(1);
});

test('a key is taken back in its own room, by those who may mint there', async () => {
  const { mint, revoke, wallet, orgId, member } = await hosting();
  const other = await hosting();
  const { invite_id } = (await mint()).body;
  const elsewhere = `/orgs/v1/${orgId}/rooms/elsewhere/invites/${invite_id}`;
  expectRefusal(await service.call(wallet, 'DELETE', elsewhere), 'RESOURCE_NOT_FOUND', { invite_id });
  expectRefusal(await other.revoke(invite_id), 'RESOURCE_NOT_FOUND', { invite_id });
  for (const id of ['nonsense', newKey().id]) expectRefusal(await revoke(id), 'RESOURCE_NOT_FOUND', { invite_id: id });
  expectRefusal(await revoke(invite_id, await member('viewer')), 'NOT_AUTHORIZED');
  expect((await revoke(invite_id, await member('developer'))).status).toBe(200);
});

test('the inviter is a live presence of the caller’s own', async () => {
  const { mint, post, expire, member, orgId } = await hosting();
  const { presence_id } = (await post('/presences', { requested_name: 'Ada' })).body;
  const named = { inviter_presence_id: presence_id };
  const minted = (await mint(named)).body;
  const [row] = await service.control.sql<{ inviter_presence_id: string }>(
    'select inviter_presence_id from room_invites where id = $1',
    [minted.invite_id],
  );
  expect(row!.inviter_presence_id).toBe(presence_id);
  expectRefusal(await mint(named, await member('developer')), 'FORBIDDEN');
  expectRefusal(await mint({ inviter_presence_id: 'prs_nobody' }), 'RESOURCE_NOT_FOUND');
  await expire(presence_id);
  expectRefusal(await mint(named), 'PRESENCE_EXPIRED', { presence_id });
  const invites = await service.control.sql('select 1 from room_invites where org_id = $1', [orgId]);
  expect(invites).toHaveLength(1);
});

test.each<[string, object, string]>([
  ['an id of another version', { invite_id: '018f4e1c-0000-7000-8000-000000000000' }, 'invite_id'],
  ['an id that is none', { invite_id: 'x' }, 'invite_id'],
  ['no id', { invite_id: undefined }, 'invite_id'],
  ['a hash in capitals', { auth_hash: 'A'.repeat(64) }, 'auth_hash'],
  ['a short hash', { auth_hash: 'a'.repeat(63) }, 'auth_hash'],
  ['a hash with look-alike digits', { auth_hash: '０'.repeat(64) }, 'auth_hash'],
  ['no hash', { auth_hash: undefined }, 'auth_hash'],
  ['a note of 4 KiB and a byte', { note: `${'é'.repeat(2_048)}x` }, 'note'],
  ['a note with a NUL', { note: 'a\0' }, 'note'],
  ['59 seconds', { expires_in_seconds: 59 }, 'expires_in_seconds'],
  ['a day and a second', { expires_in_seconds: 86_401 }, 'expires_in_seconds'],
  ['half a second more', { expires_in_seconds: 60.5 }, 'expires_in_seconds'],
])('%s is refused by name', async (_case, more, field) => {
  const { mint, count } = await hosting();
  expectRefusal(await mint(more), 'VALIDATION_FAILED', { field });
  expect(await count('rooms')).toBe(0);
});

test('a note of exactly 4 KiB is kept whole', async () => {
  const { mint, get } = await hosting();
  const note = 'é'.repeat(2_048);
  await mint({ note });
  expect((await get('/invites')).body.invites[0].note).toBe(note);
});

test('GraphQL mints, lists and takes back as REST does', async () => {
  const { wallet, orgId, open } = await hosting();
  const key = newKey();
  const address = { org: orgId, room: 'standup' };
  const mint = `mutation ($input: MintRoomInviteInput!) {
    mintRoomInvite(input: $input) { inviteId note revokedAt expiresAt room { key } }
  }`;
  const input = { ...address, inviteId: key.id, authHash: key.authHash, note: 'hi', expiresInSeconds: 60 };
  expect((await service.graphql(wallet, mint, { input })).data.mintRoomInvite).toEqual({
    inviteId: key.id,
    note: 'hi',
    revokedAt: null,
    expiresAt: moment,
    room: { key: 'standup' },
  });
  const again = await service.graphql(wallet, mint, { input });
  expect(again.errors?.[0]?.extensions.code).toBe('ROOM_INVITE_ID_CONFLICT');
  const list =
    'query ($org: ID!, $room: String!) { roomInvites(org: $org, room: $room) { edges { node { inviteId } } } }';
  const { data } = await service.graphql(wallet, list, address);
  expect(data.roomInvites.edges).toEqual([{ node: { inviteId: key.id } }]);
  const revoke = 'mutation ($input: RevokeRoomInviteInput!) { revokeRoomInvite(input: $input) { revokedAt } }';
  const revoked = await service.graphql(wallet, revoke, { input: { ...address, invite: key.id } });
  expect(revoked.data.revokeRoomInvite).toEqual({ revokedAt: moment });
  expect(await open()).toEqual([]);
});
