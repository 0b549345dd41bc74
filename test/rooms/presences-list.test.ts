import { afterAll, expect, test } from 'vitest';
import { claimRoomsOf } from '../claims/claim-room.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';

const service = await startService({ jobs: false });
afterAll(() => service.stop());
const newRoom = claimRoomsOf(service);
type Room = Awaited<ReturnType<typeof newRoom>>;

const named = async ({ get }: Room, search = ''): Promise<string[]> =>
  (await get(`/presences${search}`)).body.presences.map(
    ({ name, state }: Record<string, string>) => `${name} ${state}`,
  );

/** Ada, who is there, Bob, who fell silent, and Eve, who left. */
async function peopled() {
  const room = await newRoom();
  const ids = { Eve: await room.join('Eve'), Bob: await room.join('Bob'), Ada: await room.join('Ada') };
  await room.remove(`/presences/${ids.Eve}`);
  await room.expire(ids.Bob);
  return { ...room, ids };
}

test('those who are gone are listed when they are asked for, after those who are there', async () => {
  const room = await peopled();
  expect(await named(room)).toEqual(['Ada active']);
  expect(await named(room, '?include_expired=false')).toEqual(['Ada active']);
  expect(await named(room, '?include_expired=true')).toEqual(['Ada active', 'Bob expired', 'Eve left']);
});

test('a name finds its presence by its very spelling', async () => {
  const room = await peopled();
  expect(await named(room, '?name=Ada')).toEqual(['Ada active']);
  for (const other of ['ada', 'Ad', 'Ada%20', '%D0%90da', 'Bob', 'Nobody']) {
    expect(await named(room, `?name=${other}`)).toEqual([]);
  }
  expect(await named(room, '?name=Bob&include_expired=true')).toEqual(['Bob expired']);
  expect(await named(room, '?name=Eve&include_expired=true')).toEqual(['Eve left']);
  await room.post('/presences', { requested_name: 'Cafe\u0301' });
  expect(await named(room, `?name=${encodeURIComponent('Caf\u00e9')}`)).toEqual(['Caf\u00e9 active']);
  expect(await named(room, `?name=${encodeURIComponent('Cafe\u0301')}`)).toEqual(['Caf\u00e9 active']);
});

test('a name finds nobody of another room or organization', async () => {
  const { wallet, orgId } = await peopled();
  const elsewhere = await service.call<{ presences: unknown[] }>(
    wallet,
    'GET',
    `/orgs/v1/${orgId}/rooms/other/presences?name=Ada`,
  );
  expect(elsewhere.body.presences).toEqual([]);
  expect(await named(await newRoom(), '?name=Ada')).toEqual([]);
});

test.each([
  ['include_expired=maybe', 'include_expired'],
  ['include_expired=', 'include_expired'],
  ['include_expired=1', 'include_expired'],
  [`name=${'x'.repeat(129)}`, 'name'],
  ['name=a%0Ab', 'name'],
  ['name=a%00', 'name'],
  ['name=a&name=b', 'name'],
])('%s is refused by name', async (search, field) => {
  const { get } = await newRoom();
  expectRefusal(await get(`/presences?${search}`), 'VALIDATION_FAILED', { field });
});

test('of those who are gone the latest thousand are listed, and all who are there', async () => {
  const room = await newRoom();
  const fill = (from: number, count: number, expires: string) =>
    service.control.sql(
      `insert into room_presences (org_id, id, room_key, principal_id, name, last_active, expires_at)
       select $1::uuid, 'prs_' || n || $1, 'standup', 'prn_x', 'N' || n, ${expires} - interval '1 hour', ${expires}
       from generate_series($2::int, $3::int) n`,
      [room.orgId, from, from + count - 1],
    );
  await room.join('Ada');
  await fill(1, 1_005, `now() - interval '1 day' + make_interval(secs => n)`);
  const gone = await named(room, '?include_expired=true');
  expect([gone.length, gone[0], gone[1], gone.at(-1)]).toEqual([1_001, 'Ada active', 'N1005 expired', 'N6 expired']);
  await fill(2_001, 1_100, `now() + interval '10 minutes'`);
  expect(await named(room)).toHaveLength(1_101);
  expect(await named(room, '?include_expired=true')).toHaveLength(2_101);
});

test('claims are counted with the list: as many statements for many presences as for one', async () => {
  const room = await newRoom();
  const count = async (run: () => Promise<unknown>) => (await service.statements(run)).length;
  const graph = () =>
    service.graphql(
      room.wallet,
      `query ($org: ID!) { room(org: $org, room: "standup") { presences { edges { node { name activeClaims } } } } }`,
      { org: room.orgId },
    );
  await room.claim('thing 0', { session_key: 'Ada0' });
  await graph();
  const [rest, graphql] = [await count(() => room.get('/presences')), await count(graph)];
  for (let n = 1; n < 6; n++) await room.claim(`thing ${n}`, { session_key: `Ada${n}` });
  expect([await count(() => room.get('/presences')), await count(graph)]).toEqual([rest, graphql]);
  const { data } = await graph();
  const counts = data.room.presences.edges.map(({ node }: { node: { activeClaims: number } }) => node.activeClaims);
  expect(counts).toEqual([1, 1, 1, 1, 1, 1]);
});

test('GraphQL lists the same presences by the same arguments', async () => {
  const room = await peopled();
  const { data } = await service.graphql(
    room.wallet,
    `query ($org: ID!) { room(org: $org, room: "standup") {
      here: presences { edges { node { name state } } }
      all: presences(includeExpired: true) { edges { node { name state } } }
      bob: presences(includeExpired: true, name: "Bob") { edges { node { name state } } }
      none: presences(name: "Bob") { edges { node { name } } }
    } }`,
    { org: room.orgId },
  );
  const shown = (list: { edges: { node: { name: string; state?: string } }[] }) =>
    list.edges.map(({ node }) => `${node.name} ${node.state?.toLowerCase()}`);
  expect(shown(data.room.here)).toEqual(await named(room));
  expect(shown(data.room.all)).toEqual(await named(room, '?include_expired=true'));
  expect(shown(data.room.bob)).toEqual(['Bob expired']);
  expect(shown(data.room.none)).toEqual([]);
});
