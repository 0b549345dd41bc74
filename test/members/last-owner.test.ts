import { afterAll, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { teamsOf } from './team.ts';

/** An organization keeps an active owner, whoever acts at the same time. Contract 01, section 6.4. */
const service = await sharedService();
afterAll(() => service.stop());
const team = teamsOf(service);
const { control } = service;

const ownersOf = async (orgId: string) =>
  (
    await control.sql<{ principal_id: string }>(
      `select principal_id from memberships where org_id = $1 and role = 'owner' and status = 'active'`,
      [orgId],
    )
  ).map(({ principal_id }) => principal_id);

test.each(['admin', 'developer', 'billing', 'viewer'])('the last owner does not become %s', async (role) => {
  const { principalId, setRole, memberships, audited } = await team();
  expectRefusal(await setRole(principalId, role), 'LAST_OWNER');
  expect(await memberships()).toEqual({ [principalId]: 'owner active' });
  expect(await audited()).toEqual([]);
});

test('the last owner is not removed, over GraphQL as over REST', async () => {
  const { wallet, orgId, principalId, remove } = await team();
  expectRefusal(await remove(principalId), 'LAST_OWNER');
  const { data, errors } = await service.graphql(
    wallet,
    'mutation ($input: RemoveMemberInput!) { removeMember(input: $input) { id } }',
    { input: { org: orgId, principal: principalId } },
  );
  expect([data, errors?.[0]?.extensions.code]).toEqual([{ removeMember: null }, 'LAST_OWNER']);
  expect(await ownersOf(orgId)).toEqual([principalId]);
});

test.each(['invited', 'suspended', 'revoked'])('an owner whose membership is %s does not count', async (status) => {
  const { principalId, remove, join } = await team();
  await join('owner', status);
  expectRefusal(await remove(principalId), 'LAST_OWNER');
});

test('an owner who is disabled, or owns something else, does not count', async () => {
  const { principalId, remove, join } = await team();
  const bob = await join('owner');
  await control.sql('update principals set disabled_at = now() where id = $1', [bob.principalId]);
  await team();
  expectRefusal(await remove(principalId), 'LAST_OWNER');
});

test('an owner steps down or leaves while another one stays', async () => {
  const { wallet, orgId, principalId, setRole, remove, get, join } = await team();
  const bob = await join('owner');
  expect((await setRole(principalId, 'viewer')).status).toBe(200);
  expect((await get('', wallet)).body.role).toBe('viewer');
  expect((await setRole(principalId, 'owner', bob.wallet)).status).toBe(200);
  expect((await remove(bob.principalId, bob.wallet)).status).toBe(200);
  expectRefusal(await get('', bob.wallet), 'NOT_AUTHORIZED', { reason: 'member' });
  expect(await ownersOf(orgId)).toEqual([principalId]);
});

type Change = (org: Awaited<ReturnType<typeof team>>, actor: Actor, principal: string) => Promise<{ status: number }>;
const changes: Readonly<Record<string, Change>> = {
  demote: ({ setRole }, actor, principal) => setRole(principal, 'viewer', actor),
  remove: ({ remove }, actor, principal) => remove(principal, actor),
};

test.each([
  ['demote', 'demote'],
  ['remove', 'remove'],
  ['demote', 'remove'],
])('of two owners who %s and %s each other at once, ten times each, exactly one stays', async (one, two) => {
  const org = await team();
  const bob = await org.join('owner');
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      at % 2 === 0 ? changes[one]!(org, org.wallet, bob.principalId) : changes[two]!(org, bob.wallet, org.principalId),
    ),
  );
  const [left, ...more] = await ownersOf(org.orgId);
  expect(more).toEqual([]);
  expect([org.principalId, bob.principalId]).toContain(left);
  // Whoever came second was no owner any more when its turn came.
  const mine = (owner: boolean) => answers.filter((_, at) => (at % 2 === 0) === owner);
  const stayed = left === org.principalId;
  expect(mine(!stayed).map(({ status }) => status)).toEqual(Array(10).fill(403));
  expect(mine(stayed).some(({ status }) => status === 200)).toBe(true);
});

test('of twenty owners who all leave at once, one stays', async () => {
  const { wallet, orgId, principalId, remove, join } = await team();
  const others = await Promise.all(Array.from({ length: 19 }, () => join('owner')));
  const answers = await Promise.all(
    [{ wallet, principalId }, ...others].map((owner) => remove(owner.principalId, owner.wallet)),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(1);
  expectRefusal(refused[0]!, 'LAST_OWNER');
  expect(await ownersOf(orgId)).toHaveLength(1);
});

test('an owner who removes himself while the other is removed by a third leaves the third', async () => {
  const { orgId, principalId, wallet, remove, join } = await team();
  const [bob, eve] = [await join('owner'), await join('owner')];
  const [left, removed] = await Promise.all([remove(bob.principalId, bob.wallet), remove(eve.principalId, wallet)]);
  expect([left.status, removed.status]).toEqual([200, 200]);
  expect(await ownersOf(orgId)).toEqual([principalId]);
  expectRefusal(await remove(principalId), 'LAST_OWNER');
});
