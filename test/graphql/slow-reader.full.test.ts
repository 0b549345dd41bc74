import { getIntrospectionQuery } from 'graphql';
import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { openProtocolSocket } from './protocol-socket.ts';

const service = await startService();
afterAll(() => service.stop());
const { actors, call } = service;

/** Each message is two thirds of a mebibyte of JSON: few of them fill what the system keeps for a socket. */
const query = `subscription ($org: ID!, $room: String!, $after: String) {
  roomMessages(org: $org, room: $room, after: $after) { cursor message { body ${Array.from({ length: 20 }, (_, n) => `b${n}: body`).join(' ')} } }
}`;
const mebibyte = 1024 * 1024;

const waitingBytes = async () => {
  const page = (await call(actors.nobody, 'GET', '/metrics')).text;
  return Number(/^sockets_waiting_bytes (\d+)/m.exec(page)![1]);
};

/** A room, and what was said in it so far. */
async function loudRoom() {
  const { wallet, orgId, projectId, serviceKey } = await service.project();
  const raise = { limits: { writes_per_second: 1e6, writes_burst: 1e6 } };
  await call(actors.admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, { body: raise });
  const sent: string[] = [];
  const send = async () => {
    const body = `${sent.length} `.padEnd(32 * 1024, '. The quick brown fox');
    sent.push(body);
    const path = `/orgs/v1/${orgId}/rooms/${projectId}/messages`;
    expect((await call(wallet, 'POST', path, { body: { body } })).status).toBe(201);
  };
  const open = async (after?: string) => {
    const raw = await (await openProtocolSocket(service.url)).init({ apikey: serviceKey });
    raw.subscribe('s', query, { variables: { org: orgId, room: projectId, after } });
    const events = () =>
      raw.seen.filter(({ type }) => type === 'next').map(({ payload }) => payload.data.roomMessages as RoomEvent);
    return { raw, events, bodies: () => events().map(({ message }) => message.body) };
  };
  /** What the system itself keeps for a socket has to be filled first. */
  const fillItsBuffers = async () => {
    while ((await waitingBytes()) < 128 * 1024) await send();
  };
  return { sent, send, open, fillItsBuffers };
}

interface RoomEvent {
  readonly cursor: string;
  readonly message: { readonly body: string };
}

/** Both have got what was sent, in order, up to here. */
const all = (reader: { readonly bodies: () => string[] }, sent: readonly string[]) =>
  until(() => {
    const bodies = reader.bodies();
    expect(bodies).toHaveLength(sent.length);
    expect(bodies.findIndex((body, index) => body !== sent[index])).toBe(-1);
  });

test('a socket that takes nothing for a while costs a quarter of a mebibyte, and misses nothing when it goes on', async () => {
  const { sent, send, open, fillItsBuffers } = await loudRoom();
  const [slow, quick] = [await open(), await open()];
  await send();
  for (const reader of [slow, quick]) await all(reader, sent);
  slow.raw.socket.pause();
  await fillItsBuffers();
  for (let n = 0; n < 3; n++) {
    await send();
    // A quarter of a mebibyte, and the event by which it was reached.
    expect(await waitingBytes()).toBeLessThan(mebibyte);
  }
  await all(quick, sent);
  expect(slow.bodies()).toHaveLength(1);

  slow.raw.socket.resume();
  await all(slow, sent);
  await send();
  for (const reader of [slow, quick]) await all(reader, sent);
  for (const { raw } of [slow, quick]) raw.socket.terminate();
});

test('a socket whose queue would exceed 4 MiB is told to resume by cursor, and does so without a gap or a repeat', async () => {
  const { sent, send, open, fillItsBuffers } = await loudRoom();
  const [slow, quick] = [await open(), await open()];
  await send();
  for (const reader of [slow, quick]) await all(reader, sent);
  slow.raw.socket.pause();
  await fillItsBuffers();
  const subscriptions = () => service.gauge('subscriptions_open');
  expect(await subscriptions()).toBe(2);
  const before = sent.length;
  while ((await subscriptions()) === 2) {
    await send();
    expect(await waitingBytes()).toBeLessThan(mebibyte);
    await all(quick, sent);
  }
  // Seven of two thirds of a mebibyte are more than four; one or two of them were in the queue before.
  expect(sent.length - before).toBeGreaterThanOrEqual(4);
  expect(sent.length - before).toBeLessThanOrEqual(8);
  await send();

  slow.raw.socket.resume();
  expect(await slow.raw.closed).toEqual({ code: 4413, reason: 'Too far behind; resume by cursor' });
  const got = slow.bodies();
  expect(got.length).toBeLessThan(sent.length);
  const resumed = await open(slow.events().at(-1)!.cursor);
  await all({ bodies: () => [...got, ...resumed.bodies()] }, sent);
  await all(quick, sent);
  for (const { raw } of [resumed, quick]) raw.socket.terminate();
});

test('a client that asks on and on and takes no answer is sent away, and is kept no more than it asked for', async () => {
  const raw = await (await openProtocolSocket(service.url)).init();
  const large = getIntrospectionQuery();
  raw.subscribe('first', large);
  const answerBytes = JSON.stringify(await raw.next('next', 'first')).length;
  raw.socket.pause();
  let asked = 0;
  while ((await waitingBytes()) <= 4 * mebibyte) raw.subscribe(`q${asked++}`, large);
  // Many small questions want answers, too.
  for (let n = 0; n < 200; n++) raw.send({ type: 'ping' });
  expect(await waitingBytes()).toBeLessThan(6 * mebibyte + 4 * answerBytes);
  raw.socket.resume();
  expect((await raw.closed).code).toBe(4413);
  expect(raw.seen.filter(({ type }) => type === 'pong').length).toBeLessThan(200);
});
