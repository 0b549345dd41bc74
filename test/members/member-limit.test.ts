import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { teamsOf } from './team.ts';

/** An organization holds so many members and pending invitations, whoever adds them at the same time. */
const service = await sharedService();
afterAll(() => service.stop());
const team = teamsOf(service);
const { actors } = service;

const bound = (orgId: string, members: number) =>
  service.call(actors.admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, { body: { limits: { members } } });
const full = { scope: 'organization', metric: 'members', resource: 'members', limit: 4, used: 4 };

test('twenty who are added and invited at once cannot pass the number of members', async () => {
  const { orgId, add, invite, memberships } = await team();
  await bound(orgId, 4);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      at % 2 === 0 ? add({ wallet: actors.wallet().address }) : invite({ email: `new-${at}@example.com` }),
    ),
  );
  const refused = answers.filter(({ status }) => status >= 300);
  expect(refused).toHaveLength(17);
  for (const answer of refused) expectRefusal(answer, 'QUOTA_EXCEEDED', full);
  expect(Object.keys(await memberships())).toHaveLength(4);
});

test('who is a member already, or is invited, is not counted again, and who was removed makes room', async () => {
  const { wallet, orgId, add, invite, remove, join } = await team();
  const bob = await join('viewer');
  await join('viewer', 'suspended');
  expect((await invite({ email: 'ada@example.com' })).status).toBe(201);
  await bound(orgId, 4);
  expect((await add({ wallet: bob.wallet.address })).status).toBe(200);
  expect((await invite({ email: 'ada@example.com', role: 'viewer' })).status).toBeLessThan(300);
  const newcomer = actors.wallet().address;
  const { errors } = await service.graphql(
    wallet,
    'mutation ($input: AddMemberInput!) { addMember(input: $input) { id } }',
    { input: { org: orgId, wallet: newcomer } },
  );
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'QUOTA_EXCEEDED', details: full });
  await remove(bob.principalId);
  expect((await add({ wallet: newcomer })).status).toBe(201);
  expectRefusal(await add({ wallet: bob.wallet.address }), 'QUOTA_EXCEEDED', full);
});
