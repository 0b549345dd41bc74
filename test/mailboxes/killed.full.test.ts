import { afterAll, expect, test } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import type { Actor } from '../helpers/actors.ts';
import { startFaultyWorld } from '../helpers/faulty-world.ts';
import type { GatewayProcess } from '../helpers/gateway-process.ts';
import { mailOf, mailSender } from './mail-sender.ts';
import { startReceiver } from './webhook-receiver.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const world = await startFaultyWorld();
afterAll(() => world.stop());

test('a mail that was taken is there after the process was killed, byte for byte, and one that comes again is the same', async () => {
  const port = await freePort();
  const start = () => world.start({ MAIL_LISTEN: `127.0.0.1:${port}`, DNS_SERVERS: '127.0.0.1:9' });
  let gateway: GatewayProcess = await start();
  const { wallet, orgId } = await world.owner(gateway);
  const made = await gateway.call<Any>(gateway.as(wallet), 'POST', '/projects/v1', { body: { org_id: orgId } });
  const key: Actor = { headers: async () => ({ authorization: `Bearer ${made.body.service_key}` }) };
  const call = (method: string, path: string, body?: object) =>
    gateway.call<Any>(key, method, `/mailboxes/v1${path}`, body === undefined ? {} : { body });
  const { mailbox_id: id, address } = (await call('POST', '', { slug: 'hello-there' })).body;
  await call('POST', `/${id}/messages`, { to: 'ada@example.com', subject: 'Hello', html: 'x' });

  const mails = Array.from({ length: 30 }, (_, at) =>
    mailOf('From: ada@example.com', `Message-ID: <${at}@example.com>`, '', `Answer ${at}, `.repeat(500), ''),
  );
  const outside = mailSender(port);
  const taken = new Set<number>();
  const send = async (at: number) => {
    const answer = await outside.raw({ from: 'ada@example.com', to: address }, mails[at]!).catch(() => 'lost');
    if (answer.startsWith('250')) taken.add(at);
  };
  for (let round = 0; taken.size < mails.length; round += 1) {
    const before = taken.size;
    const sending = Promise.all(mails.map((_mail, at) => (taken.has(at) ? undefined : send(at))));
    if (round < 3) {
      await expect.poll(() => taken.size, { interval: 1 }).toBeGreaterThan(before);
      await gateway.kill();
      await sending;
      gateway = await start();
    } else await sending;
    // Whatever was answered with 250 is there.
    const { messages } = (await call('GET', `/${id}/messages?direction=inbound&limit=200`)).body;
    expect(messages.length).toBeGreaterThanOrEqual(taken.size);
  }
  const { messages } = (await call('GET', `/${id}/messages?direction=inbound&limit=200`)).body;
  expect(messages).toHaveLength(mails.length);
  const raws: string[] = [];
  for (const one of messages as Any[]) {
    const headers = { authorization: `Bearer ${made.body.service_key}` };
    const answer = await fetch(`${gateway.url}/mailboxes/v1/${id}/messages/${one.message_id}/raw`, { headers });
    expect(answer.status).toBe(200);
    raws.push(await answer.text());
  }
  expect(raws.toSorted()).toEqual(mails.toSorted());
  await gateway.stop();
});

test('a delivery to a webhook that was under way when its process was killed is sent again, under the same key', async () => {
  const receiver = await startReceiver();
  const port = await freePort();
  const start = () =>
    world.start({ MAIL_LISTEN: `127.0.0.1:${port}`, DNS_SERVERS: '127.0.0.1:9', WEBHOOK_ORIGINS: receiver.url });
  const gateway = await start();
  const { wallet, orgId } = await world.owner(gateway);
  const made = await gateway.call<Any>(gateway.as(wallet), 'POST', '/projects/v1', { body: { org_id: orgId } });
  const key: Actor = { headers: async () => ({ authorization: `Bearer ${made.body.service_key}` }) };
  const post = async (path: string, body: object) =>
    (await gateway.call<Any>(key, 'POST', `/mailboxes/v1${path}`, { body })).body;
  const { mailbox_id: id, address } = await post('', { slug: 'hello-there' });
  await post(`/${id}/webhooks`, { url: `${receiver.url}/hang`, events: ['reply_received'] });
  await post(`/${id}/messages`, { to: 'ada@example.com', subject: 'Hello', html: 'x' });
  const answer = await mailSender(port).raw(
    { from: 'ada@example.com', to: address },
    mailOf('From: ada@example.com', '', 'Yes.', ''),
  );
  expect(answer).toMatch(/^250/);
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(1);
  await gateway.kill();
  await start();
  await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBeGreaterThan(1);
  expect(new Set(receiver.received.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  await receiver.stop();
});
