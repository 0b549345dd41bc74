import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { claimRoomsOf } from '../claims/claim-room.ts';
import type { Actor } from '../helpers/actors.ts';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { until } from '../helpers/until.ts';

const service = await sharedService();
afterAll(() => service.stop());
const newRoom = claimRoomsOf(service);
type Room = Awaited<ReturnType<typeof newRoom>>;

const archive = ({ post }: Room, actor?: Actor) => post('/archive', {}, actor);
const unarchive = ({ post }: Room, actor?: Actor) => post('/unarchive', {}, actor);

/** The events of the room's organization that tell of archiving, oldest first. */
async function told({ orgId, wallet }: Room) {
  const path = `/orgs/v1/${orgId}/events`;
  const { body } = await service.call<{ events: { event_type: string; payload: Record<string, unknown> }[] }>(
    wallet,
    'GET',
    path,
  );
  return body.events.filter(({ event_type }) => event_type.includes('archived'));
}

/** Keys of the rooms that REST lists. */
async function listed({ wallet, orgId }: Room, search = ''): Promise<string[]> {
  const path = `/orgs/v1/${orgId}/rooms${search}`;
  const { body } = await service.call<{ rooms: { room_key: string }[] }>(wallet, 'GET', path);
  return body.rooms.map(({ room_key }) => room_key).sort();
}

/** One mutation of GraphQL, or its refusal. */
async function mutate({ wallet, orgId }: Room, field: 'archiveRoom' | 'unarchiveRoom') {
  const type = `${field[0]!.toUpperCase()}${field.slice(1)}Input`;
  const answer = await service.graphql(
    wallet,
    `mutation ($input: ${type}!) { ${field}(input: $input) { key archivedAt livePresences } }`,
    { input: { org: orgId, room: 'standup' } },
  );
  return answer.errors?.[0]?.extensions ?? answer.data[field];
}

test('a room is archived and unarchived, and every surface shows since when', async () => {
  const room = await newRoom();
  await room.join('Ada');
  expect((await room.get()).body).toMatchObject({ archived_at: null });
  const { status, body } = await archive(room);
  expect([status, body]).toEqual([200, { ...(await room.get()).body, live_presences: 1, archived_at: moment }]);
  const graph = `query ($org: ID!) {
    room(org: $org, room: "standup") { archivedAt }
    rooms(org: $org) { edges { node { archivedAt } } }
    organization(id: $org) { rooms { edges { node { archivedAt } } } }
  }`;
  const shown = { archivedAt: body.archived_at };
  const edges = [{ node: shown }];
  const { data } = await service.graphql(room.wallet, graph, { org: room.orgId });
  expect(data).toEqual({ room: shown, rooms: { edges }, organization: { rooms: { edges } } });
  expect((await unarchive(room)).body).toEqual({ ...body, archived_at: null });
  expect((await room.get()).body).toMatchObject({ archived_at: null });
});

test('a room that nobody used can be archived, and unarchiving one leaves it unused', async () => {
  const room = await newRoom();
  expect((await unarchive(room)).body).toMatchObject({ room_key: 'standup', archived_at: null });
  expect(await room.count('rooms')).toBe(0);
  expect((await archive(room)).body).toMatchObject({ archived_at: moment, last_activity_at: null });
  expect(await listed(room)).toEqual(['standup']);
});

test('REST and GraphQL do the same', async () => {
  const room = await newRoom();
  const graph = await mutate(room, 'archiveRoom');
  const rest = (await room.get()).body;
  expect(graph).toEqual({ key: rest.room_key, archivedAt: rest.archived_at, livePresences: rest.live_presences });
  expect((await archive(room)).body).toEqual(rest);
  expect(await mutate(room, 'unarchiveRoom')).toEqual({ ...graph, archivedAt: null });
  expect((await told(room)).map(({ event_type }) => event_type)).toEqual(['room_archived', 'room_unarchived']);
});

test('archiving an archived room changes nothing, and each change is told once, in order, with who made it', async () => {
  const room = await newRoom();
  const admin = await room.member('admin');
  const first = (await archive(room)).body;
  expect((await archive(room, admin)).body).toEqual(first);
  await unarchive(room, admin);
  expect((await unarchive(room)).body).toMatchObject({ archived_at: null });
  await archive(room);
  const event = (event_type: string, principal_id: string) =>
    expect.objectContaining({ event_type, payload: { room_key: 'standup', principal_id } });
  expect(await told(room)).toEqual([
    event('room_archived', room.principalId),
    event('room_unarchived', admin.principalId),
    event('room_archived', room.principalId),
  ]);
});

test('of many who archive a room at once, one does', async () => {
  const room = await newRoom();
  const answers = await Promise.all(Array.from({ length: 8 }, () => archive(room)));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.archived_at}`)).size).toBe(1);
  expect(await told(room)).toHaveLength(1);
});

test('the room of a project tells of it among the events of the project', async () => {
  const { wallet, orgId, projectId } = await service.project();
  const path = `/orgs/v1/${orgId}/rooms/${projectId}`;
  expect((await service.call(wallet, 'POST', `${path}/archive`, { body: {} })).status).toBe(200);
  const { body } = await service.call<{ events: object[] }>(wallet, 'GET', `/projects/v1/${projectId}/events`);
  expect(body.events).toContainEqual(
    expect.objectContaining({
      event_type: 'room_archived',
      next_actions: [{ type: 'read_room', method: 'GET', path }],
    }),
  );
});

test.each(['viewer', 'billing'])('a %s may neither archive nor unarchive', async (role) => {
  const room = await newRoom();
  const lesser = await room.member(role);
  for (const send of [archive, unarchive])
    expectRefusal(await send(room, lesser), 'NOT_AUTHORIZED', { action: 'room:archive', reason: 'forbidden' });
  expect((await room.get()).body).toMatchObject({ archived_at: null });
  expect(await told(room)).toEqual([]);
});

test('a member of another organization is refused as if there were no such room', async () => {
  const room = await newRoom();
  const stranger = (await newRoom()).wallet;
  for (const send of [archive, unarchive])
    expectRefusal(await send(room, stranger), 'NOT_AUTHORIZED', { action: 'room:archive', reason: 'member' });
  expect(await told(room)).toEqual([]);
});

test('a developer may', async () => {
  const room = await newRoom();
  const developer = await room.member('developer');
  expect([(await archive(room, developer)).status, (await unarchive(room, developer)).status]).toEqual([200, 200]);
});

test('an archived room takes no message and no claim, and says how it takes them again', async () => {
  const room = await newRoom();
  const presence = await room.join('Ada');
  await archive(room);
  const refusals = [
    await room.post('/messages', { body: 'late', presence_id: presence }),
    await room.post('/messages', { body: 'late', requested_name: 'Late' }),
    await room.claim('deploy', { presence_id: presence }),
    await room.claim('deploy', { requested_name: 'Late' }),
  ];
  for (const refusal of refusals) {
    expectRefusal(refusal, 'ROOM_ARCHIVED', { room_key: 'standup' });
    expect(refusal).toMatchObject({
      status: 409,
      body: {
        message: expect.stringContaining('unarchive the room first'),
        next_actions: [{ type: 'unarchive_room', method: 'POST', path: `${room.path}/unarchive` }],
      },
    });
  }
  const { errors } = await service.graphql(
    room.wallet,
    'mutation ($org: ID!) { sendRoomMessage(input: { org: $org, room: "standup", body: "late" }) { id } }',
    { org: room.orgId },
  );
  expect(errors).toMatchObject([{ extensions: { code: 'ROOM_ARCHIVED' } }]);
  // Nothing is left of what was refused, no presence either.
  expect([await room.count('room_messages'), await room.count('room_presences')]).toEqual([0, 1]);
  await unarchive(room);
  expect((await room.post('/messages', { body: 'again', presence_id: presence })).status).toBe(201);
  expect((await room.claim('deploy', { presence_id: presence })).status).toBe(201);
});

test('an archived room is read, and what is held there is released', async () => {
  const room = await newRoom();
  const presence = await room.join('Ada');
  const keyed = { body: 'hello', presence_id: presence, idempotency_key: 'once' };
  const { message_id } = (await room.post('/messages', keyed)).body;
  const { claim_id } = (await room.claim('deploy', { presence_id: presence })).body;
  await archive(room);
  expect((await room.get('/messages')).body.messages).toMatchObject([{ message_id }]);
  expect((await room.get(`/messages/${message_id}`)).body).toMatchObject({ body: 'hello' });
  // Sent again under its key it is the first message, and adds none.
  expect(await room.post('/messages', keyed)).toMatchObject({ status: 200, body: { message_id, deduplicated: true } });
  expect(await room.claims()).toMatchObject([{ claim_id }]);
  expect((await room.remove(`/claims/${claim_id}`)).body).toMatchObject({ already_released: false });
  expect((await room.remove(`/presences/${presence}`)).body).toMatchObject({ left: true });
});

test('the list shows archived rooms, others or all, over every door', async () => {
  const room = await newRoom();
  const { orgId, wallet } = room;
  for (const key of ['a', 'b', 'c', 'd'])
    await service.call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/${key}/presences`, { body: {} });
  for (const key of ['b', 'd'])
    await service.call(wallet, 'POST', `/orgs/v1/${orgId}/rooms/${key}/archive`, { body: {} });
  expect(await listed(room)).toEqual(['a', 'b', 'c', 'd']);
  expect(await listed(room, '?archived=true')).toEqual(['b', 'd']);
  expect(await listed(room, '?archived=false')).toEqual(['a', 'c']);

  // One room to a page; both fields in one request, so that differing filters are loaded together.
  const document = `query ($org: ID!, $after: String, $archived: Boolean) {
    rooms(org: $org, first: 1, after: $after, archived: $archived) { ...Page }
    organization(id: $org) {
      same: rooms(first: 1, after: $after, archived: $archived) { ...Page }
      archived: rooms(archived: true) { ...Page }
      current: rooms(archived: false) { ...Page }
    }
  }
  fragment Page on RoomConnection { edges { node { key } } pageInfo { hasNextPage endCursor } }`;
  interface Page {
    readonly edges: readonly { readonly node: { readonly key: string } }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  }
  const keysOf = ({ edges }: Page) => edges.map(({ node }) => node.key);
  const paged = async (archived?: boolean) => {
    const keys: string[] = [];
    for (let after: string | undefined; ; ) {
      const { data } = await service.graphql(wallet, document, { org: orgId, after, archived });
      const page: Page = data.rooms;
      expect(data.organization.same).toEqual(page);
      expect([keysOf(data.organization.archived).sort(), keysOf(data.organization.current).sort()]).toEqual([
        ['b', 'd'],
        ['a', 'c'],
      ]);
      keys.push(...keysOf(page));
      if (!page.pageInfo.hasNextPage) return keys.sort();
      after = page.pageInfo.endCursor;
    }
  };
  expect(await paged()).toEqual(['a', 'b', 'c', 'd']);
  expect(await paged(true)).toEqual(['b', 'd']);
  expect(await paged(false)).toEqual(['a', 'c']);
  expectRefusal(await service.call(wallet, 'GET', `/orgs/v1/${orgId}/rooms?archived=maybe`), 'VALIDATION_FAILED', {
    field: 'archived',
  });
});

/** Statements of the gateway that wait for a lock. */
const waiting = (text: string) =>
  until(async () => {
    const rows = await service.control.sql(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
      [`%${text}%`],
    );
    expect(rows).not.toEqual([]);
  });

test('archiving waits for a message that is on its way, and a message that comes later is refused', async () => {
  const room = await newRoom();
  const presence = await room.join('Ada');
  const holder = new pg.Client({ connectionString: service.control.url });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select 1 from room_presences where id = $1 for update', [presence]);
  const early = room.post('/messages', { body: 'early', presence_id: presence });
  await waiting('update "room_presences"');
  const archiving = archive(room);
  await waiting('pg_advisory_xact_lock(');
  const late = room.post('/messages', { body: 'late', session_key: 'late' });
  await waiting('pg_advisory_xact_lock_shared(');
  await holder.query('rollback');
  await holder.end();
  expect((await early).status).toBe(201);
  expect((await archiving).status).toBe(200);
  expectRefusal(await late, 'ROOM_ARCHIVED');
  expect(await room.count('room_messages')).toBe(1);
});

test('of messages and claims that race with archiving, none comes after it', async () => {
  for (let round = 0; round < 3; round++) {
    const room = await newRoom();
    await service.call(service.actors.admin, 'POST', `/orgs/v1/admin/${room.orgId}/limits`, {
      body: { limits: { writes_per_second: 10_000, writes_burst: 10_000 } },
    });
    /** Adds until it is refused. */
    const writer = async (add: () => Promise<{ status: number; body: { claim_id?: string } }>, begun: () => void) => {
      for (;;) {
        const { status, body } = await add();
        if (status !== 201) return status;
        begun();
        if (body.claim_id !== undefined) await room.remove(`/claims/${body.claim_id}`);
      }
    };
    const begun: Promise<void>[] = [];
    const refusals = [1, 2, 3].flatMap((one) => {
      const say = () => room.post('/messages', { body: 'x', session_key: `w${one}` });
      const claim = () => room.claim(`table:${one}`, { session_key: `c${one}` });
      return [say, claim].map((add) => {
        const first = Promise.withResolvers<void>();
        begun.push(first.promise);
        return writer(add, first.resolve);
      });
    });
    await Promise.all(begun);
    expect((await archive(room)).status).toBe(200);
    const added = async () => [await room.count('room_messages'), (await room.claims('?include_inactive=true')).length];
    const before = await added();
    expect(await Promise.all(refusals)).toEqual([409, 409, 409, 409, 409, 409]);
    expect(await added()).toEqual(before);
  }
});

test('a send that was refused under an Idempotency-Key succeeds under it once the room is unarchived', async () => {
  const room = await newRoom();
  await archive(room);
  const send = () =>
    room.post('/messages', { body: 'hello', session_key: 's' }, undefined, { headers: { 'idempotency-key': 'once' } });
  expectRefusal(await send(), 'ROOM_ARCHIVED');
  await unarchive(room);
  expect([(await send()).status, (await send()).status]).toEqual([201, 201]);
  expect(await room.count('room_messages')).toBe(1);
});
