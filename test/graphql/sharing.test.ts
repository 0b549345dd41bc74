import { afterAll, describe, expect, test } from 'vitest';
import { sharedService } from '../helpers/shared-service.ts';
import { until } from '../helpers/until.ts';
import { openProtocolSocket } from './protocol-socket.ts';

const service = await sharedService();
afterAll(() => service.stop());
const { actors, call } = service;

/** Longer than anything it waits for takes; what is proven is that it happens at all. */

type Project = Awaited<ReturnType<typeof service.project>>;
type Raw = Awaited<ReturnType<typeof openProtocolSocket>>;

const subscription = (selection: string, more = '') =>
  `subscription ($org: ID!, $room: String!${more === '' ? '' : ', $after: String, $first: Int'}) {
    roomMessages(org: $org, room: $room${more}) { ${selection} }
  }`;
const plain = subscription('message { body }', ', after: $after, first: $first');

const send = async ({ wallet, orgId, projectId }: Project, body: string, room = projectId) => {
  const path = `/orgs/v1/${orgId}/rooms/${room}/messages`;
  expect((await call(wallet, 'POST', path, { body: { body } })).status).toBe(201);
};

const open = async (payload?: object) => (await openProtocolSocket(service.url)).init(payload);
const byKey = ({ serviceKey }: Project) => ({ apikey: serviceKey });
const byWallet = async ({ wallet }: Project) => ({ 'sign-in-with-x': await wallet.sign({ path: '/graphql' }) });
const roomOf = ({ orgId, projectId }: Project) => ({ org: orgId, room: projectId });

async function counted(name: string): Promise<number> {
  const page = (await call(actors.nobody, 'GET', '/metrics')).text;
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(page)![1]);
}
/** How often events were executed, and sockets written to with events, while something ran. */
async function counts(run: () => Promise<unknown>) {
  const names = ['subscription_events_executed_total', 'socket_event_writes_total'] as const;
  const before = await Promise.all(names.map(counted));
  await run();
  const after = await Promise.all(names.map(counted));
  return { executed: after[0]! - before[0]!, writes: after[1]! - before[1]! };
}

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
const events = (raw: Raw, id: string): any[] =>
  raw.seen.filter((message) => message.type === 'next' && message.id === id).map(({ payload }) => payload);
const bodies = (raw: Raw, id: string) => events(raw, id).map(({ data }) => data.roomMessages.message.body);
const gets = (raw: Raw, id: string, expected: readonly string[]) =>
  until(() => expect(bodies(raw, id)).toEqual(expected));

/** Waits until so many subscriptions run, and have read what there is: they have all got the last message. */
async function settled(project: Project, all: readonly (readonly [Raw, string])[]) {
  await send(project, 'settled');
  for (const [raw, id] of all) await until(() => expect(bodies(raw, id).at(-1)).toBe('settled'));
}

describe('who shares', () => {
  test('sockets that subscribed alike cost one execution of each message, whoever they are and whatever they call it', async () => {
    const project = await service.project();
    const variables = roomOf(project);
    const all: (readonly [Raw, string])[] = [];
    for (let n = 0; n < 20; n++) {
      const raw = await open(n % 4 === 0 ? await byWallet(project) : byKey(project));
      const id = n % 2 === 0 ? '1' : `${'é"\\'.repeat(n)}${n}`;
      raw.subscribe(id, plain, { variables });
      all.push([raw, id]);
    }
    await settled(project, all);
    const { executed } = await counts(async () => {
      for (const body of ['one', 'two', 'three']) await send(project, body);
      for (const [raw, id] of all) await gets(raw, id, ['settled', 'one', 'two', 'three']);
    });
    expect(executed).toBe(3);
    for (const [raw] of all) raw.socket.terminate();
  });

  test('where somebody begins and ends is its own matter', async () => {
    const project = await service.project();
    const variables = roomOf(project);
    const raw = await open(byKey(project));
    for (const body of ['a', 'b']) await send(project, body);
    raw.subscribe('all', subscription('cursor message { body }'), { variables });
    await gets(raw, 'all', ['a', 'b']);
    const { cursor } = events(raw, 'all')[0].data.roomMessages;
    raw.complete('all');
    raw.subscribe('whole', plain, { variables });
    raw.subscribe('resumed', plain, { variables: { ...variables, after: cursor } });
    raw.subscribe('short', plain, { variables: { ...variables, first: 4 } });
    for (const [id, expected] of [
      ['whole', ['a', 'b']],
      ['resumed', ['b']],
      ['short', ['a', 'b']],
    ] as const)
      await gets(raw, id, expected);
    const { executed } = await counts(async () => {
      for (const body of ['c', 'd', 'e']) await send(project, body);
      await gets(raw, 'whole', ['a', 'b', 'c', 'd', 'e']);
      await gets(raw, 'resumed', ['b', 'c', 'd', 'e']);
      await raw.next('complete', 'short');
    });
    expect(bodies(raw, 'short')).toEqual(['a', 'b', 'c', 'd']);
    expect(executed).toBe(3);
    raw.socket.terminate();
  });

  test('other rooms, documents, operations and variables are executed apart, and each gets its own', async () => {
    const project = await service.project();
    const { wallet } = project;
    const raw = await open({ 'sign-in-with-x': await wallet.sign({ path: '/graphql' }) });
    const variables = roomOf(project);
    const two = `subscription A ($org: ID!, $room: String!, $with: Boolean = true) {
        roomMessages(org: $org, room: $room) { message { body sender @include(if: $with) } } }
      subscription B ($org: ID!, $room: String!) { roomMessages(org: $org, room: $room) { message { body threadId } } }`;
    raw.subscribe('plain', plain, { variables });
    raw.subscribe('other document', `${plain} `, { variables });
    raw.subscribe('other room', plain, { variables: { ...variables, room: 'hall' } });
    raw.subscribe('A', two, { operationName: 'A', variables });
    raw.subscribe('A without', two, { operationName: 'A', variables: { ...variables, with: false } });
    raw.subscribe('B', two, { operationName: 'B', variables });
    const ids = ['plain', 'other document', 'A', 'A without', 'B'];
    await settled(
      project,
      ids.map((id) => [raw, id] as const),
    );
    const { executed } = await counts(async () => {
      await send(project, 'here');
      await send(project, 'there', 'hall');
      for (const id of ids) await gets(raw, id, ['settled', 'here']);
      await gets(raw, 'other room', ['there']);
    });
    expect(executed).toBe(6);
    const keysOf = (id: string) => Object.keys(events(raw, id).at(-1).data.roomMessages.message);
    expect([keysOf('A'), keysOf('A without'), keysOf('B')]).toEqual([
      ['body', 'sender'],
      ['body'],
      ['body', 'threadId'],
    ]);
    raw.socket.terminate();
  });

  test('whoever asks for what depends on the caller is answered alone, by its own authority', async () => {
    const project = await service.project();
    const variables = roomOf(project);
    const nested = subscription('message { body room { key organization { orgId } } }');
    const [member, outsider] = [await open(await byWallet(project)), await open(byKey(project))];
    const all = [member, outsider].map((raw) => [raw, 'n'] as const);
    for (const [raw, id] of all) raw.subscribe(id, nested, { variables });
    await settled(project, all);
    const { executed } = await counts(async () => {
      await send(project, 'who may know?');
      for (const [raw, id] of all) await gets(raw, id, ['settled', 'who may know?']);
    });
    expect(executed).toBe(2);
    const organizations = all.map(([raw, id]) => events(raw, id).at(-1).data.roomMessages.message.room.organization);
    expect(organizations).toEqual([{ orgId: project.orgId }, null]);
    for (const [raw] of all) raw.socket.terminate();
  });

  test('what is made for all is what each would be answered alone', async () => {
    const project = await service.project();
    const { wallet, orgId, projectId } = project;
    const join = { ...roomOf(project), requestedName: 'ada', sessionKey: 'ada' };
    await service.graphql(wallet, 'mutation ($in: JoinRoomInput!) { joinRoom(input: $in) { id } }', { in: join });
    const whole = `__typename id messageId cursor body sender senderPresenceId threadId importance ackRequired createdAt
      recipients { edges { cursor name kind ackRequired ackedAt } pageInfo { hasNextPage hasPreviousPage endCursor } }`;
    const both = [await open(await byWallet(project)), await open(byKey(project))];
    for (const raw of both) {
      raw.subscribe('w', subscription(`cursor reset message { ${whole} }`), { variables: roomOf(project) });
    }
    const { executed } = await counts(async () => {
      const path = `/orgs/v1/${orgId}/rooms/${projectId}/messages`;
      const body = { body: 'hello', to: ['ada'], ack_required: true, importance: 'high', thread_id: 't' };
      expect((await call(wallet, 'POST', path, { body })).status).toBe(201);
      for (const raw of both) await raw.next('next', 'w');
    });
    expect(executed).toBe(1);
    const [event] = events(both[0]!, 'w');
    const { message } = event.data.roomMessages;
    expect(events(both[1]!, 'w')).toEqual([event]);
    expect(event).toEqual({ data: { roomMessages: { cursor: message.cursor, reset: false, message } } });
    const alone = await service.graphql(
      wallet,
      `query ($id: ID!) { node(id: $id) { ... on RoomMessage { ${whole} } } }`,
      {
        id: message.id,
      },
    );
    expect(alone).toEqual({ data: { node: message } });
    for (const raw of both) raw.socket.terminate();
  });

  test('one that loses its right is told so and ends; who shared with it goes on', async () => {
    const project = await service.project();
    const variables = roomOf(project);
    const leaver = actors.wallet();
    const me = await call<{ principal: { id: string } }>(leaver, 'GET', '/agent/v1/whoami');
    await actors.member(project.orgId, me.body.principal.id, 'viewer');
    const leaving = await open({ 'sign-in-with-x': await leaver.sign({ path: '/graphql' }) });
    const staying = await open(byKey(project));
    for (const raw of [leaving, staying]) raw.subscribe('s', plain, { variables });
    await settled(project, [
      [leaving, 's'],
      [staying, 's'],
    ]);
    await service.control.sql(`update memberships set status = 'revoked' where principal_id = $1`, [
      me.body.principal.id,
    ]);
    service.app.services.authority.changed(project.orgId);
    await leaving.next('complete', 's');
    expect(events(leaving, 's').at(-1)).toMatchObject({ errors: [{ extensions: { code: 'NOT_AUTHORIZED' } }] });
    await send(project, 'for who stayed');
    await gets(staying, 's', ['settled', 'for who stayed']);
    expect(events(leaving, 's')).toHaveLength(2);
    leaving.subscribe('again', plain, { variables });
    expect((await leaving.next('next', 'again')).payload).toMatchObject({
      errors: [{ extensions: { code: 'NOT_AUTHORIZED' } }],
    });
    for (const raw of [leaving, staying]) raw.socket.terminate();
  });

  test('what others send does not use up what a subscriber may ask', async () => {
    const project = await service.project();
    const viewer = await actors.session();
    await actors.member(project.orgId, viewer.principalId, 'viewer');
    const raw = await open({ authorization: `Bearer ${viewer.token}` });
    // Two fields that a viewer may not see: each event is refused twice.
    const selection = `message { body room { organization { auditEvents { edges { cursor } } billing { orgId } } } }`;
    raw.subscribe('s', subscription(selection), { variables: roomOf(project) });
    for (let n = 0; n < 120; n++) await send(project, `m${n}`);
    await until(() => expect(events(raw, 's')).toHaveLength(120));
    expect((await call(viewer, 'GET', `/orgs/v1/${project.orgId}`)).status).toBe(200);
    raw.socket.terminate();
  });
});

describe('what is written', () => {
  test('events that are due together leave in one write', async () => {
    const project = await service.project();
    for (let n = 0; n < 30; n++) await send(project, `m${n}`);
    const raw = await open(byKey(project));
    const { writes } = await counts(async () => {
      raw.subscribe('s', plain, { variables: roomOf(project) });
      await until(() => expect(bodies(raw, 's')).toHaveLength(30));
    });
    expect(writes).toBe(1);
    raw.socket.terminate();
  });

  test('messages of every size arrive whole, in whatever frame they need', async () => {
    const project = await service.project();
    const raw = await open(byKey(project));
    const variables = roomOf(project);
    const tiny = subscription('reset');
    raw.subscribe('1', tiny, { variables });
    raw.subscribe('ünïcode "id"', plain, { variables });
    const texts = [1, 50, 125, 126, 8_000, 8_192, 9_000, 32_768].map((length) => 'x'.repeat(length));
    const all = [...texts, '💬 \u2028 "quotes" \\ and\nlines', 'é'.repeat(16_000), '"'.repeat(32_768)];
    for (const text of all) await send(project, text);
    await gets(raw, 'ünïcode "id"', all);
    expect(events(raw, '1')).toEqual(all.map(() => ({ data: { roomMessages: { reset: false } } })));
    raw.socket.terminate();
  });

  test('nothing of a subscription comes after its end, and everything before it', async () => {
    const project = await service.project();
    const raw = await open(byKey(project));
    const finite = subscription('message { body }', ', first: $first, after: $after');
    for (let n = 0; n < 20; n++) await send(project, `m${n}`);
    for (let first = 1; first <= 20; first++) {
      raw.subscribe(`s${first}`, finite, { variables: { ...roomOf(project), first } });
    }
    for (let first = 1; first <= 20; first++) {
      await raw.next('complete', `s${first}`);
      const types = raw.seen.filter(({ id }) => id === `s${first}`).map(({ type }) => type);
      expect(types).toEqual([...Array<string>(first).fill('next'), 'complete']);
    }
    raw.socket.terminate();
  });
});
