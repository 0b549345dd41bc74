import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { until } from '../helpers/until.ts';
import { mailOf } from '../mailboxes/mail-sender.ts';
import { newEmail } from './auth-project.ts';
import { letter, platformSender, startSignInMailStage } from './sign-in-mail-stage.ts';

const stage = await startSignInMailStage();
afterAll(() => stage.stop());
const { outside, home, outboxOf } = stage;

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
