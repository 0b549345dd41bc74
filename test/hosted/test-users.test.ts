import { afterAll, expect, test } from 'vitest';
import { claimsOf } from '../auth/auth-project.ts';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { hostedProject } from './hosted-project.ts';

const service = await sharedService();
const project = await hostedProject(service);
const other = await hostedProject(service);
afterAll(async () => {
  await project.end();
  await other.end();
  await service.stop();
});

const { auth, serviceKey: key } = project;
const ask = (what: string, body: object) => auth('POST', `/auth/v1/test-${what}`, { body, key });

test('a label is a user of the project, made once however many ask at once', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask('users', { label: 'ada' })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect(answers.filter(({ body }) => body.created)).toHaveLength(1);
  expect(answers[0]!.body).toMatchObject({
    label: 'ada',
    email: expect.stringMatching(/^ada@p-[0-9a-f]{12}\.test\.invalid$/),
    is_admin: false,
    is_test: true,
    created_at: moment,
  });
  const elsewhere = await other.auth('POST', '/auth/v1/test-users', { body: { label: 'ada' }, key: other.serviceKey });
  expect(elsewhere.body.id).not.toBe(answers[0]!.body.id);
  expect((await ask('users', { label: 'ada', is_admin: true })).body.is_admin).toBe(true);
  expect((await ask('users', { label: 'ada' })).body.is_admin).toBe(true);
});

test('a session for tests says so in its token, and lasts two hours whatever refreshes it', async () => {
  const { status, body } = await ask('sessions', { label: 'grace', is_admin: true });
  expect([status, body.label, body.is_test, body.session_expires_at]).toEqual([201, 'grace', true, moment]);
  const claims = claimsOf(body.access_token);
  expect(claims).toMatchObject({ is_test: true, amr: ['test'], aal: 'aal1', role: 'project_admin' });
  const refreshed = await project.refresh(body.refresh_token);
  expect(claimsOf(refreshed.body.access_token).is_test).toBe(true);
  const [row] = await project.sql<{ same: boolean; hard: boolean }>(
    `select expires_at = created_at + interval '2 hours' as same, hard_expires_at = expires_at as hard
     from auth.sessions where id = '${claims.session_id}'`,
  );
  expect(row).toEqual({ same: true, hard: true });
  expect((await auth('GET', '/auth/v1/user', { bearer: body.access_token })).body.email).toBe(body.user.email);
});

test('mail to a test’s user is not sent, and is read by its label; nobody else’s is', async () => {
  const { email } = (await ask('users', { label: 'mary' })).body;
  expect((await ask('emails', { label: 'mary' })).body).toEqual({ email, emails: [] });
  await auth('POST', '/auth/v1/magic-link', {
    body: { email, delivery: 'both', redirect_url: 'http://localhost:3000/in' },
  });
  const mails = () => ask('emails', { label: 'mary' });
  await expect.poll(async () => (await mails()).body.emails.length).toBe(1);
  const [mail] = (await mails()).body.emails;
  expect(mail).toMatchObject({ code: expect.stringMatching(/^\d{6}$/), created_at: moment });
  expect(mail.link).toBe(`http://localhost:3000/in?token=${mail.token}`);
  const signedIn = await auth('POST', '/auth/v1/token?grant_type=magic_link', { body: { token: mail.token } });
  expect(claimsOf(signedIn.body.access_token).is_test).toBe(true);
  const [row] = await service.control.sql<{ state: string; jobs: number }>(
    `select state, (select count(*)::int from graphile_worker.jobs where key = m.id) as jobs
     from mail_outbox m where recipient = $1`,
    [email],
  );
  expect(row).toEqual({ state: 'queued', jobs: 0 });
  const elsewhere = await other.auth('POST', '/auth/v1/test-emails', {
    body: { label: 'mary' },
    key: other.serviceKey,
  });
  expect(elsewhere.body.emails).toEqual([]);
});

test('who signed up with the very address is no test’s user', async () => {
  const { email } = (await ask('users', { label: 'probe' })).body;
  const taken = email.replace('probe', 'eve');
  await auth('POST', '/auth/v1/signup', { body: { email: taken, password: 'secret' } });
  for (const what of ['users', 'sessions'])
    expectRefusal(await ask(what, { label: 'eve', is_admin: true }), 'EMAIL_ALREADY_REGISTERED');
});

test.each(['', '-a', 'A', 'a b', 'ａ', 'é', 'a_b', 'x'.repeat(33), 7, null, undefined])(
  '%j is no label',
  async (label) => {
    for (const what of ['users', 'sessions', 'emails'])
      expectRefusal(await ask(what, { label }), 'VALIDATION_FAILED', { field: 'label' });
  },
);

test('they are for the service key of the project', async () => {
  const { access_token } = await project.signedIn();
  for (const what of ['users', 'sessions', 'emails']) {
    const path = `/auth/v1/test-${what}`;
    const body = { label: 'ada' };
    expectRefusal(await auth('POST', path, { body }), 'FORBIDDEN');
    expectRefusal(await auth('POST', path, { body, bearer: access_token }), 'FORBIDDEN');
    expectRefusal(await service.call(service.actors.nobody, 'POST', path, { body }), 'AUTH_REQUIRED');
    // On the project's own host there are none of them.
    expectRefusal(await project.at('POST', path, { json: body, headers: { apikey: key } }), 'ROUTE_NOT_FOUND');
  }
});
