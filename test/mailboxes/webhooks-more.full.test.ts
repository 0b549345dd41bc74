import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { startSmtp } from '../helpers/smtp-server.ts';
import { mailDoor } from './mail-door.ts';
import { mailOf, mailSender } from './mail-sender.ts';
import { startReceiver } from './webhook-receiver.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const receiver = await startReceiver();
const smtp = await startSmtp();
const service = await startService({
  env: {
    MAIL_LISTEN: '127.0.0.1:0',
    WEBHOOK_ORIGINS: receiver.url,
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
  },
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
  await smtp.stop();
});
const outside = mailSender(service.app.mailPort!);

async function newBox(path: string, ...events: readonly string[]) {
  const project = await service.project();
  const door = mailDoor(service, project.serviceKey);
  const { mailbox_id: id, address } = (await door.create('hello-there')).body;
  await door.call('POST', `/${id}/webhooks`, { url: `${receiver.url}${path}`, events });
  const written = async (to: string) => {
    const { body } = await door.send(id, { to, subject: 'Hello', html: 'x' });
    await expect.poll(async () => (await door.message(id, body.message_id)).body.status).toBe('sent');
    const { from, raw } = smtp.taken.find((mail) => mail.raw.includes(body.message_id))!;
    return { id: body.message_id as string, to, returnPath: from, mailId: /^Message-ID: <([^>]+)>/m.exec(raw)![1]! };
  };
  const answer = (text: string) =>
    outside.raw({ from: 'ada@example.com', to: address }, mailOf('From: ada@example.com', '', text, ''));
  return { ...project, ...door, id, address, written, answer };
}

/** What a server says of a mail: a part of a report, and its kind. */
const report = (kind: string, ...lines: readonly string[]) =>
  mailOf(
    'From: mailer-daemon@example.com',
    'Content-Type: multipart/report; boundary=b',
    '',
    '--b',
    `Content-Type: message/${kind}`,
    '',
    ...lines,
    '',
    '--b--',
    '',
  );

test('each event is told when it happens, with what happened', async () => {
  const all = ['delivery', 'bounced', 'complained', 'reply_received', 'mailbox_suspended'];
  const box = await newBox('/200/all', ...all);
  const told = (type: string): Any[] =>
    receiver.of('/200/all').flatMap(({ body }) => (body.type === type ? [body] : []));
  const [arrived, lost] = [await box.written('cy@example.com'), await box.written('bo@example.com')];
  const of = ({ to, returnPath }: typeof arrived, action: string, status: string) =>
    outside.raw(
      { from: '', to: returnPath },
      report('delivery-status', `Final-Recipient: rfc822; ${to}`, `Action: ${action}`, `Status: ${status}`),
    );
  await of(arrived, 'delivered', '2.0.0');
  await of(lost, 'failed', '4.4.7');
  await outside.raw(
    { from: 'fbl@example.com', to: arrived.returnPath },
    report('feedback-report', 'Feedback-Type: abuse'),
  );
  await expect.poll(() => receiver.of('/200/all').length, { timeout: 20_000 }).toBe(4);
  const about = ({ id, to, mailId }: typeof arrived) => ({
    mailbox_id: box.id,
    message_id: id,
    to_address: to,
    provider: 'smtp',
    provider_message_id: mailId,
  });
  expect(told('delivery')).toMatchObject([{ payload: { ...about(arrived), delivered_at: expect.any(String) } }]);
  expect(told('bounced')).toMatchObject([
    { payload: { ...about(lost), bounce_type: 'Transient', bounced_at: expect.any(String) } },
  ]);
  expect(told('complained')).toMatchObject([{ payload: { ...about(arrived), complained_at: expect.any(String) } }]);
  expect(told('mailbox_suspended')).toMatchObject([
    { payload: { mailbox_id: box.id, address: box.address, reason: 'complaint', suspended_at: expect.any(String) } },
  ]);
  expect(told('delivery')[0].idempotency_key).toMatch(new RegExp(`^whk_\\w+:delivery:${arrived.mailId}$`));
});

test('what a program answers is told to nobody', async () => {
  const box = await newBox('/200/automatic', 'reply_received');
  const { to } = await box.written('ada@example.com');
  const away = mailOf(`From: ${to}`, 'Auto-Submitted: auto-replied', '', 'I am away.', '');
  expect(await outside.raw({ from: to, to: box.address }, away)).toMatch(/^250/);
  await box.answer('I am here.');
  await expect.poll(() => receiver.of('/200/automatic').length).toBe(1);
  expect(receiver.of('/200/automatic')[0]!.body.payload.body_text).toBe('I am here.');
});

test('a project whose receiver never answers delays no other project', async () => {
  const slow = await newBox('/hang', 'reply_received');
  const quick = await newBox('/200/quick', 'reply_received');
  await slow.written('ada@example.com');
  await quick.written('ada@example.com');
  for (let at = 0; at < 30; at += 1) await slow.answer(`Answer ${at}`);
  await expect.poll(() => receiver.of('/hang').length).toBeGreaterThan(0);
  await quick.answer('Quick');
  await expect.poll(() => receiver.of('/200/quick').length).toBe(1);
  // Of 30 that are due, a node has three at a time.
  expect(receiver.of('/hang').length).toBeLessThan(30);
  const { deliveries } = (await slow.call('GET', `/${slow.id}/webhooks/deliveries?status=in_flight`)).body;
  expect(deliveries.length).toBeLessThanOrEqual(3);
  await expect
    .poll(
      async () =>
        (await slow.call('GET', `/${slow.id}/webhooks/deliveries?limit=200`)).body.deliveries.find(
          (one: Any) => one.attempts > 0,
        ),
      { timeout: 30_000 },
    )
    .toMatchObject({ last_status: null, last_error: expect.stringContaining('The answer took too long') });
});
