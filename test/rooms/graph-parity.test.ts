import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { roomsOf } from './room.ts';

const service = await startService({ jobs: false });
afterAll(() => service.stop());
const newRoom = roomsOf(service);
type Room = Awaited<ReturnType<typeof newRoom>>;

/** What REST says of an arrival, as the graph does. */
interface Arrived {
  readonly requested_name?: string;
  readonly renamed?: boolean;
  readonly why?: string;
  readonly resumed?: boolean;
}
const arrivalOf = ({ requested_name, renamed, why, resumed }: Arrived) => ({
  requestedName: requested_name ?? null,
  renamed: renamed ?? null,
  why: why ?? null,
  resumed: resumed ?? false,
});
const arrival = 'arrival { requestedName renamed why resumed }';
const namesOf = (presences: readonly { name: string }[]) => presences.map(({ name }) => name);
const nodesOf = (connection: { edges: { node: { name: string } }[] }) =>
  namesOf(connection.edges.map(({ node }) => node));

async function mutate({ wallet, orgId }: Room, field: string, type: string, input: object, selection: string) {
  const document = `mutation ($input: ${type}!) { ${field}(input: $input) { ${selection} } }`;
  const answer = await service.graphql(wallet, document, { input: { org: orgId, room: 'standup', ...input } });
  return answer.errors?.[0]?.extensions ?? answer.data[field];
}

const send = (room: Room, input: object) =>
  mutate(
    room,
    'sendRoomMessage',
    'SendRoomMessageInput',
    { body: 'x', ...input },
    `messageId sender sending { deduplicated senderPresence { name task ${arrival} } livePresences { edges { node { name } } } }`,
  );

/** A send of which only what both doors tell of it is left. */
const told = (sent: Awaited<ReturnType<typeof send>>) => ({
  deduplicated: sent.sending.deduplicated,
  arrival: sent.sending.senderPresence.arrival,
  live: nodesOf(sent.sending.livePresences),
});

test.each<[string, object, object]>([
  ['a newcomer', { task: 'mapping' }, { task: 'mapping' }],
  ['a newcomer whose name is free', { requested_name: 'Zoe' }, { requestedName: 'Zoe' }],
  ['a newcomer who is renamed', { requested_name: 'Ada' }, { requestedName: 'Ada' }],
  ['a session that comes back', { session_key: 'Bob' }, { sessionKey: 'Bob' }],
])('a send by %s tells the same over GraphQL as over REST', async (_case, restInput, graphInput) => {
  // In rooms of their own, since each send changes what the next one finds.
  const [restRoom, graphRoom] = [await newRoom(), await newRoom()];
  for (const { post } of [restRoom, graphRoom]) {
    for (const name of ['Ada', 'Bob']) await post('/presences', { requested_name: name, session_key: name });
  }
  const { body } = await restRoom.post('/messages', { body: 'x', ...restInput });
  const sent = await send(graphRoom, graphInput);
  expect(told(sent)).toEqual({
    deduplicated: body.deduplicated,
    arrival: arrivalOf(body.sender_presence),
    live: namesOf(body.live_presences),
  });
  expect(sent.sending.senderPresence.task).toBe(body.sender_presence.task);
});

test('the sender’s own key sends once, through whichever door, and each says so', async () => {
  const room = await newRoom();
  const first = await send(room, { sessionKey: 's', messageKey: 'k' });
  expect(first.sending.deduplicated).toBe(false);
  const again = await send(room, { sessionKey: 's', messageKey: 'k', body: 'other' });
  expect([again.messageId, again.sending.deduplicated]).toEqual([first.messageId, true]);
  const rest = await room.post('/messages', { body: 'x', session_key: 's', idempotency_key: 'k' });
  expect(rest).toMatchObject({ status: 200, body: { message_id: first.messageId, deduplicated: true } });
  expect(await room.count('room_messages')).toBe(1);
  expect(await send(room, { sessionKey: 's', messageKey: '' })).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: { field: 'messageKey' },
  });
});

test('an answer that is given again under its key tells the same, also in the graph', async () => {
  const room = await newRoom();
  const input = { idempotencyKey: 'once', requestedName: 'Ada' };
  const first = await send(room, input);
  expect(await send(room, input)).toEqual(first);
  expect(first.sending).toMatchObject({ deduplicated: false, senderPresence: { arrival: { requestedName: 'Ada' } } });
});

test('joining and claiming tell how they came by the presence, as REST does', async () => {
  const [restRoom, graphRoom] = [await newRoom(), await newRoom()];
  const join = (input: object) => mutate(graphRoom, 'joinRoom', 'JoinRoomInput', input, arrival);
  for (const [restInput, graphInput] of [
    [
      { requested_name: 'Ada', session_key: 'a' },
      { requestedName: 'Ada', sessionKey: 'a' },
    ],
    [{ requested_name: 'Ada' }, { requestedName: 'Ada' }],
    [{ session_key: 'a' }, { sessionKey: 'a' }],
  ]) {
    const { body } = await restRoom.post('/presences', restInput);
    expect((await join(graphInput!)).arrival).toEqual(arrivalOf(body));
  }
  const claim = { resource: 'deploy', mode: 'exclusive', requested_name: 'ada' };
  const { body } = await restRoom.post('/claims', claim);
  const input = { resource: 'deploy', mode: 'EXCLUSIVE', requestedName: 'ada', program: 'svc' };
  const selection = `holder holderPresence { name program ${arrival} }`;
  const made = await mutate(graphRoom, 'createRoomClaim', 'CreateRoomClaimInput', input, selection);
  expect(made.holderPresence).toEqual({ name: body.holder, program: 'svc', arrival: arrivalOf(body.presence) });
});

test('what is read, and not just made, tells nothing of a sending or an arrival', async () => {
  const room = await newRoom();
  await send(room, { requestedName: 'Ada' });
  const { data } = await service.graphql(
    room.wallet,
    `query ($org: ID!) { room(org: $org, room: "standup") {
      lastMessage { sending { deduplicated } } presences { edges { node { arrival { renamed } } } } } }`,
    { org: room.orgId },
  );
  expect(data.room).toEqual({ lastMessage: { sending: null }, presences: { edges: [{ node: { arrival: null } }] } });
});

const page = `cursor reset earliestCursor waitedMs livePresences { edges { node { name } } }
  edges { node { messageId } } pageInfo { hasNextPage startCursor }`;

async function read({ wallet, orgId }: Room, args = '') {
  const { data } = await service.graphql(
    wallet,
    `query ($org: ID!) { roomMessages(org: $org, room: "standup"${args}) { ${page} } }`,
    { org: orgId },
  );
  const { edges, pageInfo, livePresences, waitedMs, ...rest } = data.roomMessages;
  return {
    ...rest,
    messages: edges.map(({ node }: { node: { messageId: string } }) => node.messageId),
    waited: waitedMs !== null,
    live: livePresences && nodesOf(livePresences),
  };
}

async function readRest({ get }: Room, search = '') {
  const { body } = await get(`/messages${search}`);
  return {
    cursor: body.cursor,
    reset: body.reset ?? false,
    earliestCursor: body.earliest_cursor ?? null,
    messages: body.messages.map(({ message_id }: { message_id: string }) => message_id),
    waited: body.waited_ms !== undefined,
    live: body.live_presences ? namesOf(body.live_presences) : null,
  };
}

test('a page of messages tells the same over GraphQL as over REST', async () => {
  const room = await newRoom();
  const empty = await readRest(room);
  expect(await read(room)).toEqual(empty);
  const { cursor } = (await room.post('/messages', { body: '1', session_key: 'a', requested_name: 'Ada' })).body;
  await room.post('/messages', { body: '2', session_key: 'b', requested_name: 'Bob' });
  for (const [search, args] of [
    ['', ''],
    ['?limit=1', ', first: 1'],
    [`?cursor=${cursor}`, `, after: "${cursor}"`],
    ['?cursor=garbage', ', after: "garbage"'],
    ['?wait=1', ', wait: 1'],
    ['?wait=1&session_key=a', ', wait: 1, sessionKey: "a"'],
    ['?order=desc&limit=1', ', last: 1'],
    ['?order=desc&before=garbage&limit=1', ', last: 1, before: "garbage"'],
  ] as const) {
    expect([args, await read(room, args)]).toEqual([args, await readRest(room, search)]);
  }
  const { cursor: end } = await read(room);
  const held = await read(room, `, wait: 1, after: "${end}"`);
  expect(held).toEqual({
    cursor: end,
    reset: false,
    earliestCursor: null,
    messages: [],
    waited: true,
    live: ['Ada', 'Bob'],
  });
});

test('the messages of a room tell where to read on, also below what else is asked', async () => {
  const room = await newRoom();
  const nested = async (args: string) => {
    const { data } = await service.graphql(
      room.wallet,
      `query ($org: ID!) { room(org: $org, room: "standup") { messages${args} { ${page} } } }`,
      { org: room.orgId },
    );
    return data.room.messages;
  };
  expect(await nested('')).toMatchObject({ cursor: (await readRest(room)).cursor, reset: false, edges: [] });
  const { cursor } = (await room.post('/messages', { body: '1' })).body;
  expect(await nested('(first: 5)')).toMatchObject({ cursor, reset: false, waitedMs: null, livePresences: null });
  const again = await nested('(after: "garbage")');
  expect(again).toMatchObject({ cursor, reset: true });
  expect(again.earliestCursor).toBe((await readRest(room, '?cursor=garbage')).earliestCursor);
});
