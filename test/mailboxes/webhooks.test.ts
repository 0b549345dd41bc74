import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { mailDoor } from './mail-door.ts';
import { mailOf, mailSender } from './mail-sender.ts';
import { startReceiver } from './webhook-receiver.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const receiver = await startReceiver();
const service = await startService({ env: { MAIL_LISTEN: '127.0.0.1:0', WEBHOOK_ORIGINS: receiver.url } });
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});
const { control } = service;
const outside = mailSender(service.app.mailPort!);

async function newBox() {
  const project = await service.project();
  const door = mailDoor(service, project.serviceKey);
  const { mailbox_id: id, address } = (await door.create('hello-there')).body;
  const hooks = (method: string, path = '', body?: object) => door.call(method, `/${id}/webhooks${path}`, body);
  const register = async (path: string, ...events: readonly string[]) =>
    (await hooks('POST', '', { url: `${receiver.url}${path}`, events })).body.webhook_id as string;
  const deliveries = async (search = ''): Promise<Any[]> =>
    (await hooks('GET', `/deliveries${search}`)).body.deliveries;
  /** Has a stranger answer a mail. */
  const answered = async () => {
    await door.send(id, { to: 'ada@example.com', subject: 'Hello', html: 'x' });
    const mail = mailOf('From: ada@example.com', 'Subject: Yes', '', 'Thanks', '');
    expect(await outside.raw({ from: 'ada@example.com', to: address }, mail)).toMatch(/^250/);
  };
  /** Has the next attempt be due now. */
  const hasten = async () => {
    await control.sql(
      `update mailbox_webhook_deliveries set due_at = now() where mailbox_id = $1 and status = 'pending' and lease is null`,
      [id],
    );
    await control.sql(`select from graphile_worker.add_job('mailboxes.wakeWebhooks')`);
  };
  return { ...project, ...door, id, address, hooks, register, deliveries, answered, hasten };
}

test('a webhook is told of an answer once, as it was agreed, and shown as delivered', async () => {
  const box = await newBox();
  const webhook = await box.register('/200/told', 'reply_received', 'reply_received');
  expect(webhook).toMatch(/^whk_/);
  await box.register('/200/other', 'bounced');
  await box.answered();
  await expect.poll(() => receiver.of('/200/told').length).toBe(1);
  const [{ headers, body }] = receiver.of('/200/told') as [Any];
  const [message] = (await box.messages(box.id, '?direction=inbound')).body.messages;
  const key = `${webhook}:reply_received:${message.message_id}`;
  expect(body).toEqual({
    id: expect.stringMatching(/^whd_/),
    type: 'reply_received',
    created_at: expect.any(String),
    schema_version: '1',
    idempotency_key: key,
    payload: {
      mailbox_id: box.id,
      message_id: message.message_id,
      from: 'ada@example.com',
      subject: 'Yes',
      body_text: 'Thanks',
      in_reply_to_message_id: message.in_reply_to_message_id,
      received_at: message.received_at,
    },
  });
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'svc-webhook-id': key,
    'x-svc-webhook-delivery-id': body.id,
    'x-svc-webhook-event-type': 'reply_received',
    'x-svc-webhook-idempotency-key': key,
    'x-svc-webhook-attempt': '1',
  });
  await expect
    .poll(() => box.deliveries())
    .toMatchObject([
      {
        delivery_id: body.id,
        webhook_id: webhook,
        event_type: 'reply_received',
        status: 'delivered',
        attempts: 1,
        last_status: 200,
        last_error: null,
        next_attempt_at: null,
        delivered_at: expect.any(String),
      },
    ]);
  expect(receiver.of('/200/other')).toEqual([]);
});

test('an answer other than 2xx is a failure that is tried again, eight times, and then until somebody sends it again', async () => {
  const box = await newBox();
  const webhook = await box.register('/302/moved', 'reply_received');
  await box.answered();
  await expect.poll(() => box.deliveries()).toMatchObject([{ status: 'pending', attempts: 1, last_status: 302 }]);
  const [first] = await box.deliveries();
  expect(first.last_error).toBe('The answer was 302 and leads to https://login.example.com/.');
  expect(Date.parse(first.next_attempt_at)).toBeGreaterThan(Date.parse(first.created_at) + 4_000);
  const redrive = () => box.hooks('POST', `/deliveries/${first.delivery_id}/redrive`, {});
  expect(await redrive()).toMatchObject({ status: 409, body: { code: 'WEBHOOK_DELIVERY_NOT_FAILED' } });
  for (let attempt = 2; attempt <= 8; attempt += 1) {
    await box.hasten();
    await expect.poll(async () => (await box.deliveries())[0].attempts, { timeout: 10_000 }).toBe(attempt);
  }
  expect(await box.deliveries('?status=failed_permanent')).toMatchObject([{ attempts: 8, next_attempt_at: null }]);
  expect(receiver.of('/302/moved').map(({ headers }) => headers['x-svc-webhook-attempt'])).toEqual([
    '1',
    '2',
    '3',
    '4',
    '5',
    '6',
    '7',
    '8',
  ]);
  await box.hooks('PATCH', `/${webhook}`, { url: `${receiver.url}/204/here` });
  expect(await redrive()).toMatchObject({
    status: 200,
    body: { status: 'requeued', delivery: { status: 'pending', attempts: 0, last_status: null, last_error: null } },
  });
  await expect.poll(() => receiver.of('/204/here').length, { timeout: 10_000 }).toBe(1);
  const keys = [...receiver.of('/302/moved'), ...receiver.of('/204/here')].map(({ body }) => body.idempotency_key);
  expect(new Set(keys).size).toBe(1);
});

test('webhooks are listed, changed and deleted, and their addresses lie in the public internet', async () => {
  const box = await newBox();
  const other = await newBox();
  for (const url of ['http://example.com/', 'https://a:b@example.com/', 'ftp://example.com/', 'nothing'])
    expect((await box.hooks('POST', '', { url, events: ['bounced'] })).body.code, url).toBe('VALIDATION_FAILED');
  expect((await box.hooks('POST', '', { url: 'https://example.com/', events: [] })).body.code).toBe(
    'VALIDATION_FAILED',
  );
  expect((await box.hooks('POST', '', { url: 'https://example.com/', events: ['x'] })).status).toBe(400);
  const made = await box.hooks('POST', '', { url: 'https://example.com/', events: ['bounced', 'bounced'] });
  expect(made).toMatchObject({ status: 201, body: { url: 'https://example.com/', events: ['bounced'] } });
  const id = made.body.webhook_id;
  expect((await box.hooks('GET', `/${id}`)).body).toEqual(made.body);
  expect((await box.hooks('PATCH', `/${id}`, { events: ['delivery'] })).body.events).toEqual(['delivery']);
  expect((await box.hooks('PATCH', `/${id}`, {})).body.code).toBe('VALIDATION_FAILED');
  for (const [method, body] of [['GET'], ['PATCH', { events: ['bounced'] }], ['DELETE']] as const)
    expect((await other.hooks(method, `/${id}`, body)).body.code).toBe('WEBHOOK_NOT_FOUND');
  expect((await other.hooks('POST', '/deliveries/whd_none/redrive', {})).body.code).toBe('WEBHOOK_DELIVERY_NOT_FOUND');
  const local = await box.hooks('POST', '', { url: 'http://localhost:9/', events: ['reply_received'] });
  await box.answered();
  await expect
    .poll(() => box.deliveries())
    .toMatchObject([{ status: 'pending', last_status: null, last_error: expect.stringMatching(/https/) }]);
  expect((await box.hooks('DELETE', `/${local.body.webhook_id}`)).body).toEqual({
    status: 'deleted',
    webhook_id: local.body.webhook_id,
  });
  expect(await box.deliveries()).toMatchObject([
    { status: 'failed_permanent', webhook_id: null, last_error: 'The webhook was deleted.' },
  ]);
  expect((await box.hooks('GET')).body.webhooks).toHaveLength(1);
});
