import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import type { LiveBatch, LiveEnd, LiveHub, LiveSink } from '../../resolvers/live/live-hub.ts';
import { streamLive } from '../../server/live/live-stream.ts';
import { Answer } from '../../server/respond.ts';
import { openStream } from './event-stream.ts';

// Times of five minutes are shortened here; what is sent is what the server sends.
const responses: ServerResponse[] = [];
const opened: { closed: boolean; sink: LiveSink | undefined }[] = [];
const live: Pick<LiveHub, 'open'> = {
  open: async () => {
    const one = { closed: false, sink: undefined as LiveSink | undefined };
    opened.push(one);
    return {
      cursor: 'lcr_here',
      resync: undefined,
      start: (sink) => void (one.sink = sink),
      close: () => void (one.closed = true),
    };
  },
};
const draining = new AbortController();
const server = createServer<typeof IncomingMessage, typeof Answer>({ ServerResponse: Answer }, (request, response) => {
  responses.push(response);
  void streamLive(
    { request, response },
    undefined as never,
    { tables: ['notes'], cursor: undefined },
    {
      live: live as LiveHub,
      draining: draining.signal,
      heartbeatMs: request.url === '/beats' ? 5 : 60_000,
      lifetimeMs: request.url === '/short' ? 20 : 60_000,
    },
  );
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => server.close());

const batch: LiveBatch = { hints: [], frames: Buffer.from('event: change\ndata: {"n":1}\n\n') };

test('a silent stream gives signs of life that are comments', async () => {
  const events = await openStream(`${url}/beats`, {});
  expect(await events.next()).toMatchObject({ event: 'ready' });
  while (!events.text().includes(': heartbeat\n\n: heartbeat\n\n'))
    await new Promise((resolve) => setTimeout(resolve, 5));
  opened.at(-1)!.sink!.hints(batch);
  expect(await events.next()).toEqual({ event: 'change', id: undefined, data: { n: 1 } });
  events.close();
});

test('a stream that has lived its time says where to resume, and ends', async () => {
  const events = await openStream(`${url}/short`, {});
  expect(await events.next()).toMatchObject({ event: 'ready' });
  expect(await events.next()).toEqual({
    event: 'reconnect',
    id: 'lcr_here',
    data: { reason: 'max_lifetime', cursor: 'lcr_here' },
  });
  expect(await events.next()).toBeUndefined();
  expect(opened.at(-1)).toMatchObject({ closed: true });
});

test.each(['session_ended', 'manifest_changed', 'project_gone'] satisfies LiveEnd[])(
  'a stream that ends by %s says so',
  async (reason) => {
    const events = await openStream(url, {});
    await events.next();
    opened.at(-1)!.sink!.end(reason);
    expect(await events.next()).toMatchObject({ event: 'reconnect', data: { reason } });
    expect(await events.next()).toBeUndefined();
  },
);

test('a client that takes nothing is cut off before it costs more than its bound', async () => {
  const events = await openStream(url, {});
  await events.next();
  const { sink } = opened.at(-1)!;
  const large: LiveBatch = { hints: [], frames: Buffer.alloc(512 * 1024, ' ') };
  const one = opened.at(-1)!;
  for (let sent = 0; sent < 200 && !one.closed; sent++) {
    sink!.hints(large);
    if (sent % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  while (!one.closed) await new Promise((resolve) => setImmediate(resolve));
  events.close();
});

test('what a client is behind is handed over as it takes it', async () => {
  const sent = httpRequest(url, { agent: false }).on('error', () => {});
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.on('error', () => {}).pause();
  const { sink } = opened.at(-1)!;
  const large: LiveBatch = { hints: [], frames: Buffer.alloc(512 * 1024, ' ') };
  const response = responses.at(-1)!;
  // Until the system takes no more of it.
  let taken = sink!.hints(large);
  while (response.writableLength === 0) {
    await new Promise((resolve) => setImmediate(resolve));
    taken = sink!.hints(large);
  }
  expect(taken).toBeInstanceOf(Promise);
  answer.resume();
  await taken;
  expect(response.writableLength).toBe(0);
  // Nobody waits for one that is gone.
  answer.pause();
  do {
    taken = sink!.hints(large);
    await new Promise((resolve) => setImmediate(resolve));
  } while (response.writableLength === 0);
  sent.destroy();
  await taken;
});

test('a stream that is ended while its client takes nothing is silent until it is cut off', async () => {
  const sent = httpRequest(`${url}/beats`, { agent: false }).on('error', () => {});
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.on('error', () => {}).pause();
  const response = responses.at(-1)!;
  const errors: unknown[] = [];
  response.on('error', (error) => errors.push(error));
  const one = opened.at(-1)!;
  const large: LiveBatch = { hints: [], frames: Buffer.alloc(512 * 1024, ' ') };
  // Until the system takes no more of it.
  while (response.writableLength === 0) {
    one.sink!.hints(large);
    await new Promise((resolve) => setImmediate(resolve));
  }
  one.sink!.end('session_ended');
  expect(one.closed).toBe(true);
  // What was under way when it ended comes too late.
  one.sink!.hints(batch);
  one.sink!.end('closed');
  await once(response, 'close');
  expect(errors).toEqual([]);
  sent.destroy();
});

test('all streams end when the server drains', async () => {
  const streams = await Promise.all([openStream(url, {}), openStream(url, {})]);
  for (const events of streams) await events.next();
  draining.abort();
  for (const events of streams) {
    expect(await events.next()).toMatchObject({ event: 'reconnect', data: { reason: 'server_stopping' } });
    expect(await events.next()).toBeUndefined();
  }
});
