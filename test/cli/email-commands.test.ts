import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { startSmtp } from '../helpers/smtp-server.ts';
import { mailOf, mailSender } from '../mailboxes/mail-sender.ts';
import { startReceiver } from '../mailboxes/webhook-receiver.ts';
import { terminalOfOwner } from './own-project.ts';

const [smtp, receiver] = await Promise.all([startSmtp(), startReceiver()]);
const service = await startService({
  env: { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_LISTEN: '127.0.0.1:0', WEBHOOK_ORIGINS: receiver.url },
});
const [ada, eve] = [await terminalOfOwner(service), await terminalOfOwner(service)];
afterAll(async () => {
  await Promise.all([ada.remove(), eve.remove()]);
  await service.stop();
  await Promise.all([smtp.stop(), receiver.stop()]);
});
const outside = mailSender(service.app.mailPort!);
const email = (...words: string[]) => ada.svc('email', ...words);

let box: { readonly mailbox_id: string; readonly address: string };
beforeAll(async () => {
  box = (await email('create', 'hello-there')).json;
});
const taken = (id: string) => smtp.taken.find(({ raw }) => raw.includes(id));
/** Has a stranger write to the mailbox about a subject. @returns the message that has come in */
async function written(subject: string) {
  const raw = mailOf('From: Bob <bob@example.com>', `Subject: ${subject}`, '', 'Thank you.', '');
  expect(await outside.raw({ from: 'bob@example.com', to: box.address }, raw)).toMatch(/^250/);
  const find = async () =>
    (await email('list', '--direction', 'inbound')).json.messages.find(
      (one: { subject: string }) => one.subject === subject,
    );
  await expect.poll(find).toBeDefined();
  return { ...(await find()), raw } as { message_id: string; raw: string };
}

test('a mailbox is made once, sends what names none, and is told of in full', async () => {
  expect(box).toMatchObject({ address: expect.stringMatching(/^hello-there@/), is_default_outbound: true });
  expect((await email('create', 'hello-there')).error.code).toBe('SLUG_ALREADY_IN_USE');
  expect((await email('create', 'no-reply')).error.code).toBe('VALIDATION_FAILED');
  expect((await email('info')).json).toMatchObject({ mailbox_id: box.mailbox_id, can_send: true, can_receive: true });
  expect((await email('info', '--mailbox', 'hello-there')).json.mailbox_id).toBe(box.mailbox_id);
  expect((await eve.svc('email', 'info')).error.code).toBe('MAILBOX_NOT_FOUND');
  expect((await eve.svc('email', 'info', '--mailbox', box.mailbox_id)).error.code).toBe('MAILBOX_NOT_FOUND');
  expect((await email('mailboxes', '--human')).stdout).toContain(box.address);
  expect((await eve.svc('email', 'mailboxes', '--human')).stdout).toContain('No mailboxes.');
});

test('a mail is sent with its files, and comes out as it was written', async () => {
  await Promise.all([ada.file('hello.html', '<p>Héllo</p>'), ada.file('report.txt', 'a report of canaries')]);
  const files = ['--html', '@hello.html', '--text', 'Hello', '--attach', 'report.txt'];
  const { json } = await email('send', 'bob@example.com', '--subject', 'Your report', ...files);
  expect(json).toMatchObject({ message_id: expect.stringMatching(/^msg_/), to: 'bob@example.com' });
  await expect.poll(() => taken(json.message_id)).toBeDefined();
  const { raw, to } = taken(json.message_id)!;
  expect(to).toEqual(['bob@example.com']);
  expect(raw).toMatch(/filename="?report\.txt/);
  expect(raw).toContain(Buffer.from('a report of canaries').toString('base64'));
  await expect.poll(async () => (await email('get', json.message_id)).json.status).toBe('sent');
  const [listed] = (await email('list', '--direction', 'outbound')).json.messages;
  expect(listed).toMatchObject({ message_id: json.message_id, subject: 'Your report', status: 'sent' });
  const piped = await ada.with({}, '<p>From a pipe</p>')(
    'email',
    'send',
    'bob@example.com',
    '--subject',
    'Piped',
    '--html',
    '-',
  );
  await expect.poll(() => taken(piped.json.message_id)?.raw).toContain('From a pipe');
});

test('a mail that cannot be sent is refused before anything goes out', async () => {
  const send = (...words: string[]) => email('send', ...words);
  const before = smtp.taken.length;
  expect((await send()).error.code).toBe('BAD_USAGE');
  expect((await send('bob', '--subject', 'x', '--html', 'x')).error).toMatchObject({ http: 400 });
  expect((await send('bob@example.com', '--subject', 'x')).error).toMatchObject({ http: 400 });
  const absent = ['bob@example.com', '--subject', 'x', '--html', 'x', '--attach', 'absent.pdf'];
  expect((await send(...absent)).error.code).toBe('FILE_NOT_FOUND');
  expect((await send('bob@example.com', '--subject', 'x', '--html', '@absent.html')).error.code).toBe('FILE_NOT_FOUND');
  const bare = ['email', 'send', 'bob@example.com', '--subject', 'x', '--html', 'x'];
  expect((await eve.svc(...bare)).error.code).toBe('DEFAULT_MAILBOX_REQUIRED');
  expect((await eve.svc(...bare, '--mailbox', box.mailbox_id)).error.code).toBe('MAILBOX_NOT_FOUND');
  expect(smtp.taken.length).toBe(before);
});

test('what comes in is listed, written into a file byte for byte, and answered in its thread', async () => {
  const inbound = await written('A question');
  expect((await email('get', inbound.message_id)).json).toMatchObject({
    direction: 'inbound',
    from_address: 'bob@example.com',
    subject: 'A question',
  });
  const saved = await email('get-raw', inbound.message_id);
  const bytes = await readFile(join(ada.checkout, `${inbound.message_id}.eml`), 'utf8');
  expect(bytes).toContain('Subject: A question\r\n');
  expect(saved.json).toEqual({
    message_id: inbound.message_id,
    output: `${inbound.message_id}.eml`,
    size_bytes: Buffer.byteLength(bytes),
  });
  const answered = await email('reply', inbound.message_id, '--text', 'You are welcome.', '--html', '<p>Welcome</p>');
  await expect.poll(() => taken(answered.json.message_id)).toBeDefined();
  const { raw, to } = taken(answered.json.message_id)!;
  expect(to).toEqual(['bob@example.com']);
  expect(raw).toMatch(/^Subject: Re: A question\r?$/m);
  expect((await email('reply', answered.json.message_id, '--html', 'x')).error).toMatchObject({
    code: 'BAD_USAGE',
    field: 'message_id',
  });
  expect((await email('reply', 'msg_absent', '--html', 'x')).error.http).toBe(404);
  expect((await eve.svc('email', 'get-raw', inbound.message_id, '--mailbox', box.mailbox_id)).error.http).toBe(404);
});

test('a webhook of the mailbox is told of an answer, redriven, changed and taken away', async () => {
  const hooks = (...words: string[]) => email('webhooks', ...words);
  const url = `${receiver.url}/500/mail`;
  const { webhook_id: id } = (await hooks('register', url, '--events', 'reply_received')).json;
  expect((await hooks('list')).json.webhooks).toMatchObject([{ webhook_id: id, url, events: ['reply_received'] }]);
  expect((await hooks('register', url, '--events', 'sunshine')).error.code).toBe('VALIDATION_FAILED');
  await written('To be told of');
  const deliveries = async () => (await hooks('deliveries')).json.deliveries;
  await expect.poll(deliveries).toMatchObject([{ event_type: 'reply_received', last_status: 500 }]);
  expect(receiver.of('/500/mail')).toHaveLength(1);
  const [delivery] = await deliveries();

  const better = `${receiver.url}/200/mail`;
  expect((await hooks('update', id, '--url', better)).json).toMatchObject({ webhook_id: id, url: better });
  expect((await hooks('get', id)).json.url).toBe(better);
  await service.control.sql(
    `update mailbox_webhook_deliveries set status = 'failed_permanent', due_at = null where id = $1`,
    [delivery.delivery_id],
  );
  expect((await hooks('redrive', delivery.delivery_id)).code).toBe(0);
  await expect.poll(() => receiver.of('/200/mail').length).toBe(1);
  expect((await hooks('delete', id)).error.code).toBe('CONFIRMATION_REQUIRED');
  expect((await hooks('delete', id, '--confirm')).code).toBe(0);
  expect((await hooks('list')).json.webhooks).toEqual([]);
  expect((await eve.svc('email', 'webhooks', 'list', '--mailbox', box.mailbox_id)).error.http).toBe(404);
});

test('of several mailboxes one has to be named, and the default is chosen or none', async () => {
  const second = (await email('create', 'second-box')).json.mailbox_id;
  expect((await email('list')).error).toMatchObject({ code: 'AMBIGUOUS_MAILBOX' });
  expect((await email('defaults', '--outbound', 'second-box', '--auth-sender', 'none')).json).toMatchObject({
    mailbox_settings: { default_outbound_mailbox_id: second, auth_sender_mailbox_id: null },
  });
  await email('defaults', '--outbound', 'none');
  const send = () => email('send', 'bob@example.com', '--subject', 'x', '--html', 'x');
  expect((await send()).error.code).toBe('DEFAULT_MAILBOX_REQUIRED');
  expect((await email('delete', 'second-box')).error.code).toBe('CONFIRMATION_REQUIRED');
  expect((await email('delete', 'second-box', '--confirm')).json).toMatchObject({
    status: 'deleted',
    mailbox_id: second,
  });
  expect((await email('mailboxes')).json.mailboxes).toMatchObject([{ mailbox_id: box.mailbox_id }]);
});
