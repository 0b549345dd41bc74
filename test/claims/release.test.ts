import { afterAll, expect, test } from 'vitest';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { claimRoomsOf } from './claim-room.ts';

const service = await sharedService();
afterAll(() => service.stop());
const newRoom = claimRoomsOf(service);

test('a claim that is released is off the list, and is told of with its moment among those that are over', async () => {
  const { claim, remove, claims } = await newRoom();
  const { body } = await claim('deploy', { session_key: 's' });
  const kept = (await claim('table:a', { session_key: 's' })).body;
  const released = await remove(`/claims/${body.claim_id}`);
  expect(released).toMatchObject({ status: 200 });
  expect(released.body).toStrictEqual({ claim_id: body.claim_id, released_at: moment, already_released: false });
  expect((await claims()).map(({ claim_id }) => claim_id)).toEqual([kept.claim_id]);
  const { released_at } = released.body;
  expect(await claims('?include_inactive=true')).toMatchObject([
    { claim_id: kept.claim_id, released_at: null },
    { claim_id: body.claim_id, released_at },
  ]);
});

test('releasing again changes nothing, and gives the first moment', async () => {
  const { claim, remove } = await newRoom();
  const { claim_id } = (await claim('deploy')).body;
  const first = (await remove(`/claims/${claim_id}`)).body;
  const again = await remove(`/claims/${claim_id}`);
  expect(again.status).toBe(200);
  expect(again.body).toStrictEqual({ ...first, already_released: true });
});

test('twenty who release one claim at once are told one moment, one of them that it did it', async () => {
  const { claim, remove } = await newRoom();
  const { claim_id } = (await claim('deploy')).body;
  const all = await Promise.all(Array.from({ length: 20 }, () => remove(`/claims/${claim_id}`)));
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
  expect(all.filter(({ body }) => !body.already_released)).toHaveLength(1);
  expect(new Set(all.map(({ body }) => body.released_at)).size).toBe(1);
});

test('what has run out was not released, and stays so', async () => {
  const { claim, remove, runOut, claims } = await newRoom();
  const { claim_id } = (await claim('deploy')).body;
  await runOut(claim_id);
  expect(await claims()).toEqual([]);
  const released = await remove(`/claims/${claim_id}`);
  expect(released.body).toStrictEqual({ claim_id, released_at: null, already_released: true });
  expect(await claims('?include_inactive=true')).toMatchObject([{ claim_id, released_at: null }]);
});

test('a claim is released by its holder’s principal alone, in its own room', async () => {
  const { claim, remove, member, claims, wallet, orgId } = await newRoom();
  const { claim_id } = (await claim('deploy')).body;
  expectRefusal(await remove(`/claims/${claim_id}`, await member('owner')), 'FORBIDDEN');
  expectRefusal(await remove('/claims/clm_nothing'), 'RESOURCE_NOT_FOUND', { claim_id: 'clm_nothing' });
  const elsewhere = await service.call(wallet, 'DELETE', `/orgs/v1/${orgId}/rooms/other/claims/${claim_id}`);
  expectRefusal(elsewhere, 'RESOURCE_NOT_FOUND', { claim_id });
  expect(await claims()).toHaveLength(1);
});

test('releasing counts as activity of the holder, and brings back nobody who is gone', async () => {
  const { claim, join, remove, expire, get, orgId } = await newRoom();
  const presence_id = await join('Ada');
  const ids = [];
  for (const resource of ['a', 'b']) ids.push((await claim(resource, { presence_id })).body.claim_id);
  await service.control.sql(
    `update room_presences set last_active = now() - interval '50 minutes', expires_at = now() + interval '10 minutes'
     where org_id = $1`,
    [orgId],
  );
  const { released_at } = (await remove(`/claims/${ids[0]}`)).body;
  const shown = (await get(`/presences/${presence_id}`)).body;
  expect(Date.parse(shown.last_active)).toBeGreaterThanOrEqual(Date.parse(released_at));
  await expire(presence_id);
  expect((await remove(`/claims/${ids[1]}`)).body).toMatchObject({ already_released: false });
  expect((await get(`/presences/${presence_id}`)).body.state).toBe('expired');
});

test('a holder that fell silent keeps its claims on the list until they run out', async () => {
  const { claim, join, expire, claims } = await newRoom();
  const presence_id = await join('Ada');
  await claim('deploy', { presence_id });
  await expire(presence_id);
  expect(await claims()).toMatchObject([{ resource: 'deploy', holder: 'Ada' }]);
});

test('the list of what is over ends with the latest thousand', async () => {
  const { claim, claims, orgId, join } = await newRoom();
  const presence_id = await join('Ada');
  await service.control.sql(
    `insert into room_claims (org_id, id, room_key, presence_id, principal_id, holder, resource, mode, expires_at, created_at)
     select $1::uuid, 'clm_' || n || $1, 'standup', $2, 'prn_x', 'Ada', n::text, 'shared', now() - interval '1 hour',
       now() - interval '2 hours' + make_interval(secs => n) from generate_series(1, 1005) n`,
    [orgId, presence_id],
  );
  await claim('standing', { presence_id });
  const listed = await claims('?include_inactive=true');
  expect(listed).toHaveLength(1_001);
  expect([listed[0]!.resource, listed[1]!.resource, listed.at(-1)!.resource]).toEqual(['standing', '1005', '6']);
  expect(await claims('?include_inactive=false')).toHaveLength(1);
});

test('releasing and listing over GraphQL are the same as over REST', async () => {
  const { wallet, orgId, claim, claims } = await newRoom();
  const { claim_id } = (await claim('deploy', { session_key: 's' })).body;
  await claim('table:a', { session_key: 's' });
  const release = `mutation ($claim: ID!, $org: ID!) {
    releaseRoomClaim(input: { org: $org, room: "standup", claim: $claim }) { claimId state releasedAt conflicts { edges { cursor } } }
  }`;
  const once = await service.graphql(wallet, release, { org: orgId, claim: `RoomClaim_${claim_id}` });
  const released = (await claims('?include_inactive=true')).find((one) => one.claim_id === claim_id)!;
  const expected = { claimId: claim_id, state: 'RELEASED', releasedAt: released.released_at, conflicts: { edges: [] } };
  expect(once.data.releaseRoomClaim).toEqual(expected);
  const twice = await service.graphql(wallet, release, { org: orgId, claim: claim_id });
  expect(twice.data.releaseRoomClaim).toEqual(expected);
  const listed = await service.graphql(
    wallet,
    `query ($org: ID!) { room(org: $org, room: "standup") {
      standing: claims { edges { node { resource state } } }
      all: claims(includeInactive: true, last: 1) { edges { node { resource state } } pageInfo { hasPreviousPage } }
    } }`,
    { org: orgId },
  );
  expect(listed.data.room).toEqual({
    standing: { edges: [{ node: { resource: 'table:a', state: 'ACTIVE' } }] },
    all: { edges: [{ node: { resource: 'deploy', state: 'RELEASED' } }], pageInfo: { hasPreviousPage: true } },
  });
});
