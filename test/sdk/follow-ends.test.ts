import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { bearer, createClient, projectKey, session } from '../../clients/sdk/src/index.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { faultyRoad } from './faulty-road.ts';
import { ownProject } from './sdk-stage.ts';

const service = await sharedService();
const road = await faultyRoad(service.url);
afterAll(async () => {
  road.close();
  await service.stop();
});
const { client: own, credential, org, project, anonKey } = await ownProject(service);
const client = createClient({ baseUrl: road.url, credential });
const failure = (events: AsyncGenerator<unknown>) => events.next().catch((error: unknown) => error);

test('as many come as were asked for, however often the socket is lost', async () => {
  const room = 'counted';
  for (let n = 0; n < 8; n++) await own.rooms.sendMessage({ org, room, body: `m${n}` });
  const seen: string[] = [];
  for await (const { message } of client.rooms.follow({ org, room, first: 6 }, { waitingMax: 2 })) {
    seen.push(message.body);
    if (seen.length % 2 === 0) road.killSockets();
  }
  expect(seen).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'm5']);
});

test('what nobody wants any more ends at once, also while somebody waits for what comes next', async () => {
  const ended = { done: true, value: undefined };
  const events = client.rooms.follow({ org, room: 'quiet' });
  const waiting = events.next();
  await expect.poll(() => road.sockets()).toBe(1);
  expect(await events.return()).toEqual(ended);
  expect(await waiting).toEqual(ended);
  await expect.poll(() => road.sockets()).toBe(0);

  const document = 'subscription ($org: ID!) { roomMessages(org: $org, room: "quiet") { cursor } }';
  const followed = client.subscribe(document, { org });
  const pending = followed.next();
  await followed.return();
  expect(await pending).toEqual(ended);

  await own.projects.sql({ project, sql: 'create table quiet_notes (id int primary key)' });
  const tables = [{ name: 'quiet_notes', expose: true, live: true, policy: 'public_read_authenticated_write' }];
  await own.projects.applyExpose({ project, manifest: { version: 1, tables } });
  const anon = createClient({ baseUrl: service.url, credential: projectKey({ key: anonKey }) });
  for (const by of ['stream', 'held'] as const) {
    const hints = anon.live({ tables: ['quiet_notes'], by });
    expect((await hints.next()).value?.type).toBe('ready');
    const held = hints.next();
    await hints.return();
    expect(await held).toEqual(ended);
  }
});

test('where there are no sockets, whoever follows is told so', async () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal('WebSocket', undefined);
  const bare = createClient({ baseUrl: service.url, credential });
  expect(await failure(bare.rooms.follow({ org, room: 'none' }))).toMatchObject({
    code: 'LOCAL_ERROR',
    kind: 'api_error',
    message: expect.stringContaining('WebSocket'),
  });
  class Forbidden {
    constructor() {
      throw new DOMException('The page may open none.', 'SecurityError');
    }
  }
  const forbidden = createClient({ baseUrl: service.url, credential, WebSocket: Forbidden as never });
  expect(await failure(forbidden.rooms.follow({ org, room: 'none' }))).toMatchObject({
    code: 'LOCAL_ERROR',
    message: expect.stringContaining('The page may open none.'),
  });
});

test('the sockets of a package do where the platform has none', async () => {
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.stubGlobal('WebSocket', undefined);
  const given = createClient({ baseUrl: road.url, credential, WebSocket });
  const events = given.rooms.follow({ org, room: 'given' });
  const first = events.next();
  await own.rooms.sendMessage({ org, room: 'given', body: 'one' });
  expect((await first).value?.message.body).toBe('one');
  road.killSockets();
  await own.rooms.sendMessage({ org, room: 'given', body: 'two' });
  expect((await events.next()).value?.message.body).toBe('two');
  await events.return();
  await expect.poll(() => road.sockets()).toBe(0);
});

test('whoever answers with what is no message is left, and tried again', async () => {
  const portal = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'graphql-transport-ws' });
  await once(portal, 'listening');
  onTestFinished(() => void portal.close());
  let came = 0;
  portal.on('connection', (socket) => socket.send(['Please sign in to the network.', '7', 'null'][came++ % 3]!));
  const states: string[] = [];
  const ending = new AbortController();
  const astray = createClient({
    baseUrl: `http://127.0.0.1:${(portal.address() as AddressInfo).port}`,
    credential,
    onSocket: (state) => states.push(state),
  });
  const waiting = astray.rooms.follow({ org, room: 'none' }, { signal: ending.signal }).next();
  await expect.poll(() => came).toBeGreaterThan(2);
  ending.abort();
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(states.filter((state) => state === 'waiting').length).toBeGreaterThan(1);
  expect(states).not.toContain('open');
});

/** Takes every connection, and does something with it; whatever comes on it is an operation. */
async function taker(taken: (socket: WebSocket, id: string) => void): Promise<{ url: string; came: () => number }> {
  const gateway = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'graphql-transport-ws' });
  await once(gateway, 'listening');
  onTestFinished(() => void gateway.close());
  let came = 0;
  gateway.on('connection', (socket) => {
    came++;
    socket.on('message', (data) => {
      const { type, id } = JSON.parse(String(data)) as { readonly type: string; readonly id: string };
      if (type === 'connection_init') socket.send('{"type":"connection_ack"}');
      if (type === 'subscribe') taken(socket, id);
    });
  });
  return { url: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`, came: () => came };
}

test('a gateway that takes connections only to close them is left longer and longer pauses', async () => {
  const { url, came } = await taker((socket) => socket.close(1011));
  const ending = new AbortController();
  const startedAt = performance.now();
  const waiting = createClient({ baseUrl: url, credential })
    .rooms.follow({ org, room: 'none' }, { signal: ending.signal })
    .next();
  await expect.poll(came, { interval: 5 }).toBe(5);
  // Half of 250, 500, 1,000 and 2,000 milliseconds at least.
  expect(performance.now() - startedAt).toBeGreaterThan(1_800);
  ending.abort();
  expect(await waiting).toEqual({ done: true, value: undefined });
});

test('a session that is taken and refused again and again is renewed once', async () => {
  const { url } = await taker((socket) => socket.close(4401, 'It is over.'));
  let renewed = 0;
  const person = session({ accessToken: 'one', refresh: async () => `next${++renewed}` });
  const events = createClient({ baseUrl: url, credential: person }).rooms.follow({ org, room: 'none' });
  expect(await failure(events)).toMatchObject({ code: 'UNAUTHORIZED', details: { close_code: 4401 } });
  expect(renewed).toBe(1);
});

test.each([
  '{"type":"next","id":"ID"}',
  '{"type":"next","id":"ID","payload":{"errors":7}}',
  '{"type":"error","id":"ID"}',
])('a gateway that says %s is refused, and brings nobody down', async (message) => {
  const { url } = await taker((socket, id) => socket.send(message.replace('ID', id)));
  const events = createClient({ baseUrl: url, credential }).rooms.follow({ org, room: 'none' });
  expect(await failure(events)).toMatchObject({ name: 'SvcError', code: 'API_ERROR' });
});

test('a socket that is closed for its credential says so, as a request does', async () => {
  const stranger = createClient({ baseUrl: service.url, credential: bearer('nothing') });
  expect(await failure(stranger.rooms.follow({ org, room: 'none' }))).toMatchObject({
    code: 'INVALID_AUTH',
    status: 401,
    kind: 'unauthorized',
    retryable: false,
    nextActions: [{ type: 'authenticate' }],
    details: { close_code: 4403 },
  });
});

test('whoever will not sign for what is to be followed is asked once, and hears their own word', async () => {
  let asked = 0;
  const refusal = new Error('The owner said no.');
  const locked = createClient({
    baseUrl: service.url,
    credential: {
      headers: async () => {
        asked++;
        throw refusal;
      },
    },
  });
  expect(await failure(locked.rooms.follow({ org, room: 'none' }))).toBe(refusal);
  expect(asked).toBe(1);
});
