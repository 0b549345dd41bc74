import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { startSmtp } from '../helpers/smtp-server.ts';
import { mailDoor } from './mail-door.ts';
import { mailOf, mailSender } from './mail-sender.ts';

const smtp = await startSmtp({
  onRcptTo: ({ address }, _session, done) =>
    done(address.startsWith('gone') ? Object.assign(new Error('5.1.1 No such user.'), { responseCode: 550 }) : null),
});
const service = await startService({
  env: { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_LISTEN: '127.0.0.1:0' },
});
afterAll(async () => {
  await service.stop();
  await smtp.stop();
});
const { control } = service;
const port = service.app.mailPort!;
const outside = mailSender(port);

async function newBox(slug = 'hello-there') {
  const project = await service.project();
  const door = mailDoor(service, project.serviceKey);
  const { mailbox_id: id, address } = (await door.create(slug)).body;
  const inbound = async () => (await door.messages(id, '?direction=inbound')).body.messages;
  return { ...project, ...door, id, address, inbound };
}
type Box = Awaited<ReturnType<typeof newBox>>;

let people = 0;

/** Has a mailbox write to somebody, and waits until it has arrived there. */
async function written(box: Box, to = `Ada.${++people}@Example.com`) {
  const { body } = await box.send(box.id, { to, subject: 'Your export', html: '<p>Ready.</p>' });
  const id: string = body.message_id;
  await expect.poll(() => smtp.taken.find(({ raw }) => raw.includes(id)) !== undefined).toBe(true);
  await expect.poll(async () => (await box.message(box.id, id)).body.status).toBe('sent');
  const mail = smtp.taken.find(({ raw }) => raw.includes(id))!;
  const mailId = /^Message-ID: <([^>]+)>/m.exec(mail.raw)![1]!;
  return { id, to, mailId, returnPath: mail.from };
}

const delivery = (action: string, status: string, recipient: string, mailId: string) =>
  mailOf(
    'From: Mail Delivery System <mailer-daemon@example.com>',
    'Subject: Undelivered Mail Returned to Sender',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'It did not work.',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.com',
    '',
    `Final-Recipient: rfc822; ${recipient}`,
    `Action: ${action}`,
    `Status: ${status}`,
    ...(status === '5.1.1' ? ['Diagnostic-Code: smtp; 550 5.1.1 No such', ' user here'] : []),
    '',
    '--b',
    'Content-Type: text/rfc822-headers',
    '',
    `Message-ID: <${mailId}>`,
    '',
    '--b--',
    '',
  );

test('an answer is kept under the mail that it answers, byte for byte, once, and no other mail is taken', async () => {
  const box = await newBox();
  expect((await box.get(box.id)).body).toMatchObject({ can_receive: true, receive_blocked_reason: null });
  expect((await box.list()).body.inbound_provider_readiness).toMatchObject({ status: 'configured' });
  const sent = await written(box);
  const raw = mailOf(
    `From: "Ada" <${sent.to}>`,
    `To: ${box.address}`,
    'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
    'Message-ID: <answer@example.com>',
    `In-Reply-To: <${sent.mailId}>`,
    '',
    'On your server run:',
    '.dot',
    'Thank you.',
    '',
    'On Mon, 4 May 2026, Hello',
    `<${box.address}> wrote:`,
    '> Ready.',
    '',
  );
  const envelope = { from: sent.to, to: box.address };
  expect(await outside.raw(envelope, raw)).toMatch(/^250 /);
  // The answer was lost, so it comes again.
  expect(await outside.raw(envelope, raw)).toMatch(/^250 /);
  const messages = await box.inbound();
  expect(messages).toMatchObject([
    {
      direction: 'inbound',
      status: 'received',
      delivery_state: 'received',
      from_address: sent.to,
      from_name: 'Ada',
      to: box.address,
      subject: 'Grüße',
      in_reply_to_message_id: sent.id,
      is_automatic: false,
      authentication: { spf: 'temperror', dkim: 'none', dmarc: 'temperror' },
      received_at: expect.any(String),
      sent_at: null,
    },
  ]);
  const [{ message_id: id }] = messages;
  expect((await box.message(box.id, id)).body.body_text).toBe('On your server run:\n.dot\nThank you.');
  expect((await box.message(box.id, sent.id)).body.replies).toEqual([
    { id, from: sent.to, body: 'On your server run:\n.dot\nThank you.', received_at: expect.any(String) },
  ]);
  const bytes = await box.call('GET', `/${box.id}/messages/${id}/raw`);
  expect(bytes.status).toBe(200);
  expect(bytes.headers.get('content-type')).toBe('message/rfc822');
  expect(bytes.headers.get('content-length')).toBe(String(Buffer.byteLength(raw)));
  expect(bytes.text).toBe(raw);
  expect(await box.call('GET', `/${box.id}/messages/${sent.id}/raw`)).toMatchObject({
    status: 404,
    body: { code: 'RAW_MESSAGE_NOT_FOUND' },
  });
  // Whoever was never written to, and names nothing, gets nowhere.
  const stranger = { from: 'eve@example.com', to: box.address };
  expect(await outside.raw(stranger, mailOf('From: eve@example.com', '', 'Buy this.'))).toMatch(/^550 5\.7\.1 /);
});

test('a mailbox that is not there, or is suspended, is refused before any mail, and nothing is relayed', async () => {
  const box = await newBox();
  const mail = mailOf('From: ada@example.com', '', 'Hello');
  const to = (address: string) => outside.raw({ from: 'ada@example.com', to: address }, mail);
  expect(await to(box.address.replace('hello-there', 'nobody'))).toMatch(/^550 5\.1\.1 /);
  expect(await to('someone@nowhere.mail.localhost')).toMatch(/^550 5\.1\.1 /);
  expect(await to('someone@example.org')).toMatch(/^550 5\.7\.1 /);
  const forged = `bounces+${'0'.repeat(26)}.${'0'.repeat(20)}@${box.address.split('@')[1]}`;
  expect(await to(forged)).toMatch(/^550 5\.1\.1 /);
  await control.sql(`update mailboxes set status = 'suspended' where id = $1`, [box.id]);
  expect(await to(box.address)).toMatch(/^550 5\.7\.1 /);
  expect((await box.get(box.id)).body).toMatchObject({
    can_receive: false,
    receive_blocked_reason: 'mailbox_suspended',
  });
  await control.sql(`update mailboxes set status = 'active' where id = $1`, [box.id]);
  await box.remove(box.id);
  expect(await to(box.address)).toMatch(/^550 5\.1\.1 /);
});

test('what a program answers is kept, and is no reply', async () => {
  const box = await newBox();
  const sent = await written(box);
  const absent = (extra: string, at: string) =>
    mailOf(`From: ${sent.to}`, extra, `In-Reply-To: <${sent.mailId}>`, `X-Note: ${at}`, '', 'I am away.');
  expect(await outside.raw({ from: sent.to, to: box.address }, absent('Auto-Submitted: auto-replied', '1'))).toMatch(
    /^250/,
  );
  expect(await outside.raw({ from: sent.to, to: box.address }, absent('Precedence: bulk', '2'))).toMatch(/^250/);
  expect(await outside.raw({ from: '', to: box.address }, absent('X-A: b', '3'))).toMatch(/^250/);
  expect(await outside.raw({ from: '', to: sent.returnPath }, absent('X-A: b', '4'))).toMatch(/^250/);
  const kept = await box.inbound();
  expect(kept).toHaveLength(4);
  for (const one of kept) expect(one).toMatchObject({ is_automatic: true, in_reply_to_message_id: sent.id });
  const { body } = await box.message(box.id, sent.id);
  expect(body).toMatchObject({ status: 'sent', replies: [] });
});

test('a mail that comes back for good stops mail to that address, and three of them stop the mailbox', async () => {
  const box = await newBox();
  const [first, second] = [await written(box), await written(box)];
  const report = (sent: typeof first, action: string, status: string) =>
    outside.raw({ from: '', to: sent.returnPath }, delivery(action, status, sent.to, sent.mailId));
  // A server that is still trying tells of nothing that has happened.
  expect(await report(first, 'delayed', '4.4.1')).toMatch(/^250/);
  expect((await box.message(box.id, first.id)).body.status).toBe('sent');
  expect(await report(first, 'delivered', '2.0.0')).toMatch(/^250/);
  expect((await box.message(box.id, first.id)).body.status).toBe('delivered');
  expect(await report(first, 'failed', '4.4.7')).toMatch(/^250/);
  expect((await box.message(box.id, first.id)).body).toMatchObject({ status: 'bounced', bounce_type: 'Transient' });
  expect((await box.send(box.id, { to: first.to, subject: 'x', html: 'x' })).status).toBe(201);
  for (const _again of [1, 2]) expect(await report(second, 'failed', '5.1.1')).toMatch(/^250/);
  expect((await box.message(box.id, second.id)).body).toMatchObject({
    status: 'bounced',
    delivery_state: 'bounced',
    bounce_type: 'Permanent',
    last_error: '550 5.1.1 No such user here',
  });
  expect(await box.send(box.id, { to: second.to.toUpperCase(), subject: 'x', html: 'x' })).toMatchObject({
    status: 403,
    body: { code: 'RECIPIENT_SUPPRESSED', details: { suppression_scope: 'project', suppression_reason: 'bounce' } },
  });
  // A refusal when it is sent is the same, at once.
  for (const to of ['gone-1@example.com', 'gone-2@example.com']) {
    const { body } = await box.send(box.id, { to, subject: 'x', html: 'x' });
    await expect.poll(async () => (await box.message(box.id, body.message_id)).body.status).toBe('bounced');
  }
  expect((await box.get(box.id)).body).toMatchObject({ status: 'suspended', can_send: false });
  await expect.poll(() => suspendedEvents(box), { timeout: 10_000 }).toHaveLength(1);
  expect(await suspendedEvents(box)).toMatchObject([
    { class: 'security', payload: { mailbox_id: box.id, address: box.address, reason: 'hard_bounces' } },
  ]);
});

async function suspendedEvents(box: Box): Promise<readonly object[]> {
  const { body } = await service.call<{ events: readonly object[] }>(
    service.actors.bearer(box.serviceKey),
    'GET',
    `/projects/v1/${box.projectId}/events?event_type=mailbox_suspended`,
  );
  return body.events;
}

test('a complaint stops mail to that address everywhere, and the mailbox at once', async () => {
  const box = await newBox();
  const sent = await written(box);
  const feedback = mailOf(
    'From: <feedback@example.com>',
    'Content-Type: multipart/report; report-type=feedback-report; boundary=b',
    '',
    '--b',
    'Content-Type: message/feedback-report',
    '',
    'Feedback-Type: abuse',
    'User-Agent: Example/1.0',
    'Version: 1',
    '',
    '--b',
    'Content-Type: message/rfc822',
    '',
    `Message-ID: <${sent.mailId}>`,
    '',
    'Ready.',
    '--b--',
    '',
  );
  expect(await outside.raw({ from: 'feedback@example.com', to: 'feedback@mail.localhost' }, feedback)).toMatch(/^250/);
  expect((await box.message(box.id, sent.id)).body.status).toBe('complained');
  expect((await box.get(box.id)).body).toMatchObject({ status: 'suspended', send_blocked_reason: 'mailbox_suspended' });
  const other = await newBox();
  expect((await other.send(other.id, { to: sent.to, subject: 'x', html: 'x' })).body).toMatchObject({
    code: 'RECIPIENT_SUPPRESSED',
    details: { suppression_scope: 'global', suppression_reason: 'complaint' },
  });
});
