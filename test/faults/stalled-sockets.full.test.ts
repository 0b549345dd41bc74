import type { Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { openProtocolSocket } from '../graphql/protocol-socket.ts';
import { nobody } from '../helpers/actors.ts';
import { startFaultyWorld } from '../helpers/faulty-world.ts';
import { admin } from '../helpers/gateway-process.ts';
import { until } from '../helpers/until.ts';

// In a process of its own: a gateway that hangs must not hang what watches it.
const world = await startFaultyWorld();
const gateway = await world.start();
afterAll(() => world.stop());
const { call } = gateway;

/** Each message is two thirds of a mebibyte of JSON: few of them fill what the system keeps for a socket. */
const query = `subscription ($org: ID!, $room: String!) {
  roomMessages(org: $org, room: $room) { message { body ${Array.from({ length: 20 }, (_, n) => `b${n}: body`).join(' ')} } }
}`;

const metric = async (name: string) => {
  const page = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(page)![1]);
};

/** A socket with subscriptions to two rooms that stopped reading, and that more waits for than it may be sent. */
async function stalled() {
  const { wallet, orgId } = await world.owner(gateway);
  const raise = { limits: { writes_per_second: 1e6, writes_burst: 1e6, messages_per_day: 1e6 } };
  expect((await call(admin, 'POST', `/orgs/v1/admin/${orgId}/limits`, { body: raise })).status).toBe(200);
  const send = async (room: string, body: string) => {
    const path = `/orgs/v1/${orgId}/rooms/${room}/messages`;
    expect((await call(gateway.as(wallet), 'POST', path, { body: { body } })).status).toBe(201);
  };
  const raw = await (await openProtocolSocket(gateway.url)).init(await gateway.as(wallet).headers('/graphql'));
  for (const room of ['loud', 'quiet']) {
    raw.subscribe(room, query, { variables: { org: orgId, room } });
    await send(room, 'hello');
    await raw.next('next', room);
  }
  raw.socket.pause();
  while ((await metric('sockets_waiting_bytes')) <= 256 * 1024) await send('loud', 'x'.repeat(32 * 1024));
  // What the library keeps its connection under: it knows no way to close one half alone.
  const connection = (raw.socket as unknown as { readonly _socket: Socket })._socket;
  return { raw, send, connection };
}

const expectAlive = async () => expect((await call(nobody, 'GET', '/api/health')).status).toBe(200);
const expectGone = async () => {
  await until(async () => expect(await metric('sockets_open')).toBe(0));
  expect(await metric('sockets_waiting_bytes')).toBe(0);
};

test('a client that stopped reading and closed its half holds up nobody, and is let go before long', async () => {
  const { raw, send, connection } = await stalled();
  connection.end();
  for (const room of ['quiet', 'loud', 'quiet']) await send(room, 'are you there?');
  await expectAlive();
  await expectGone();
  await expectAlive();
  raw.socket.terminate();
});

test('a client that stopped reading and is ended for it holds up nobody', async () => {
  const { raw, send } = await stalled();
  // It answers no ping, so the server ends it; messages come for it all the while.
  while ((await metric('sockets_open')) > 0) await send('quiet', 'are you there?');
  await expectGone();
  await expectAlive();
  raw.socket.terminate();
});
