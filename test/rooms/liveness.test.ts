import { afterAll, afterEach, expect, test } from 'vitest';
import { claimRoomsOf } from '../claims/claim-room.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';

const service = await startService();
afterAll(() => service.stop());
const newRoom = claimRoomsOf(service);

const real = service.app.services.now;
/** Sets the clocks of all nodes: a session has to be one to each of them. */
const setClock = (now: () => Date): void => {
  for (const { services } of service.nodes) (services as { now: () => Date }).now = now;
};
afterEach(() => setClock(real));

const day = 86_400_000;

/** What each surface says of a presence, to a session of that very moment: credentials do go by the node's clock. */
async function seen({ get: read, principalId, orgId }: Awaited<ReturnType<typeof newRoom>>, presenceId: string) {
  const actor = await service.actors.session({ principalId });
  const get = (rest?: string) => read(rest, actor);
  const graph = await service.graphql(
    actor,
    `query ($id: ID!, $org: ID!) {
      node(id: $id) { ... on RoomPresence { state } }
      room(org: $org, room: "standup") { livePresences presences { edges { node { state } } } claims { edges { cursor } } }
    }`,
    { id: `RoomPresence_${presenceId}`, org: orgId },
  );
  const { node, room } = graph.data;
  return {
    single: [(await get(`/presences/${presenceId}`)).body.state, node.state],
    listed: [(await get('/presences')).body.presences.length, room.presences.edges.length],
    counted: [(await get()).body.live_presences, room.livePresences],
    claims: [(await get('/claims')).body.claims.length, room.claims.edges.length],
  };
}

test.each([
  ['ahead', day],
  ['behind', -day],
])('a node whose clock is a day %s neither expires nor revives anybody, nor any claim', async (_case, off) => {
  const room = await newRoom();
  const { join, claim, post, expire, runOut, principalId } = room;
  const live = await join('Live');
  const silent = await join('Silent');
  await claim('deploy', { presence_id: live });
  const over = (await claim('table:a', { presence_id: live })).body.claim_id as string;
  await expire(silent);
  await runOut(over);
  const before = [await seen(room, live), await seen(room, silent)];
  expect(before[0]!.single).toEqual(['active', 'ACTIVE']);
  expect(before[1]!.single).toEqual(['expired', 'EXPIRED']);

  setClock(() => new Date(real().getTime() + off));
  expect([await seen(room, live), await seen(room, silent)]).toEqual(before);
  const actor = await service.actors.session({ principalId });
  expectRefusal(await post('/messages', { body: 'x', presence_id: silent }, actor), 'PRESENCE_EXPIRED');
  expect((await post('/messages', { body: 'x', presence_id: live }, actor)).status).toBe(201);
  const joined = (await post('/presences', { requested_name: 'Late' }, actor)).body;
  expect(joined.state).toBe('active');
  expect((await claim('deploy', { presence_id: joined.presence_id }, actor)).body.conflicts).toMatchObject([
    { holder: 'Live' },
  ]);

  setClock(real);
  // Written by the database's clock: as if the node's had been right.
  expect(Math.abs(Date.parse(joined.last_active) - real().getTime())).toBeLessThan(day / 2);
  expect((await seen(room, joined.presence_id)).single).toEqual(['active', 'ACTIVE']);
});

test('the last moment of an hour counts, and the first after it does not', async () => {
  const { join, orgId, post } = await newRoom();
  const presence_id = await join('Ada');
  const silentFor = (interval: string) =>
    service.control.sql(
      `update room_presences set last_active = now() - $2::interval, expires_at = now() - $2::interval + interval '1 hour'
       where org_id = $1`,
      [orgId, interval],
    );
  await silentFor('59 minutes');
  expect((await post('/messages', { body: 'x', presence_id })).status).toBe(201);
  await silentFor('60 minutes 1 millisecond');
  expectRefusal(await post('/messages', { body: 'x', presence_id }), 'PRESENCE_EXPIRED', { presence_id });
});

test('every call that names a presence gives it another hour', async () => {
  const { join, orgId, post, get, claim, remove } = await newRoom();
  const presence_id = await join('Ada');
  const { claim_id } = (await claim('deploy', { presence_id })).body;
  const calls: (() => Promise<{ status: number }>)[] = [
    () => post('/presences', { session_key: 'Ada' }),
    () => post('/messages', { body: 'x', presence_id }),
    () => get(`/messages?presence_id=${presence_id}`),
    () => get('/messages?session_key=Ada'),
    () => claim('table:a', { presence_id }),
    () => remove(`/claims/${claim_id}`),
  ];
  for (const call of calls) {
    await service.control.sql(
      `update room_presences set last_active = now() - interval '50 minutes', expires_at = now() + interval '10 minutes'
       where org_id = $1`,
      [orgId],
    );
    const [{ now }] = (await service.control.sql<{ now: Date }>('select now()')) as [{ now: Date }];
    expect((await call()).status).toBeLessThan(300);
    const { last_active, expires_at } = (await get(`/presences/${presence_id}`)).body;
    expect(Date.parse(last_active)).toBeGreaterThanOrEqual(new Date(now).getTime() - 1);
    expect(Date.parse(expires_at) - Date.parse(last_active)).toBe(3_600_000);
  }
});

test('twenty who resume one session that had expired at once are one presence, which came back once', async () => {
  const { join, expire, post, get, orgId } = await newRoom();
  const presence_id = await join('Ada');
  await expire(presence_id);
  const resumed = await Promise.all(Array.from({ length: 20 }, () => post('/presences', { session_key: 'Ada' })));
  expect(new Set(resumed.map(({ body }) => body.presence_id))).toEqual(new Set([presence_id]));
  expect((await get('/presences')).body.presences).toHaveLength(1);
  const changes = await service.control.sql(`select 1 from feed_changes where org_id = $1 and kind = 'presences'`, [
    orgId,
  ]);
  // It came, and it came back.
  expect(changes).toHaveLength(2);
});
