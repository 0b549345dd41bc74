import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { newId } from '../../core/ids.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { holdUp } from './hold-up.ts';
import { type Team, teamsOf } from './team.ts';

const service = await sharedService();
afterAll(() => service.stop());
const team = teamsOf(service);
const { actors, control } = service;

test('a role is changed and counts at once', async () => {
  const { setRole, get, join, audited } = await team();
  const bob = await join('viewer');
  const answer = await setRole(bob.principalId, 'admin');
  expect([answer.status, answer.body]).toEqual([200, { status: 'ok', principal_id: bob.principalId, role: 'admin' }]);
  expect((await get('', bob.wallet)).body.role).toBe('admin');
  expect(await audited()).toEqual([
    {
      action: 'member.role_changed',
      object_id: bob.principalId,
      details: { role: 'admin', previous_role: 'viewer' },
    },
  ]);
});

test('the role that a member has already is no change', async () => {
  const { setRole, join, audited, principalId } = await team();
  const bob = await join('viewer');
  expect((await setRole(bob.principalId, 'viewer')).body.role).toBe('viewer');
  expect((await setRole(principalId, 'owner')).body.role).toBe('owner');
  expect(await audited()).toEqual([]);
});

test('a removed member is out at once, no longer listed, and what stands beside the membership stays', async () => {
  const { orgId, remove, get, join, audited } = await team();
  const bob = await join('developer');
  const { body } = await service.call<{ project_id: string }>(bob.wallet, 'POST', '/projects/v1', {
    body: { org_id: orgId },
  });
  await control.sql(
    'insert into project_grants (org_id, id, project_id, principal_id, capability) values ($1, $2, $3, $4, $5)',
    [orgId, randomUUID(), body.project_id, bob.principalId, 'read'],
  );
  const answer = await remove(bob.principalId);
  expect([answer.status, answer.body]).toEqual([200, { status: 'revoked', principal_id: bob.principalId }]);
  expectRefusal(await get('', bob.wallet), 'NOT_AUTHORIZED', { reason: 'member' });
  expect((await get('/members')).body.members).toHaveLength(1);
  expect((await service.call(bob.wallet, 'GET', `/projects/v1/${body.project_id}`)).status).toBe(200);
  expect((await audited('member.%')).at(-1)).toEqual({
    action: 'member.revoked',
    object_id: bob.principalId,
    details: { role: 'developer' },
  });
});

test('GraphQL changes and removes the same member as REST', async () => {
  const { wallet, orgId, join, get } = await team();
  const bob = await join('viewer');
  const input = { org: orgId, principal: bob.principalId };
  const { data } = await service.graphql(
    wallet,
    `mutation ($set: SetMemberRoleInput!, $remove: RemoveMemberInput!) {
      setMemberRole(input: $set) { role status organization { members { edges { node { role } } } } }
      removeMember(input: $remove) { principalId role status organization { members { edges { node { role } } } } }
    }`,
    { set: { ...input, role: 'BILLING' }, remove: input },
  );
  const edges = (...roles: string[]) => ({ members: { edges: roles.map((role) => ({ node: { role } })) } });
  expect(data).toEqual({
    setMemberRole: { role: 'BILLING', status: 'ACTIVE', organization: edges('OWNER', 'BILLING') },
    removeMember: {
      principalId: bob.principalId,
      role: 'BILLING',
      status: 'REVOKED',
      organization: edges('OWNER'),
    },
  });
  expectRefusal(await get('', bob.wallet), 'NOT_AUTHORIZED', { reason: 'member' });
});

describe('who is no member', () => {
  const whose: Readonly<Record<string, (own: Team) => Promise<string>>> = {
    'a principal that nobody has': async () => newId('prn'),
    'a text that is no id': async () => 'nope',
    'a very long text': async () => 'x'.repeat(1_000),
    'a stranger': async ({ join }) => (await join()).principalId,
    'a member of another organization': async () => (await team()).principalId,
    'somebody who was removed': async ({ join }) => (await join('admin', 'revoked')).principalId,
  };
  test.each(Object.keys(whose))('%s can neither be changed nor removed', async (name) => {
    const own = await team();
    const principal = await whose[name]!(own);
    const details = { principal_id: principal };
    expectRefusal(await own.setRole(principal, 'viewer'), 'RESOURCE_NOT_FOUND', details);
    expectRefusal(await own.remove(principal), 'RESOURCE_NOT_FOUND', details);
    const input = { org: own.orgId, principal };
    const { errors } = await service.graphql(
      own.wallet,
      `mutation ($input: RemoveMemberInput!) { removeMember(input: $input) { id } }`,
      { input },
    );
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'RESOURCE_NOT_FOUND', details });
    expect(await own.audited()).toEqual([]);
  });
});

test.each(['invited', 'suspended'])(
  'a membership that is %s changes its role and nothing else, and can be ended',
  async (status) => {
    const { setRole, remove, join, memberships } = await team();
    const bob = await join('viewer', status);
    expect((await setRole(bob.principalId, 'owner')).body.role).toBe('owner');
    expect((await memberships())[bob.principalId]).toBe(`owner ${status}`);
    expect((await remove(bob.principalId)).status).toBe(200);
    expect((await memberships())[bob.principalId]).toBe('owner revoked');
  },
);

test.each(['king', 'OWNER', '', null, undefined, 7, 'оwner'])('%j is no role', async (role) => {
  const { setRole, join, memberships } = await team();
  const bob = await join('viewer');
  expectRefusal(await setRole(bob.principalId, role), 'VALIDATION_FAILED', { field: 'role' });
  expect((await memberships())[bob.principalId]).toBe('viewer active');
});

test.each(['admin', 'developer', 'billing', 'viewer'])(
  'as %s nobody is changed or removed, not even oneself',
  async (role) => {
    const { setRole, remove, join, memberships } = await team();
    const bob = await join(role);
    const eve = await join('viewer');
    for (const principal of [bob.principalId, eve.principalId]) {
      expectRefusal(await setRole(principal, 'viewer', bob.wallet), 'NOT_AUTHORIZED', { reason: 'forbidden' });
      expectRefusal(await remove(principal, bob.wallet), 'NOT_AUTHORIZED', { reason: 'forbidden' });
    }
    expect(await memberships()).toMatchObject({
      [bob.principalId]: `${role} active`,
      [eve.principalId]: 'viewer active',
    });
  },
);

test('while the organization is frozen roles stay as they are, and members can still be removed', async () => {
  const { orgId, setRole, remove, join } = await team();
  const bob = await join('viewer');
  await control.sql(`update orgs set lifecycle_state = 'frozen' where id = $1`, [orgId]);
  expectRefusal(await setRole(bob.principalId, 'admin'), 'PROJECT_FROZEN');
  expect((await remove(bob.principalId)).status).toBe(200);
});

test('what was admitted and then has to wait is judged by what it finds when its turn comes', async () => {
  const { orgId, principalId, setRole, remove, invite, join, memberships } = await team();
  const [bob, eve] = [await join('owner'), await join('viewer')];
  const hold = `select 1 from orgs where id = '${orgId}' for update`;
  const frozen = (state: string) => `update orgs set lifecycle_state = '${state}' where id = '${orgId}'`;
  const late = await holdUp(service, {
    hold,
    send: () => setRole(eve.principalId, 'admin'),
    meanwhile: frozen('frozen'),
  });
  expectRefusal(late, 'PROJECT_FROZEN');
  await control.sql(frozen('active'));
  const change = (set: string) =>
    `update memberships set ${set} where org_id = '${orgId}' and principal_id = '${bob.principalId}'`;
  const demoted = await holdUp(service, {
    hold,
    send: () => remove(eve.principalId, bob.wallet),
    meanwhile: change(`role = 'admin'`),
  });
  expectRefusal(demoted, 'NOT_AUTHORIZED', { reason: 'forbidden' });
  await control.sql(change(`role = 'owner'`));
  const removed = await holdUp(service, {
    hold,
    send: () => invite({ email: 'ada@example.com' }, bob.wallet),
    meanwhile: change(`status = 'revoked'`),
  });
  expectRefusal(removed, 'NOT_AUTHORIZED', { reason: 'member' });
  expect(await memberships()).toEqual({
    [principalId]: 'owner active',
    [bob.principalId]: 'owner revoked',
    [eve.principalId]: 'viewer active',
  });
});

test('a person’s session changes and removes with a fresh passkey alone', async () => {
  const { principalId, setRole, remove, join } = await team();
  const bob = await join('viewer');
  const stale = await actors.session({ principalId });
  const details = { op_class: 'org.membership', reason: 'missing' };
  expectRefusal(await setRole(bob.principalId, 'admin', stale), 'STEP_UP_REQUIRED', details);
  expectRefusal(await remove(bob.principalId, stale), 'STEP_UP_REQUIRED', details);
  const fresh = await actors.session({ principalId, passkeyAgeSeconds: 1 });
  expect((await setRole(bob.principalId, 'admin', fresh)).status).toBe(200);
  expect((await remove(bob.principalId, fresh)).status).toBe(200);
});

test('a removal under one key happens once, whatever comes after it', async () => {
  const { add, remove, join, audited } = await team();
  const bob = await join('viewer');
  const options = { headers: { 'idempotency-key': randomUUID() } };
  const first = await remove(bob.principalId, undefined, options);
  await add({ wallet: bob.wallet.address });
  const again = await remove(bob.principalId, undefined, options);
  expect([again.status, again.body]).toEqual([200, first.body]);
  expect((await audited()).map(({ action }) => action)).toEqual(['member.revoked', 'member.added']);
});
