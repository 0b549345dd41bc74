import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { teamsOf } from './team.ts';

const service = await sharedService();
afterAll(() => service.stop());
const team = teamsOf(service);
const { actors, control } = service;

const added = (principalId: string, role: string) => ({
  status: 'ok',
  principal_id: principalId,
  role,
  envelope: { state: 'not_applicable' },
  next_actions: [],
});

test('a wallet is added as a developer unless told otherwise, and can act at once', async () => {
  const { orgId, add, get, join } = await team();
  const bob = await join();
  expectRefusal(await get('', bob.wallet), 'NOT_AUTHORIZED', { reason: 'member' });
  const answer = await add({ wallet: bob.wallet.address });
  expect([answer.status, answer.body]).toEqual([201, added(bob.principalId, 'developer')]);
  expect((await get('', bob.wallet)).body).toMatchObject({ org_id: orgId, role: 'developer' });
});

test.each(['owner', 'admin', 'developer', 'billing', 'viewer'])('a wallet is added as %s', async (role) => {
  const { add, get, join } = await team();
  const bob = await join();
  expect((await add({ wallet: bob.wallet.address, role })).body).toEqual(added(bob.principalId, role));
  expect((await get('', bob.wallet)).body.role).toBe(role);
});

test('a wallet that nobody has seen is a person from then on, who finds the membership when it first shows up', async () => {
  const { add, memberships } = await team();
  const wallet = actors.wallet();
  const { body } = await add({ wallet: wallet.checksumAddress, role: 'viewer' });
  expect((await memberships())[body.principal_id]).toBe('viewer active');
  const me = await service.call<{ principal: object; memberships: object[]; active_authenticator: object }>(
    wallet,
    'GET',
    '/agent/v1/whoami',
  );
  expect(me.body).toMatchObject({
    principal: { id: body.principal_id, type: 'human', display_name: null },
    active_authenticator: { kind: 'wallet', public_subject: wallet.address },
    memberships: [{ role: 'viewer' }],
  });
});

test('the letter case of an address does not matter, nor do capitals that are no checksum', async () => {
  const { add, memberships } = await team();
  const wallet = actors.wallet();
  const wrong = wallet.checksumAddress.replaceAll(/[a-z]/gi, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase(),
  );
  const spellings = [wallet.address, wallet.checksumAddress, wallet.address.toUpperCase(), wrong.replace('0X', '0x')];
  const answers = await Promise.all(spellings.map((spelling) => add({ wallet: spelling })));
  expect(new Set(answers.map(({ body }) => body.principal_id)).size).toBe(1);
  expect(Object.keys(await memberships())).toHaveLength(2);
});

test('twenty who add one unseen wallet at once make one principal and one membership', async () => {
  const { add, audited } = await team();
  const wallet = actors.wallet();
  const before = await control.sql('select 1 from principals');
  const answers = await Promise.all(Array.from({ length: 20 }, () => add({ wallet: wallet.address })));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(await control.sql('select 1 from principals')).toHaveLength(before.length + 1);
  expect(await audited('member.%')).toHaveLength(1);
});

test('a wallet that shows itself while it is added is one principal', async () => {
  const { add } = await team();
  const wallet = actors.wallet();
  const seen = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      if (at % 2 === 0) return (await add({ wallet: wallet.address })).body.principal_id;
      const me = await service.call<{ principal: { id: string } }>(wallet, 'GET', '/agent/v1/whoami');
      return me.body.principal.id;
    }),
  );
  expect(new Set(seen).size).toBe(1);
  expect(seen[0]).toMatch(/^prn_/);
});

test('twenty organizations that add one unseen wallet at once make one principal', async () => {
  const teams = await Promise.all(Array.from({ length: 20 }, team));
  const wallet = actors.wallet();
  const answers = await Promise.all([...teams.map(({ add }) => add({ wallet: wallet.address }))]);
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
  expect(new Set(answers.map(({ body }) => body.principal_id)).size).toBe(1);
});

test('an active member who is added again stays as it is', async () => {
  const { add, get, join, audited } = await team();
  const bob = await join('viewer');
  const again = await add({ wallet: bob.wallet.address, role: 'owner' });
  expect([again.status, again.body]).toEqual([200, added(bob.principalId, 'viewer')]);
  expect((await get('', bob.wallet)).body.role).toBe('viewer');
  expect(await audited()).toEqual([]);
});

test.each(['invited', 'suspended', 'revoked'])(
  'a membership that is %s begins anew with the given role',
  async (status) => {
    const { add, get, join, audited } = await team();
    const bob = await join('owner', status);
    expect((await add({ wallet: bob.wallet.address, role: 'billing' })).status).toBe(201);
    expect((await get('', bob.wallet)).body.role).toBe('billing');
    expect(await audited()).toEqual([
      { action: 'member.added', object_id: bob.principalId, details: { role: 'billing', wallet: bob.wallet.address } },
    ]);
  },
);

test('the same request under one key adds once, and another request under it is refused', async () => {
  const { add, audited } = await team();
  const wallet = actors.wallet().address;
  const options = { headers: { 'idempotency-key': randomUUID() } };
  const first = await add({ wallet }, undefined, options);
  const again = await add({ wallet }, undefined, options);
  expect([again.status, again.body]).toEqual([201, first.body]);
  expect(await audited()).toHaveLength(1);
  expectRefusal(await add({ wallet, role: 'viewer' }, undefined, options), 'IDEMPOTENCY_KEY_REUSED');
});

test('GraphQL adds the same member as REST, and shows it', async () => {
  const { wallet, orgId, get } = await team();
  const bob = actors.wallet();
  const { data } = await service.graphql(
    wallet,
    `mutation ($input: AddMemberInput!) { addMember(input: $input) {
      id principalId role status wallet envelope encryptionKey { state } invitation { email }
      organization { members { edges { node { wallet } } } }
    } }`,
    { input: { org: `Organization_${orgId}`, wallet: bob.checksumAddress, role: 'ADMIN' } },
  );
  const [, row] = (await get('/members')).body.members;
  expect(row).toMatchObject({ role: 'admin', status: 'active', wallet: bob.address });
  expect(data.addMember).toEqual({
    id: `Member_${orgId}/${row.principal_id}`,
    principalId: row.principal_id,
    role: 'ADMIN',
    status: 'ACTIVE',
    wallet: bob.address,
    envelope: 'NOT_APPLICABLE',
    encryptionKey: null,
    invitation: null,
    organization: { members: { edges: [{ node: { wallet: wallet.address } }, { node: { wallet: bob.address } }] } },
  });
});

test.each<[string, object, string]>([
  ['no wallet', {}, 'wallet'],
  ['a wallet of 39 digits', { wallet: `0x${'a'.repeat(39)}` }, 'wallet'],
  ['a wallet of 41 digits', { wallet: `0x${'a'.repeat(41)}` }, 'wallet'],
  ['a wallet without 0x', { wallet: 'a'.repeat(42) }, 'wallet'],
  ['a wallet with a blank', { wallet: ` 0x${'a'.repeat(40)}` }, 'wallet'],
  ['a wallet with a line break', { wallet: `0x${'a'.repeat(40)}\n` }, 'wallet'],
  ['a wallet with a Cyrillic a', { wallet: `0x${'\u0430'.repeat(40)}` }, 'wallet'],
  ['a wallet with full-width digits', { wallet: `0x${'\uff11'.repeat(40)}` }, 'wallet'],
  ['a wallet that is a number', { wallet: 7 }, 'wallet'],
  ['a role that there is not', { wallet: `0x${'a'.repeat(40)}`, role: 'king' }, 'role'],
  ['a role in capitals', { wallet: `0x${'a'.repeat(40)}`, role: 'OWNER' }, 'role'],
  ['an empty role', { wallet: `0x${'a'.repeat(40)}`, role: '' }, 'role'],
])('%s is refused by name, and nobody is added', async (_case, body, field) => {
  const { add, memberships } = await team();
  expectRefusal(await add(body), 'VALIDATION_FAILED', { field });
  expect(Object.keys(await memberships())).toHaveLength(1);
});

test('a null role is none given', async () => {
  const { add } = await team();
  expect((await add({ wallet: actors.wallet().address, role: null })).body.role).toBe('developer');
});

test.each(['admin', 'developer', 'billing', 'viewer'])('as %s nobody is added, and no principal made', async (role) => {
  const { add, join } = await team();
  const bob = await join(role);
  const before = await control.sql('select 1 from principals');
  const answer = await add({ wallet: actors.wallet().address }, bob.wallet);
  expectRefusal(answer, 'NOT_AUTHORIZED', { action: 'org:members:write', required_role: 'owner', reason: 'forbidden' });
  expect(await control.sql('select 1 from principals')).toHaveLength(before.length);
});

test.each(['frozen', 'dormant', 'purged'])('while the organization is %s nobody is added', async (state) => {
  const { orgId, add, memberships } = await team();
  await control.sql('update orgs set lifecycle_state = $2 where id = $1', [orgId, state]);
  const answer = await add({ wallet: actors.wallet().address });
  expectRefusal(
    answer,
    ({ frozen: 'PROJECT_FROZEN', dormant: 'PROJECT_DORMANT', purged: 'RESOURCE_NOT_FOUND' } as const)[state]!,
  );
  expect(Object.keys(await memberships())).toHaveLength(1);
});

test('a person’s session adds with a fresh passkey alone', async () => {
  const { principalId, add } = await team();
  const body = { wallet: actors.wallet().address };
  for (const passkeyAgeSeconds of [undefined, 301]) {
    const session = await actors.session(
      passkeyAgeSeconds === undefined ? { principalId } : { principalId, passkeyAgeSeconds },
    );
    expectRefusal(await add(body, session), 'STEP_UP_REQUIRED', { op_class: 'org.membership' });
  }
  expect((await add(body, await actors.session({ principalId, passkeyAgeSeconds: 1 }))).status).toBe(201);
});

test('what somebody follows as a member ends with the membership', async () => {
  const { orgId, add, remove, join } = await team();
  const bob = await join();
  await add({ wallet: bob.wallet.address });
  const { authority } = service.app.services;
  const entry = {
    orgId,
    roomKey: 'standup',
    principalId: bob.principalId,
    sessionId: null,
    delegateId: null,
    projectKeyProjectId: null,
    expiresAt: null,
  };
  expect(await authority.holds(entry)).toBe(true);
  const lost = new Promise<string>((resolve) => authority.watch(entry, resolve));
  expect((await remove(bob.principalId)).status).toBe(200);
  expect(await lost).toBe('revoked');
});
