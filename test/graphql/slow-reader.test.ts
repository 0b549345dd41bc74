import { afterAll, expect, test, vi } from 'vitest';
import { startService } from '../helpers/service.ts';
import { openProtocolSocket } from './protocol-socket.ts';

const service = await startService();
afterAll(() => service.stop());
const { actors, call } = service;

const patience = { timeout: 60_000 };

/** Each message is two thirds of a mebibyte of JSON: few of them fill what the system keeps for a socket. */
const query = `subscription ($org: ID!, $room: String!) {
  roomMessages(org: $org, room: $room) { message { body ${Array.from({ length: 20 }, (_, n) => `b${n}: body`).join(' ')} } }
}`;
const mebibyte = 1024 * 1024;

const waitingBytes = async () => {
  const page = (await call(actors.nobody, 'GET', '/metrics')).text;
  return Number(/^sockets_waiting_bytes (\d+)/m.exec(page)![1]);
};

test('a socket that takes nothing is held in bounded memory, holds up nobody, and misses nothing when it goes on', async () => {
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
  const open = async () => {
    const raw = await (await openProtocolSocket(service.url)).init({ apikey: serviceKey });
    raw.subscribe('s', query, { variables: { org: orgId, room: projectId } });
    const bodies = () =>
      raw.seen.filter(({ type }) => type === 'next').map(({ payload }) => payload.data.roomMessages.message.body);
    return { raw, bodies };
  };
  const [slow, quick] = [await open(), await open()];
  await send();
  for (const { bodies } of [slow, quick]) await vi.waitFor(() => expect(bodies()).toEqual(sent), patience);
  slow.raw.socket.pause();
  // What the system itself keeps for a socket has to be filled first; then as much again.
  while ((await waitingBytes()) < 128 * 1024) await send();
  const before = sent.length;
  for (let n = 0; n < 30; n++) {
    await send();
    // A quarter of a mebibyte, and what was due together when it was reached.
    expect(await waitingBytes()).toBeLessThan(3 * mebibyte);
  }
  expect(sent.length - before).toBe(30);
  await vi.waitFor(() => expect(quick.bodies()).toHaveLength(sent.length), patience);
  expect(slow.bodies()).toHaveLength(1);

  slow.raw.socket.resume();
  await vi.waitFor(() => expect(slow.bodies()).toHaveLength(sent.length), patience);
  await send();
  for (const { bodies } of [slow, quick]) {
    await vi.waitFor(() => expect(bodies()).toHaveLength(sent.length), patience);
    expect(bodies().findIndex((body, index) => body !== sent[index])).toBe(-1);
  }
  for (const { raw } of [slow, quick]) raw.socket.terminate();
}, 120_000);
