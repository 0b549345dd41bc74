import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { until } from '../helpers/until.ts';
import { bothWays, recordOf, signatureOf } from '../hosts/mail-stage.ts';
import { newEmail } from './auth-project.ts';
import { letter, platformSender, startSignInMailStage } from './sign-in-mail-stage.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const stage = await startSignInMailStage();
afterAll(() => stage.stop());
const { service, dns, home, outboxOf, later, foreign } = stage;

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
