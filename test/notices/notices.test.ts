import { createHmac } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { tell } from '../events/feed.ts';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { startSmtp } from '../helpers/smtp-server.ts';
import { until } from '../helpers/until.ts';
import { startReceiver } from '../mailboxes/webhook-receiver.ts';
import { noticeDoor } from './notice-door.ts';

const [receiver, smtp] = await Promise.all([startReceiver(), startSmtp()]);
const service = await startService({
  env: { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, WEBHOOK_ORIGINS: receiver.url },
});
afterAll(async () => {
  await service.stop();
  await Promise.all([receiver.stop(), smtp.stop()]);
});
const { control } = service;
const { call, told } = noticeDoor(service);

const standing = {
  organization_lifecycle_state: 'frozen',
  previous_state: 'past_due',
  effective_at: '2026-03-01T00:00:00.000Z',
};
const freeze = (orgId: string) =>
  tell(service, { orgId, projectId: null, type: 'organization_frozen', payload: standing });
const payment = (orgId: string) =>
  tell(service, {
    orgId,
    projectId: null,
    type: 'platform_payment_received',
    payload: { kind: 'topup', amount_usd_micros: 5_000_000, rail: 'x402', receipt_id: 'rcp_1' },
  });

test('an event is mailed and posted once, signed, and both are found in the log', async () => {
  const ada = await told();
  const secret = await ada.webhook(`${receiver.url}/200/${ada.orgId}`);
  await freeze(ada.orgId);
  await until(async () =>
    expect((await ada.notices()).map((one) => one.delivery_status)).toEqual(['delivered', 'delivered']),
  );
  const [notice] = (await ada.notices()).filter(({ channel }) => channel === 'webhook');
  const [posted, ...more] = receiver.of(`/200/${ada.orgId}`);
  expect(more).toEqual([]);
  expect(posted!.body).toEqual({
    id: notice.id,
    type: 'organization_frozen',
    class: 'billing_critical',
    occurred_at: moment,
    project_id: null,
    organization_id: ada.orgId,
    payload: standing,
    next_actions: [expect.objectContaining({ type: 'renew_tier' })],
    is_test: false,
  });
  const [, at, digest] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(posted!.headers['svc-signature'] as string)!;
  expect(digest).toBe(
    createHmac('sha256', secret)
      .update(`${at}.${JSON.stringify(posted!.body)}`)
      .digest('hex'),
  );
  expect(notice).toEqual({
    id: expect.stringMatching(/^ntf_/),
    recipient_email: ada.email,
    kind: 'lifecycle_event',
    event_type: 'organization_frozen',
    channel: 'webhook',
    delivery_status: 'delivered',
    delivery_error: null,
    attempt_count: 1,
    is_test: false,
    related_project_id: null,
    related_organization_id: ada.orgId,
    related_wallet_address: ada.wallet.address,
    created_at: moment,
    redacted_at: null,
    payload: expect.objectContaining({ type: 'organization_frozen' }),
  });
  expect((await ada.ask('GET', `/notifications/${notice.id}`)).body).toEqual(notice);
  const mail = smtp.taken.filter(({ to }) => to.includes(ada.email)).at(-1)!;
  expect(mail.raw).toMatch(/Subject: The organization is frozen: /);
  const bob = await told();
  expectRefusal(await bob.ask('GET', `/notifications/${notice.id}`), 'RESOURCE_NOT_FOUND');
  expect(await bob.notices()).toEqual([]);
});

test('a job that runs again tells nobody again', async () => {
  const ada = await told();
  await freeze(ada.orgId);
  await until(async () => expect(await ada.notices()).toHaveLength(1));
  const [{ position }] = (await control.sql<{ position: string }>(
    'select position::text from events where org_id = $1',
    [ada.orgId],
  )) as [{ position: string }];
  await control.sql(
    `select graphile_worker.add_job('notices.tell', json_build_object('orgId', $1::text, 'position', $2::text), job_key => $1)`,
    [ada.orgId, position],
  );
  await until(async () =>
    expect(await control.sql('select from graphile_worker.jobs where key = $1', [ada.orgId])).toEqual([]),
  );
  expect(await ada.notices()).toHaveLength(1);
});

test('what has to be known is mailed to whoever wants nothing; the rest goes as it is wanted', async () => {
  const ada = await told();
  const wanted = await ada.ask('PATCH', '/notifications/preferences', {
    channels: { email: false },
    lifecycle_events: 'critical_only',
  });
  expect(wanted.body).toMatchObject({
    channels: { email: false, webhook: true },
    lifecycle_events: 'critical_only',
    security_events: 'always',
  });
  await payment(ada.orgId);
  await freeze(ada.orgId);
  await until(async () => expect((await ada.notices()).map((one) => one.event_type)).toEqual(['organization_frozen']));
  await ada.ask('PATCH', '/notifications/preferences', { lifecycle_events: 'all' });
  await payment(ada.orgId);
  const skipped = await until(async () => {
    const [found] = await ada.notices('?type=platform_payment_received');
    expect(found).toBeDefined();
    return found;
  });
  expect(skipped).toMatchObject({ delivery_status: 'skipped_disabled', attempt_count: 0 });
  expect((await ada.mails()).map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/^The organization is frozen: /),
  ]);
  expect(await ada.notices(`?since=${encodeURIComponent(new Date(Date.now() + 60_000).toISOString())}`)).toEqual([]);
  for (const body of [
    { security_events: 'off' },
    { timezone: 'Mars/Olympus' },
    { locale: '??' },
    { channels: { sms: true } },
  ])
    expectRefusal(await ada.ask('PATCH', '/notifications/preferences', body), 'VALIDATION_FAILED');
});

test('whoever has no verified address finds in the log that nobody was told', async () => {
  const { wallet, orgId } = await service.owner();
  await freeze(orgId);
  const read = async () => (await call(wallet, 'GET', '/agent/v1/notifications')).body.notifications;
  await until(async () => expect(await read()).toHaveLength(1));
  expect(await read()).toMatchObject([
    { kind: 'missing_verified_recipient', channel: 'skipped', delivery_status: 'skipped_no_recipient' },
  ]);
  const { body } = await call(wallet, 'GET', '/agent/v1/operator/status');
  expect(body).toMatchObject({
    skipped_notifications: [{ event_type: 'organization_frozen', related_organization_id: orgId }],
    operator_reachability: { reachable: false, skipped_last_90d: 1 },
  });
});

test('a webhook and its secret are changed by an operator with a passkey alone', async () => {
  const ada = await told({ passkey: false });
  const url = `${receiver.url}/200/x`;
  const preferences = (body: object) => ada.ask('PATCH', '/notifications/preferences', body);
  expectRefusal(await preferences({ webhook_url: url }), 'OPERATOR_PASSKEY_REQUIRED');
  expectRefusal(await ada.ask('POST', '/webhook-secret/rotate', {}), 'OPERATOR_PASSKEY_REQUIRED');
  // As long as nothing is posted there, it may be named.
  const contact = (webhook: string | null) => ada.ask('POST', '/contact', { name: 'Ada', webhook });
  expect((await contact(url)).status).toBe(200);
  const bind = (bound: boolean) =>
    control.sql(`update operator_contacts set passkey_bound_at = ${bound ? 'now()' : 'null'} where email = $1`, [
      ada.email,
    ]);
  await bind(true);
  const rotated = await ada.ask('POST', '/webhook-secret/rotate', {});
  expect(rotated.body).toEqual({
    webhook_signing_secret: expect.stringMatching(/^whsec_[\w-]{43}$/),
    rotated_at: moment,
    grace_window_hours: 24,
    note: expect.any(String),
  });
  await bind(false);
  expectRefusal(await contact(`${url}/else`), 'OPERATOR_PASSKEY_REQUIRED');
  expect((await contact(url)).status).toBe(200);
  expect((await ada.ask('GET', '/notifications/channels')).body).toEqual({
    email: { address: ada.email, verified: true },
    webhook: { configured: true, url, secret_configured: true },
    chat: [],
  });
  await bind(true);
  await preferences({ webhook_url: null });
  expectRefusal(await ada.ask('POST', '/webhook-secret/rotate', {}), 'RESOURCE_NOT_FOUND');
});

test('a receiver that takes nothing is tried again, given up, and in the end left alone, of which a mail tells', async () => {
  const ada = await told();
  await ada.webhook(`${receiver.url}/500/${ada.orgId}`);
  const hasten = async () => {
    await control.sql(
      `update notices set due_at = now() where channel = 'webhook' and due_at is not null and lease is null`,
    );
    await control.sql(`select graphile_worker.add_job('notices.wake')`);
  };
  for (let given = 1; given <= 5; given += 1) {
    await freeze(ada.orgId);
    await until(async () => {
      await hasten();
      const states = (await ada.notices('?type=organization_frozen')).filter(({ channel }) => channel === 'webhook');
      expect(states.filter((one) => one.delivery_status === 'failed_permanent')).toHaveLength(given);
    });
  }
  expect(receiver.of(`/500/${ada.orgId}`)).toHaveLength(25);
  const [given] = (await ada.notices('?type=organization_frozen')).filter(({ channel }) => channel === 'webhook');
  expect(given).toMatchObject({ attempt_count: 5, delivery_error: 'The answer was 500.' });
  await until(async () =>
    expect((await ada.mails()).map(({ subject }) => subject)).toContainEqual(
      expect.stringMatching(/^Notices are no longer posted/),
    ),
  );
  const { body } = await ada.ask('GET', '/notifications/preferences');
  expect(body.webhook_disabled_at).toEqual(moment);
  // Another address begins anew.
  await ada.ask('PATCH', '/notifications/preferences', { webhook_url: `${receiver.url}/200/again-${ada.orgId}` });
  await freeze(ada.orgId);
  await until(() => expect(receiver.of(`/200/again-${ada.orgId}`)).toHaveLength(1));
});

test('a test says what came of it, once a minute', async () => {
  const ada = await told();
  await ada.webhook(`${receiver.url}/200/test-${ada.orgId}`);
  const tested = await ada.ask('POST', '/notifications/test', {});
  expect(tested.body).toEqual({
    status: 'delivered',
    source_event_id: expect.stringMatching(/^evt_/),
    drained: { claimed: 2, delivered: 2, skipped: 0, failed_transient: 0, failed_permanent: 0 },
    chat: { destinations: [] },
    note: 'The mail was delivered. The webhook was delivered.',
  });
  expect(receiver.of(`/200/test-${ada.orgId}`)).toMatchObject([{ body: { type: 'project_past_due', is_test: true } }]);
  const again = await ada.ask('POST', '/notifications/test', {});
  expectRefusal(again, 'RATE_LIMITED');
  const bob = await told();
  expectRefusal(await bob.ask('POST', '/notifications/test', { event_type: 'No!' }), 'INVALID_EVENT_TYPE');
  const { wallet } = await service.owner();
  expectRefusal(
    await call(wallet, 'POST', '/agent/v1/notifications/test', { body: {} }),
    'OPERATOR_EMAIL_NOT_VERIFIED',
  );
});

test('a summary is mailed when it is due, and not where nothing happened', async () => {
  const [ada, bob] = [await told(), await told()];
  for (const one of [ada, bob]) await one.ask('PATCH', '/notifications/preferences', { digest_cadence: 'daily' });
  await ada.ask('PATCH', '/notifications/preferences', { lifecycle_events: 'off' });
  await payment(ada.orgId);
  await payment(ada.orgId);
  await control.sql(
    `update notice_preferences set digest_due_at = now() - interval '1 minute' where digest_cadence = 'daily'`,
  );
  await control.sql(`select graphile_worker.add_job('mail_digests')`);
  const [mail] = await until(async () => {
    const mails = await ada.mails();
    expect(mails).toHaveLength(1);
    return mails;
  });
  expect(mail!.subject).toMatch(/^What happened in /);
  expect(mail!.body_text).toContain('- A payment was received: 2');
  expect(await ada.notices()).toMatchObject([
    {
      kind: 'digest',
      channel: 'email',
      payload: {
        payload: { organizations: [{ organization_id: ada.orgId, events: { platform_payment_received: 2 } }] },
      },
    },
  ]);
  await until(async () =>
    expect(
      await control.sql(
        `select from notice_preferences where digest_due_at between now() and now() + interval '25 hours' and digest_cadence = 'daily'`,
      ),
    ).toHaveLength(2),
  );
  expect(await bob.mails()).toEqual([]);
});

test('it is told once that a limit comes near, once that it is reached, and anew after all was well', async () => {
  const ada = await told();
  const { admin } = service.actors;
  const limit = (calls: number) =>
    call(admin, 'POST', `/orgs/v1/admin/${ada.orgId}/limits`, { body: { limits: { api_calls: calls } } });
  await control.sql(
    `insert into project_usage (org_id, project_id, since, api_calls) select $1, $2, usage_since, 90 from orgs where id = $1
     on conflict (org_id, project_id, since) do update set api_calls = 90`,
    [ada.orgId, 'prj_deleted_since'],
  );
  const look = async () => {
    await control.sql(`select graphile_worker.add_job('watch_thresholds', job_key => 'looks')`);
    await until(async () =>
      expect(await control.sql(`select from graphile_worker.jobs where key = 'looks'`)).toEqual([]),
    );
    return (await ada.notices())
      .filter(({ kind }) => kind === 'threshold_alert')
      .map((one) => one.event_type)
      .toReversed();
  };
  for (const [calls, types] of [
    [1_000, []],
    [100, ['limit_near']],
    [100, ['limit_near']],
    [90, ['limit_near', 'limit_reached']],
    [1_000, ['limit_near', 'limit_reached']],
    [100, ['limit_near', 'limit_reached', 'limit_near']],
  ] as const) {
    expect((await limit(calls)).status).toBe(200);
    expect(await look()).toEqual(types);
  }
  const { body } = await call(ada.wallet, 'GET', '/agent/v1/operator/status');
  expect(body.active_thresholds).toMatchObject([
    { resource: 'api_calls', level: 'warn', scope_kind: 'organization', scope_id: ada.orgId },
  ]);
});

test('what a gateway had in its hands when it went is sent by the next one that starts, without anything else to wake it', async () => {
  const ada = await told();
  await ada.webhook(`${receiver.url}/200/left-${ada.orgId}`);
  await service.app.stop();
  await control.sql(
    `insert into notices (id, principal_id, fact, kind, channel, target, payload, due_at, lease)
     select 'ntf_left', principal_id, 'left', 'lifecycle_event', 'webhook', principal_id, '{}', now() + interval '1 hour', 'gone'
     from operator_contacts where email = $1`,
    [ada.email],
  );
  await service.startNode();
  await until(() => expect(receiver.of(`/200/left-${ada.orgId}`)).toHaveLength(1));
});
