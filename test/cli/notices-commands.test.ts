import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { tell } from '../events/feed.ts';
import { moment } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { startSmtp } from '../helpers/smtp-server.ts';
import { startReceiver } from '../mailboxes/webhook-receiver.ts';
import { startTelegram } from '../notices/telegram-server.ts';
import { terminalOfOwner } from './own-project.ts';

const [telegram, receiver, smtp] = await Promise.all([startTelegram(), startReceiver(), startSmtp()]);
const service = await startService({
  env: {
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    TELEGRAM_API_URL: telegram.url,
    TELEGRAM_BOT_TOKEN: telegram.token,
    WEBHOOK_ORIGINS: receiver.url,
  },
});
const [ada, eve] = [await terminalOfOwner(service), await terminalOfOwner(service)];
afterAll(async () => {
  await Promise.all([ada.remove(), eve.remove()]);
  await service.stop();
  await Promise.all([telegram.stop(), receiver.stop(), smtp.stop()]);
});
const { control } = service;

const email = `${randomUUID()}@example.com`;
const hook = `${receiver.url}/200/${randomUUID()}`;
const chat = { id: 7_001, type: 'private', title: 'Ada' };
/** What was mailed to her so far, as it came. */
const mailed = () => smtp.taken.filter(({ to }) => to.includes(email)).map(({ raw }) => raw.replaceAll('=\r\n', ''));
/** As if her passkey had been bound by the page that the mail leads to, or not yet. */
const bind = (bound: boolean) =>
  control.sql(`update operator_contacts set passkey_bound_at = ${bound ? 'now()' : 'null'} where email = $1`, [email]);
const deployed = (release: string) =>
  tell(service, {
    orgId: ada.org,
    projectId: ada.project,
    type: 'deploy_activated',
    payload: { release_id: release, operation_id: 'op_1' },
  });

test('agent status says who is told, and verify-email mails the link again, once a minute', async () => {
  expect((await ada.svc('agent', 'status')).error.code).toBe('RESOURCE_NOT_FOUND');
  await ada.svc('agent', 'contact', '--name', 'Ada');
  expect((await ada.svc('agent', 'verify-email')).error.code).toBe('OPERATOR_EMAIL_MISSING');
  await ada.svc('agent', 'contact', '--name', 'Ada', '--email', email);
  expect((await ada.svc('agent', 'status')).json).toMatchObject({
    name: 'Ada',
    email,
    email_verification_status: 'pending',
    assurance_level: 'email_pending',
  });
  expect((await ada.svc('agent', 'verify-email')).error).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
  await control.sql(`update operator_contact_challenges set created_at = created_at - interval '61 seconds'`);
  expect((await ada.svc('agent', 'verify-email')).json).toMatchObject({ email_verification_status: 'pending' });
  await expect.poll(() => mailed().length).toBe(2);
  const [, token] = /confirm\?token=(?:3D)?([\w-]{43})/.exec(mailed()[1]!)!;
  expect((await ada.svc('agent', 'confirm-email', token!)).json).toMatchObject({
    email_verification_status: 'verified',
  });
  expect((await ada.svc('agent', 'status', '--human')).stdout).toMatch(/assurance level\s+email_verified/);
  expect((await eve.svc('agent', 'confirm-email', token!)).error.code).toBe('RESOURCE_NOT_FOUND');
});

test('agent passkey enroll mails a verified address a link, and nobody else', async () => {
  await eve.svc('agent', 'contact', '--name', 'Eve', '--email', `${randomUUID()}@example.com`);
  expect((await eve.svc('agent', 'passkey', 'enroll')).error.code).toBe('OPERATOR_EMAIL_NOT_VERIFIED');
  const before = mailed().length;
  expect((await ada.svc('agent', 'passkey', 'enroll')).json).toMatchObject({ enrollment_sent_to: email });
  await expect.poll(() => mailed().length).toBe(before + 1);
  expect(mailed().at(-1)).toMatch(/https?:\/\/\S+passkey\S*/);
});

test('a webhook is set and its secret rotated with a passkey alone, and shown once', async () => {
  const set = () => ada.svc('contacts', 'preferences', 'set', `webhook_url=${hook}`);
  expect((await set()).error.code).toBe('OPERATOR_PASSKEY_REQUIRED');
  expect((await ada.svc('webhook-secret', 'rotate')).error.code).toBe('OPERATOR_PASSKEY_REQUIRED');
  await bind(true);
  expect((await ada.svc('webhook-secret', 'rotate')).error.code).toBe('RESOURCE_NOT_FOUND');
  expect((await set()).json).toMatchObject({ webhook_url: hook });
  const [first, second] = [await ada.svc('webhook-secret', 'rotate'), await ada.svc('webhook-secret', 'rotate')];
  expect(first.json).toMatchObject({ webhook_signing_secret: expect.stringMatching(/^whsec_/), rotated_at: moment });
  expect(second.json.webhook_signing_secret).not.toBe(first.json.webhook_signing_secret);
  expect((await ada.svc('contacts', 'channels')).json).toMatchObject({
    email: { address: email, verified: true },
    webhook: { configured: true, url: hook, secret_configured: true },
  });
});

test('contacts test mails and posts what is signed with the secret of now, once a minute', async () => {
  const { webhook_signing_secret: secret } = (await ada.svc('webhook-secret', 'rotate')).json;
  const { json } = await ada.svc('contacts', 'test');
  expect(json).toMatchObject({ status: 'delivered', drained: { claimed: 2, delivered: 2 } });
  const [posted, ...more] = receiver.of(new URL(hook).pathname);
  expect(more).toEqual([]);
  expect(posted!.body).toMatchObject({ type: 'project_past_due', is_test: true });
  const [, at, digest] = /t=(\d+),v1=([0-9a-f]{64})/.exec(posted!.headers['svc-signature'] as string)!;
  expect(digest).toBe(
    createHmac('sha256', secret)
      .update(`${at}.${JSON.stringify(posted!.body)}`)
      .digest('hex'),
  );
  expect((await ada.svc('contacts', 'test')).error.code).toBe('RATE_LIMITED');
  expect((await eve.svc('contacts', 'test')).error.code).toBe('OPERATOR_EMAIL_NOT_VERIFIED');
});

test('deliveries lists what came of it, and gets one of its owner’s', async () => {
  const { notifications } = (await ada.svc('deliveries', 'list', '--type', 'project_past_due')).json;
  const byChannel = notifications.toSorted((a: { channel: string }, b: { channel: string }) =>
    a.channel.localeCompare(b.channel),
  );
  expect(byChannel).toMatchObject([
    { channel: 'email', delivery_status: 'delivered', is_test: true },
    { channel: 'webhook', delivery_status: 'delivered', is_test: true },
  ]);
  const [mail] = byChannel;
  expect((await ada.svc('deliveries', 'get', mail.id)).json).toEqual(mail);
  expect((await ada.svc('deliveries', 'list', '--human')).stdout).toMatch(/project_past_due\s+webhook\s+delivered/);
  const later = new Date(Date.now() + 3_600_000).toISOString();
  expect((await ada.svc('deliveries', 'list', '--since', later)).json.notifications).toEqual([]);
  expect((await eve.svc('deliveries', 'list', '--human')).stdout).toContain('svc contacts test');
  const [foreign, absent] = [
    (await eve.svc('deliveries', 'get', mail.id)).error,
    (await eve.svc('deliveries', 'get', 'ntf_00000000000000000000000000')).error,
  ];
  expect(foreign).toMatchObject({ code: 'RESOURCE_NOT_FOUND', message: absent.message });
  expect((await ada.svc('deliveries', 'list', '--limit', '0')).error.code).toBe('BAD_USAGE');
});

test('contacts preferences shows what is told, and set changes what is named alone', async () => {
  const shown = async () => (await ada.svc('contacts', 'preferences')).json;
  const before = await shown();
  expect(before).toMatchObject({
    channels: { email: true, webhook: true },
    digest_cadence: 'weekly',
    webhook_url: hook,
  });
  const set = (...settings: string[]) => ada.svc('contacts', 'preferences', 'set', ...settings);
  const changed = {
    ...before,
    channels: { email: false, webhook: true },
    digest_cadence: 'monthly',
    digest_day_of_week: 2,
    lifecycle_events: 'critical_only',
  };
  const words = ['email=off', 'digest_cadence=monthly', 'digest_day_of_week=2', 'lifecycle_events=critical_only'];
  expect((await set(...words)).json).toEqual(changed);
  expect(await shown()).toEqual(changed);
  for (const wrong of ['email', 'email=maybe', 'colour=red'])
    expect([wrong, (await set(wrong)).error.code]).toEqual([wrong, 'BAD_USAGE']);
  for (const wrong of ['security_events=off', 'timezone=Mars/Olympus', 'digest_hour_utc=24', 'digest_cadence=yearly'])
    expect([wrong, (await set(wrong)).error]).toMatchObject([wrong, { code: 'VALIDATION_FAILED', http: 400 }]);
  expect((await set('email=on', 'digest_cadence=off', 'lifecycle_events=all')).json.channels.email).toBe(true);
});

test('subscriptions have a chat told, change and end; another’s are as absent', async () => {
  const connected = await ada.svc('contacts', 'connect', 'chat', '--label', 'mine');
  const { binding_id: binding, connect_url: link } = connected.json;
  telegram.say(`/start ${/start=([\w-]+)$/.exec(link)![1]}`, chat);
  await expect
    .poll(async () => (await ada.svc('contacts', 'channels')).json.chat)
    .toMatchObject([{ status: 'active' }]);
  expect((await ada.svc('subscriptions', 'list', '--human')).stdout).toContain('svc subscriptions add');

  const to = ['--binding', binding];
  const made = await ada.svc('subscriptions', 'add', ...to, '--project', ada.project, '--type', 'deploy_activated');
  expect(made.json).toMatchObject({
    chat_binding_id: binding,
    project_id: ada.project,
    event_types: ['deploy_activated'],
    enabled: true,
  });
  await deployed('rel_1');
  await expect.poll(() => telegram.in(chat.id)).toEqual([expect.stringMatching(/^Deploy activated: /)]);

  const update = (...words: string[]) => ada.svc('subscriptions', 'update', made.json.id, ...words);
  expect((await update('--off')).json.enabled).toBe(false);
  expect((await update('--on', '--off')).error.code).toBe('BAD_USAGE');
  const { rules } = (await ada.svc('subscriptions', 'list')).json;
  expect(rules).toMatchObject([{ id: made.json.id, enabled: false, event_types: ['deploy_activated'] }]);

  expect((await ada.svc('subscriptions', 'add')).error.code).toBe('BAD_USAGE');
  expect((await ada.svc('subscriptions', 'add', ...to, '--project', eve.project)).error.code).toBe(
    'RULE_REF_NOT_FOUND',
  );
  expect((await eve.svc('subscriptions', 'add', ...to)).error.code).toBe('OPERATOR_EMAIL_NOT_VERIFIED');
  await control.sql('update operator_contacts set email_verified_at = now(), passkey_bound_at = now()');
  expect((await eve.svc('subscriptions', 'add', ...to)).error.code).toBe('RULE_REF_NOT_FOUND');
  for (const words of [
    ['update', made.json.id, '--on'],
    ['rm', made.json.id],
  ])
    expect((await eve.svc('subscriptions', ...words)).error.code).toBe('RESOURCE_NOT_FOUND');
  expect((await ada.svc('subscriptions', 'rm', made.json.id)).json).toEqual({ deleted: true, rule_id: made.json.id });
  expect((await ada.svc('subscriptions', 'list')).json.rules).toEqual([]);
  expect((await ada.svc('contacts', 'disconnect', binding)).error.code).toBe('CONFIRMATION_REQUIRED');
  expect((await ada.svc('contacts', 'disconnect', binding, '--confirm')).json.status).toBe('revoked');
});
