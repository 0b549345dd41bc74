import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal, moment } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { startSmtp } from '../helpers/smtp-server.ts';
import { until } from '../helpers/until.ts';

const smtp = await startSmtp();
const posting = await startService({
  env: { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'svc <no-reply@example.com>' },
});
const keeping = await startService();

afterAll(async () => {
  await Promise.all([posting.stop(), keeping.stop()]);
  await smtp.stop();
});

const callPosting = documentedCalls(posting);
const call = documentedCalls(keeping);
const { admin } = keeping.actors;

const queued = {
  mail_id: expect.stringMatching(/^mail_[a-z0-9]{26}$/),
  org_id: null,
  recipient: 'ada@example.com',
  subject: 'A test mail',
  body_text: expect.any(String),
  state: 'queued',
  attempts: 0,
  last_error: null,
  created_at: moment,
  sent_at: null,
};

test('a test mail is queued with its change and reaches the mail server', async () => {
  const answer = await callPosting(posting.actors.admin, 'POST', '/mail/v1/admin/test', {
    body: { to: 'ada@example.com' },
  });
  expect(answer.status).toBe(201);
  expect(answer.body).toStrictEqual(queued);
  const listed = async () => {
    const { body } = await callPosting(posting.actors.admin, 'GET', '/mail/v1/admin/outbox');
    return body.mails.find(({ mail_id }: { mail_id: string }) => mail_id === answer.body.mail_id);
  };
  await until(async () =>
    expect(await listed()).toStrictEqual({ ...answer.body, state: 'sent', attempts: 1, sent_at: moment }),
  );
  const [mail] = smtp.taken.filter(({ to }) => to[0] === 'ada@example.com');
  expect(mail).toMatchObject({ from: 'no-reply@example.com', to: ['ada@example.com'] });
  expect(mail!.raw).toMatch(/^Subject: A test mail\r$/m);
});

test('a mail that five callers ask for under one key is sent once', async () => {
  const headers = { 'idempotency-key': 'one-mail' };
  const body = { to: 'once@example.com' };
  const answers = await Promise.all(
    Array.from({ length: 5 }, () =>
      callPosting(posting.actors.admin, 'POST', '/mail/v1/admin/test', { body, headers }),
    ),
  );
  expect(new Set(answers.map(({ body: mail }) => mail.mail_id)).size).toBe(1);
  await until(async () => {
    const { mails } = (await callPosting(posting.actors.admin, 'GET', '/mail/v1/admin/outbox')).body;
    const [mail, ...more] = mails.filter(({ recipient }: { recipient: string }) => recipient === body.to);
    expect([mail, more]).toMatchObject([{ state: 'sent', attempts: 1 }, []]);
  });
  expect(smtp.taken.filter(({ to }) => to[0] === body.to)).toHaveLength(1);
});

test('without a mail server mail stays in the outbox, where the platform admin reads it', async () => {
  const { body } = await call(admin, 'POST', '/mail/v1/admin/test', { body: { to: 'ada@example.com' } });
  // Once the job has run, nothing is left that would send it.
  await until(async () => {
    const jobs = await keeping.control.sql(`select 1 from graphile_worker.jobs where key = $1`, [body.mail_id]);
    expect(jobs).toEqual([]);
  });
  const { mails } = (await call(admin, 'GET', '/mail/v1/admin/outbox')).body;
  expect(mails).toContainEqual(body);
  expect(body).toStrictEqual(queued);
  const [event] = await keeping.control.sql('select action from audit_events where object_id = $1', [body.mail_id]);
  expect(event).toEqual({ action: 'mail.test_sent' });
});

test('the outbox is paged newest first, the same over REST and GraphQL', async () => {
  for (let n = 0; n < 5; n++) {
    await call(admin, 'POST', '/mail/v1/admin/test', { body: { to: `n${n}@example.com` } });
  }
  const newest = await keeping.control.sql<{ id: string }>(
    'select id from mail_outbox order by created_at desc, id desc limit 5',
  );
  const first = (await call(admin, 'GET', '/mail/v1/admin/outbox?limit=2')).body;
  const second = (await call(admin, 'GET', `/mail/v1/admin/outbox?limit=3&after=${first.next_cursor}`)).body;
  const ids = [...first.mails, ...second.mails].map(({ mail_id }: { mail_id: string }) => mail_id);
  expect(ids).toEqual(newest.map(({ id }) => id));
  const graph = await keeping.graphql(
    admin,
    '{ outboxMails(first: 5) { edges { node { id state recipient subject lastError sentAt } } } }',
  );
  expect(graph.data.outboxMails.edges).toEqual(
    [...first.mails, ...second.mails].map((mail) => ({
      node: {
        id: `OutboxMail_${mail.mail_id}`,
        state: 'QUEUED',
        recipient: mail.recipient,
        subject: mail.subject,
        lastError: null,
        sentAt: null,
      },
    })),
  );
});

test.each<[string, unknown]>([
  ['nobody', {}],
  ['no address', { to: 'ada' }],
  ['two addresses', { to: 'ada@example.com, eve@example.com' }],
  ['an address with a line break', { to: 'ada@example.com\r\nBcc: eve@example.com' }],
  ['an address of 255 characters', { to: `${'a'.repeat(243)}@example.com` }],
])('mail to %s is refused and not queued', async (_case, body) => {
  const count = async () => (await keeping.control.sql('select 1 from mail_outbox')).length;
  const before = await count();
  expectRefusal(await call(admin, 'POST', '/mail/v1/admin/test', { body }), 'VALIDATION_FAILED', { field: 'to' });
  expect(await count()).toBe(before);
});

test('the outbox is the platform admin’s alone', async () => {
  const { wallet } = await keeping.owner();
  for (const [method, path, body] of [
    ['POST', '/mail/v1/admin/test', { to: 'ada@example.com' }],
    ['GET', '/mail/v1/admin/outbox', undefined],
  ] as const) {
    expectRefusal(await call(wallet, method, path, { body }), 'ADMIN_REQUIRED');
    expectRefusal(await call(keeping.actors.nobody, method, path, { body }), 'AUTH_REQUIRED');
  }
});
