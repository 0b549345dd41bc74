import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { openProtocolSocket } from '../graphql/protocol-socket.ts';
import { roomSubscription } from '../helpers/graphql-ws-client.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const max = 4;
const narrow = await startService({ env: { CONNECTIONS_PER_ADDRESS: String(max) } });
const service = await startService();
afterAll(async () => {
  await narrow.stop();
  await service.stop();
});

/** Longer than anything it waits for takes; what is proven is that it happens at all. */

/** What an upgrade is answered when it is refused. */
async function refusedUpgrade(url: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const [, response] = await once(socket, 'unexpected-response');
  let text = '';
  for await (const part of response) text += part;
  return { status: response.statusCode, retryAfter: response.headers['retry-after'], body: JSON.parse(text) };
}

test('one address has only so many sockets and requests under way at once, and gets its place back', async () => {
  const sockets = [];
  for (let n = 0; n < max; n++) sockets.push(await openProtocolSocket(narrow.url));
  expect(await refusedUpgrade(narrow.url)).toMatchObject({
    status: 429,
    retryAfter: '1',
    body: { code: 'RATE_LIMITED', retryable: true, details: { limit: max } },
  });
  const refused = await narrow.call<{ code: string }>(narrow.actors.nobody, 'POST', '/graphql', {
    body: { query: '{ __typename }' },
  });
  expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '1']);
  // Whoever watches the server is let in.
  expect((await narrow.call(narrow.actors.nobody, 'GET', '/readyz')).status).toBe(200);
  for (const { socket } of sockets) socket.terminate();
  await until(async () => (await openProtocolSocket(narrow.url)).socket.terminate());
});

test('a body that does not come keeps its place', async () => {
  const headers = { 'content-type': 'application/json', 'content-length': '100' };
  const slow = Array.from({ length: max }, () => {
    const one = request(`${narrow.url}/graphql`, { method: 'POST', headers });
    one.on('error', () => undefined);
    one.flushHeaders();
    return one;
  });
  await until(async () => expect((await refusedUpgrade(narrow.url)).status).toBe(429));
  for (const one of slow) one.destroy();
  await until(async () => (await openProtocolSocket(narrow.url)).socket.terminate());
});

let room: Awaited<ReturnType<typeof service.project>>;
beforeAll(async () => {
  room = await service.project();
});

test('one socket runs a hundred operations at once, and another one when one of them ends', async () => {
  const raw = await (await openProtocolSocket(service.url)).init({ apikey: room.serviceKey });
  const variables = { org: room.orgId, room: room.projectId };
  for (let n = 0; n < 101; n++) raw.subscribe(`s${n}`, roomSubscription, { variables });
  const { payload } = await raw.next('error');
  expect(payload[0].extensions).toMatchObject({ code: 'RATE_LIMITED', retryable: true, details: { limit: 100 } });
  expect(raw.seen.filter(({ type }) => type === 'error').map(({ id }) => id)).toEqual(['s100']);
  raw.complete('s0');
  raw.subscribe('again', '{ __typename }');
  expect((await raw.next('next', 'again')).payload).toEqual({ data: { __typename: 'Query' } });
  raw.socket.terminate();
});

test('what is completed while it is still opening gives its place back at once', async () => {
  const raw = await (await openProtocolSocket(service.url)).init({ apikey: room.serviceKey });
  const variables = { org: room.orgId, room: room.projectId };
  for (let round = 0; round < 5; round++) {
    for (let n = 0; n < 100; n++) raw.subscribe(`${round}-${n}`, roomSubscription, { variables });
    for (let n = 0; n < 100; n++) raw.complete(`${round}-${n}`);
  }
  raw.subscribe('last', '{ __typename }');
  await raw.next('next', 'last');
  expect(raw.seen.filter(({ type }) => type === 'error')).toEqual([]);
  raw.socket.terminate();
});
