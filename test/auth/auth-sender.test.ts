import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { until } from '../helpers/until.ts';
import { bothWays, recordOf, signatureOf, startMailStage } from '../hosts/mail-stage.ts';
import { mailOf } from '../mailboxes/mail-sender.ts';
import { newEmail } from './auth-project.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const refusal = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });
/** Addresses that the mail server does not take yet. */
const later = new Set<string>();
/** Domains that the mail server takes no mail from. */
const foreign = new Set<string>();

const stage = await startMailStage({
  onMailFrom: ({ address }, _session, done) =>
    done(foreign.has(address.split('@')[1]!) ? refusal(553, '5.7.1 Not your address.') : null),
  onRcptTo: ({ address }, _session, done) => {
    if (address.startsWith('gone')) done(refusal(550, '5.1.1 No such user.'));
    else done(later.delete(address) ? refusal(450, '4.2.1 Come again.') : null);
  },
});
afterAll(() => stage.stop());
const { service, smtp, outside, dns } = stage;
const platformSender = 'no-reply@apps.example.net';

/** A project whose mailbox `hello-there` sends the mails of sign-in. */
async function home(slug = 'hello-there') {
  const owner = await stage.owner();
  const { mail, anonKey, projectId } = owner;
  const { mailbox_id: id, address } = (await mail.create(slug)).body;
  await mail.defaults({ auth_sender_mailbox_id: id });
  const auth = (path: string, body: object) =>
    service.call<Any>(service.actors.apikey(anonKey), 'POST', `/auth/v1/${path}`, { body });
  const ask = async (email: string) => {
    const body = { email, delivery: 'both', redirect_url: 'http://localhost:3000/' };
    expect((await auth('magic-link', body)).status).toBe(200);
  };
  /** Asks for a mail, and reads it where it has arrived. */
  const mailed = async (email: string) => {
    const arrived = () => smtp.taken.filter(({ to, raw }) => to.includes(email) && raw.includes('token'));
    const known = arrived().length;
    await ask(email);
    await until(() => expect(arrived()).toHaveLength(known + 1));
    const { raw, from } = arrived().at(-1)!;
    return { ...read(raw), from, raw };
  };
  const rename = (name: string) =>
    service.control.sql('update projects set name = $1 where id = $2', [name, projectId]);
  return { ...owner, id, address, auth, ask, mailed, rename };
}

/** What a person sees of a mail. */
function read(raw: string) {
  const head = raw.split('\r\n\r\n')[0]!.replaceAll(/\r\n[ \t]+/g, ' ');
  const text = raw
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return {
    text,
    sender: /^From: (.*)\r?$/m.exec(head)![1]!,
    mailId: /^Message-ID: <([^>]+)>/m.exec(head)![1]!,
    token: /[?&]token=([\w-]+)/.exec(text)![1]!,
    code: /^\d{6}(?=\r?$)/m.exec(text)![0],
  };
}

const outboxOf = (email: string) =>
  service.control.sql<{ id: string; state: string; attempts: number; last_error: string | null; body_text: string }>(
    'select id, state, attempts, last_error, body_text from mail_outbox where recipient = $1',
    [email],
  );

const bounce = (recipient: string, status: string) =>
  mailOf(
    'From: Mail Delivery System <mailer-daemon@example.com>',
    'Subject: Undelivered Mail Returned to Sender',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    '',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.com',
    '',
    `Final-Recipient: rfc822; ${recipient}`,
    'Action: failed',
    `Status: ${status}`,
    '',
    '--b--',
    '',
  );

const complaint = (mailId: string) =>
  mailOf(
    'From: <fbl@example.com>',
    'Subject: Abuse report',
    'Content-Type: multipart/report; report-type=feedback-report; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'Somebody did not want this.',
    '--b',
    'Content-Type: message/feedback-report',
    '',
    'Feedback-Type: abuse',
    'User-Agent: example/1',
    'Version: 1',
    '',
    '--b',
    'Content-Type: message/rfc822',
    '',
    `Message-ID: <${mailId}>`,
    'Subject: Sign in',
    '',
    'x',
    '--b--',
    '',
  );

const letter = (to: string) => ({ to, subject: 'Your export', html: '<p>Ready.</p>' });

test('mails of sign-in come from the mailbox chosen for them, in the name of the project, and sign in', async () => {
  const { mail, id, address, mailed, auth, rename } = await home();
  await rename('Söhne <ada@bank.example> & "Co"');
  const email = newEmail();
  const { sender, from, token, mailId, text, raw } = await mailed(email);
  expect(sender).toMatch(new RegExp(`<${address}>$`));
  expect(sender).not.toContain('bank.example>');
  expect(from).toMatch(new RegExp(`^bounces\\+mail_\\w{26}\\.[0-9a-f]{20}@${address.split('@')[1]}$`));
  expect(mailId).toMatch(new RegExp(`^mail_\\w{26}@${address.split('@')[1]}$`));
  expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  expect(text).toContain('An application on apps.example.net sent this mail.');
  expect((await auth('token?grant_type=magic_link', { token })).status).toBe(200);
  expect((await mail.get(id)).body).toMatchObject({ is_auth_sender: true, sends_today: 0, unique_recipients: 0 });
});

test.each([
  ['invite', 'You are invited to'],
  ['recovery', 'Recover your account of'],
])('so does the mail of the intent %s', async (intent, subject) => {
  const { address, anonKey, serviceKey, auth } = await home();
  const email = newEmail();
  await auth('signup', { email, password: 'a password of nobody' });
  const { status } = await service.call(service.actors.nobody, 'POST', '/auth/v1/magic-link', {
    body: { email, intent, redirect_url: 'http://localhost:3000/' },
    headers: { apikey: anonKey, authorization: `Bearer ${serviceKey}` },
  });
  expect(status).toBe(200);
  const { raw } = await stage.mailTo(email);
  expect(raw).toContain(`Subject: ${subject} `);
  expect(raw).toMatch(new RegExp(`^From: .*<${address}>\\r$`, 'm'));
});

test('what signs somebody in is shown by no mailbox, and kept nowhere', async () => {
  const { mail, id, mailed, wallet, projectId } = await home();
  const email = newEmail();
  const { token, code } = await mailed(email);
  expect((await mail.messages(id)).body.messages).toEqual([]);
  const mailId = (await outboxOf(email))[0]!.id;
  for (const actor of [wallet, service.actors.wallet()])
    expect((await service.graphql(actor, `{ node(id: "OutboxMail_${mailId}") { id } }`)).data?.node ?? null).toBeNull();
  await until(async () => {
    const [kept] = await outboxOf(email);
    expect(kept!.state).toBe('sent');
    expect(kept!.body_text).not.toMatch(new RegExp(`${token}|^${code}$`, 'm'));
  });
  const rows = await service.control.sql(
    `select to_jsonb(m) from mailbox_messages m where project_id = $1 union all
     select to_jsonb(d) from mailbox_webhook_deliveries d where project_id = $1`,
    [projectId],
  );
  expect(rows).toEqual([]);
  expect(JSON.stringify(service.logged())).not.toContain(token);
});

test('below an own domain they are signed by it', async () => {
  const owner = await home();
  const name = 'sign-in.example';
  const domain = await stage.connect(owner, name, bothWays);
  expect(domain.status).toBe('active');
  const first = await owner.mailed(newEmail());
  expect(first.sender).toMatch(new RegExp(`<hello@${name}>$`));
  expect(first.mailId).toMatch(new RegExp(`@${name}$`));
  expect(await signatureOf(first.raw, dns)).toEqual([{ result: 'pass', domain: name, aligned: name }]);
  // Without its key there, nobody would believe it.
  dns.set(recordOf(domain, 'dkim').name, {});
  await stage.age();
  await owner.check(name);
  const later = await owner.mailed(newEmail());
  expect(later.sender).toMatch(new RegExp(`<${owner.address}>$`));
});

test('without a mailbox that can send them they come from the platform', async () => {
  const { mail, id, mailed, projectId } = await home();
  const fromPlatform = async () => {
    const { sender, from, text } = await mailed(newEmail());
    expect([sender, from]).toEqual([expect.stringContaining(platformSender), platformSender]);
    expect(text).not.toContain('sent this mail.');
  };
  // A mail that waits when the mailbox is suspended is sent as well.
  for (let n = 0; n < 3; n += 1) await mail.send(id, letter(`gone-${n}-${projectId}@example.com`));
  await until(async () => expect((await mail.get(id)).body.status).toBe('suspended'));
  await fromPlatform();
  await mail.remove(id);
  await fromPlatform();
  const next = (await mail.create('another-one')).body;
  await fromPlatform();
  await mail.defaults({ auth_sender_mailbox_id: next.mailbox_id });
  expect((await mailed(newEmail())).sender).toContain(next.address);
  await mail.defaults({ auth_sender_mailbox_id: null });
  await fromPlatform();
});

test('a server that does not take them from the mailbox gets them from the platform', async () => {
  const { mailed, address } = await home();
  foreign.add(address.split('@')[1]!);
  const { sender, from } = await mailed(newEmail());
  expect([sender, from]).toEqual([expect.stringContaining(platformSender), platformSender]);
});

test('what comes back for good keeps the mailbox from writing there, and neither stops it nor keeps anybody out', async () => {
  const { mail, id, mailed, address } = await home();
  const emails = [newEmail(), newEmail(), newEmail(), newEmail()];
  for (const email of emails) {
    const { from } = await mailed(email);
    await until(async () => expect(await outboxOf(email)).toMatchObject([{ state: 'sent' }]));
    expect(await outside.raw({ from: '', to: from.toUpperCase() }, bounce(email, '5.1.1'))).toMatch(/^250 /);
    expectRefusal(await mail.send(id, letter(email)), 'RECIPIENT_SUPPRESSED', {
      suppression_scope: 'project',
      suppression_reason: 'bounce',
    });
    expect(await outboxOf(email)).toMatchObject([{ state: 'failed', last_error: '5.1.1' }]);
  }
  expect((await mail.get(id)).body.status).toBe('active');
  const other = await home();
  expect((await other.mailed(emails[0]!)).sender).toContain(other.address);
  const { sender } = await mailed(emails[0]!);
  expect(sender).toContain(platformSender);
  // One that may still arrive changes nothing.
  const full = newEmail();
  const { from } = await mailed(full);
  expect(await outside.raw({ from: '', to: from }, bounce(full, '4.2.2'))).toMatch(/^250 /);
  expect((await mail.send(id, letter(full))).status).toBe(201);
  expect((await mailed(full)).sender).toContain(address);
});

test('whoever complains is written to by no mailbox any more, and can still sign in', async () => {
  const { mail, id, mailed } = await home();
  const other = await home();
  const email = newEmail();
  const { mailId } = await mailed(email);
  expect(
    await outside.raw({ from: 'fbl@example.com', to: 'feedback@mail.apps.example.net' }, complaint(mailId)),
  ).toMatch(/^250 /);
  for (const { mail: door, id: box } of [{ mail, id }, other])
    expectRefusal(await door.send(box, letter(email)), 'RECIPIENT_SUPPRESSED', { suppression_scope: 'global' });
  expect((await mail.get(id)).body.status).toBe('active');
  expect((await other.mailed(email)).sender).toContain(platformSender);
});

test('an address that there is none of is tried once, and written to no more', async () => {
  const { mail, id, ask } = await home();
  const email = `gone-${newEmail()}`;
  await ask(email);
  await until(async () => expect(await outboxOf(email)).toMatchObject([{ state: 'failed', attempts: 1 }]));
  const [kept] = await outboxOf(email);
  expect(kept!.body_text).not.toMatch(/token=svcl_|^\d{6}$/m);
  expectRefusal(await mail.send(id, letter(email)), 'RECIPIENT_SUPPRESSED', { suppression_reason: 'bounce' });
});

test('an answer to such a mail, which quotes it, is not taken', async () => {
  const { mail, id, mailed, address } = await home();
  const email = newEmail();
  await mail.send(id, letter(email));
  await stage.mailTo(email);
  const { mailId, from, token } = await mailed(email);
  const answer = (...more: string[]) =>
    mailOf(`From: <${email}>`, `To: <${address}>`, 'Subject: Re', ...more, '', 'Hm.', `> token=${token}`, '');
  for (const more of [[`In-Reply-To: <${mailId}>`], [`References: <${mailId}> <other@example.com>`]])
    expect(await outside.raw({ from: email, to: address }, answer(...more))).toMatch(/^550 /);
  // A notice of absence goes to where mails come back.
  expect(
    await outside.raw({ from: '', to: from }, answer('Auto-Submitted: auto-replied', `In-Reply-To: <${mailId}>`)),
  ).toMatch(/^550 /);
  expect((await mail.messages(id, '?direction=inbound')).body.messages).toEqual([]);
  // Any other one is.
  expect(await outside.raw({ from: email, to: address }, answer('X-Other: 1'))).toMatch(/^250 /);
});

test('a return path of such a mail cannot be made up', async () => {
  const { mail, id, mailed, address } = await home();
  const email = newEmail();
  const { from } = await mailed(email);
  const [, name, mac] = /^bounces\+(\w+)\.(\w+)@/.exec(from)!;
  const domain = address.split('@')[1]!;
  for (const local of [`${name}.${'0'.repeat(20)}`, `${name!.slice(5)}.${mac}`, `mail_${'0'.repeat(26)}.${mac}`])
    expect(await outside.raw({ from: '', to: `bounces+${local}@${domain}` }, bounce(email, '5.1.1'))).toMatch(
      /^550 5\.1\.1/,
    );
  expect((await mail.send(id, letter(email))).status).toBe(201);
});

test('the mails of the day of an organization are not spent by sign-in, nor does it wait for them', async () => {
  const { mail, id, mailed, address } = await home();
  let refused: Any;
  for (let n = 0; n < 60 && refused === undefined; n += 1) {
    const answer = await mail.send(id, letter('ada@example.com'));
    if (answer.status !== 201) refused = answer;
  }
  expectRefusal(refused, 'QUOTA_EXCEEDED');
  expect((await mailed(newEmail())).sender).toContain(address);
});

test('a mail that the mail server does not take yet comes from the mailbox the next time, under the same name', async () => {
  const { mailed, address } = await home();
  const email = newEmail();
  later.add(email);
  const { sender, mailId } = await mailed(email);
  const [kept] = await outboxOf(email);
  expect([kept!.attempts, mailId.split('@')[0]]).toEqual([2, kept!.id]);
  expect(sender).toContain(address);
});
