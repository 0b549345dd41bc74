import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { until } from '../helpers/until.ts';
import { authProject, type CallOptions, claimsOf, expectNoSecretLogged, newEmail } from './auth-project.ts';

const service = await sharedService();
const project = await authProject(service);
afterAll(async () => {
  expectNoSecretLogged(service);
  await project.end();
  await service.stop();
});

beforeEach(async () => {
  await project.settings(`public_signup = 'open', allow_password_set = false`);
  await project.sql('delete from auth.throttles');
});

const { auth } = project;
const redirect_url = 'http://localhost:3000/welcome?a=b';
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();
const twenty = <Result>(run: (at: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: 20 }, (_one, at) => run(at)));
const oneOf20 = [200, ...Array.from({ length: 19 }, () => 401)];

const ask = (body: object, options: CallOptions = {}) =>
  auth('POST', '/auth/v1/magic-link', { body: { redirect_url, ...body }, ...options });
const byLink = (token: string) => auth('POST', '/auth/v1/token?grant_type=magic_link', { body: { token } });
const byCode = (challenge_id: string, code: string) =>
  auth('POST', '/auth/v1/token', { body: { grant_type: 'email_code', challenge_id, code } });
const wrong = (code: string) => (code === '000000' ? '111111' : '000000');

test('a link signs a first-time address in, once however many try at once, and verifies it', async () => {
  const email = newEmail();
  const asked = await ask({ email, client_state: { page: 7 } });
  expect([asked.status, asked.body]).toEqual([200, { message: expect.any(String) }]);
  const { token, code, text } = await project.mailTo(email);
  expect(code).toBeUndefined();
  expect(text).toContain(`http://localhost:3000/welcome?a=b&token=${token}`);
  const answers = await twenty(() => byLink(token!));
  expect(statuses(answers)).toEqual(oneOf20);
  const { body } = answers.find(({ status }) => status === 200)!;
  expect(body.user).toMatchObject({ email, email_verified_at: expect.any(String) });
  expect(body.magic_link).toEqual({
    intent: 'signin',
    client_state: '{"page":7}',
    state_source: 'anonymous',
    state_trusted: false,
    delivery: 'link',
    verified_with: 'link',
  });
  expect(claimsOf(body.access_token)).toMatchObject({ amr: ['magic_link'], aal: 'aal1' });
});

test('a code signs in once however many try at once', async () => {
  const email = newEmail();
  const asked = await ask({ email, delivery: 'code', redirect_url: undefined });
  const { code, token } = await project.mailTo(email);
  expect([token, code]).toEqual([undefined, expect.stringMatching(/^\d{6}$/)]);
  const answers = await Promise.all(Array.from({ length: 20 }, () => byCode(asked.body.challenge_id, code!)));
  expect(statuses(answers)).toEqual(oneOf20);
  expect(claimsOf(answers.find(({ status }) => status === 200)!.body.access_token).amr).toEqual(['email_code']);
});

test('a mail with both holds one challenge: either burns the other', async () => {
  for (const first of ['link', 'code'] as const) {
    const email = newEmail();
    const { challenge_id } = (await ask({ email, delivery: 'both' })).body;
    const { token, code } = await project.mailTo(email);
    const ways = { link: () => byLink(token!), code: () => byCode(challenge_id, code!) };
    expect((await ways[first]()).status).toBe(200);
    for (const way of Object.values(ways)) expectRefusal(await way(), 'INVALID_AUTH');
  }
  const email = newEmail();
  const { challenge_id } = (await ask({ email, delivery: 'both' })).body;
  const { token, code } = await project.mailTo(email);
  expect(statuses(await twenty((at) => (at % 2 === 0 ? byLink(token!) : byCode(challenge_id, code!))))).toEqual(
    oneOf20,
  );
});

test('five wrong codes burn a challenge, in parallel as in a row', async () => {
  const email = newEmail();
  const { challenge_id } = (await ask({ email, delivery: 'both' })).body;
  const { code } = await project.mailTo(email);
  for (let time = 0; time < 4; time += 1) expectRefusal(await byCode(challenge_id, wrong(code!)), 'INVALID_AUTH');
  expect((await byCode(challenge_id, code!)).status).toBe(200);

  const again = newEmail();
  const second = (await ask({ email: again, delivery: 'code' })).body.challenge_id;
  const mail = await project.mailTo(again);
  expect(new Set(statuses(await twenty(() => byCode(second, wrong(mail.code!)))))).toEqual(new Set([401]));
  expectRefusal(await byCode(second, mail.code!), 'INVALID_AUTH');
  const [row] = await project.sql<{ attempts: number }>(`select attempts from auth.challenges where id = '${second}'`);
  expect(row!.attempts).toBe(5);
});

test('link and code are good for 15 minutes, and a code only for its own challenge', async () => {
  const email = newEmail();
  const { challenge_id } = (await ask({ email, delivery: 'both' })).body;
  const { token, code } = await project.mailTo(email);
  const [row] = await project.sql<{ minutes: number }>(
    `select extract(epoch from expires_at - created_at)::float / 60 as minutes from auth.challenges where id = '${challenge_id}'`,
  );
  expect(row!.minutes).toBe(15);
  expectRefusal(await byCode(randomUUID(), code!), 'INVALID_AUTH');
  await project.sql(`update auth.challenges set expires_at = now() where id = '${challenge_id}'`);
  expectRefusal(await byLink(token!), 'INVALID_AUTH');
  expectRefusal(await byCode(challenge_id, code!), 'INVALID_AUTH');
});

test.each([
  ['an unknown grant', { grant_type: 'device' }, 'grant_type'],
  ['no grant', {}, 'grant_type'],
  ['no token', { grant_type: 'magic_link' }, 'token'],
  ['a challenge that is no UUID', { grant_type: 'email_code', challenge_id: 'x', code: '123456' }, 'challenge_id'],
  ['five digits', { grant_type: 'email_code', challenge_id: randomUUID(), code: '12345' }, 'code'],
  ['digits of another script', { grant_type: 'email_code', challenge_id: randomUUID(), code: '１２３４５６' }, 'code'],
  ['both at once', { grant_type: 'email_code', challenge_id: randomUUID(), code: '123456', token: 'x' }, 'code'],
  ['a link with a code', { grant_type: 'magic_link', code: '123456', token: 'x' }, 'code'],
  ['no verifier', { grant_type: 'authorization_code', code: 'x' }, 'code_verifier'],
  ['no refresh token', { grant_type: 'refresh_token' }, 'refresh_token'],
])('the token path refuses %s by name', async (_name, body, field) => {
  expectRefusal(await auth('POST', '/auth/v1/token', { body }), 'VALIDATION_FAILED', { field });
});

test.each([
  'https://evil.example/',
  'http://localhost.evil.example/',
  'http://localhost@evil.example/',
  'https://localhost:3000/',
  'http://user:secret@localhost/',
  'javascript:alert(1)',
  '//localhost/',
  'http://p-.localhost/',
])('a link never leads to %s', async (url) => {
  expectRefusal(await ask({ email: newEmail(), redirect_url: url }), 'VALIDATION_FAILED', { field: 'redirect_url' });
});

test('a link leads to any port of localhost and to the host of the project, not of another', async () => {
  const [own] = await service.control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
    project.projectId,
  ]);
  for (const url of ['http://localhost/', 'http://localhost:1/x', `http://p-${own!.public_id}.localhost:4000/x`])
    expect((await ask({ email: newEmail(), redirect_url: url })).status).toBe(200);
  const foreign = `http://p-${own!.public_id.slice(1)}.localhost/`;
  expectRefusal(await ask({ email: newEmail(), redirect_url: foreign }), 'VALIDATION_FAILED');
  expectRefusal(await ask({ email: newEmail(), redirect_url: undefined }), 'VALIDATION_FAILED', {
    field: 'redirect_url',
  });
});

test('a client state is bounded, and given back as it came', async () => {
  const email = newEmail();
  expectRefusal(await ask({ email, client_state: 'x'.repeat(2047) }), 'VALIDATION_FAILED', { field: 'client_state' });
  const client_state = 'x'.repeat(2046);
  await ask({ email, client_state }, { bearer: project.serviceKey });
  const { body } = await byLink((await project.mailTo(email)).token!);
  expect(body.magic_link).toMatchObject({ client_state, state_source: 'service_key', state_trusted: true });
});

test('five mails go to an address in an hour and thirty from a project, counted in parallel', async () => {
  const email = newEmail();
  expect(statuses(await twenty(() => ask({ email, delivery: 'code' })))).toEqual([
    ...Array.from({ length: 5 }, () => 200),
    ...Array.from({ length: 15 }, () => 429),
  ]);
  await project.mailTo(email, 5);
  const answers = [
    ...(await twenty(() => ask({ email: newEmail() }))),
    ...(await twenty(() => ask({ email: newEmail() }))),
  ];
  expect(statuses(answers)).toEqual([
    ...Array.from({ length: 25 }, () => 200),
    ...Array.from({ length: 15 }, () => 429),
  ]);
  expectRefusal(answers.find(({ status }) => status === 429)!, 'RATE_LIMITED');
});

test('where nobody new is taken in the answer is the same, and no mail goes to a stranger', async () => {
  const { email: known } = await project.user();
  const stranger = newEmail();
  for (const policy of ['invite_only', 'known_email']) {
    await project.settings(`public_signup = '${policy}'`);
    const [a, b] = [await ask({ email: stranger }), await ask({ email: known, intent: 'recovery' })];
    expect([a.status, a.body]).toEqual([b.status, b.body]);
  }
  await project.mailTo(known, 2);
  await until(async () =>
    expect(await service.control.sql(`select from graphile_worker.jobs where task_identifier = 'auth.mail'`)).toEqual(
      [],
    ),
  );
  const mails = await service.control.sql('select from mail_outbox where recipient = $1', [stranger]);
  expect(mails).toEqual([]);
});

test('a link that was sent before sign-up was closed makes no user', async () => {
  const email = newEmail();
  await ask({ email });
  const { token } = await project.mailTo(email);
  await project.settings(`public_signup = 'invite_only'`);
  expectRefusal(await byLink(token!), 'FORBIDDEN');
  expect(await project.sql(`select from auth.users where email = '${email}'`)).toEqual([]);
});

test('an address that somebody took with a password unproven is not merged, but can be recovered', async () => {
  const { email, password } = await project.user();
  await ask({ email });
  const merged = await byLink((await project.mailTo(email)).token!);
  expect([merged.status, merged.body.code, merged.body.error]).toEqual([
    409,
    'account_exists_requires_link',
    'account_exists_requires_link',
  ]);
  const old = await project.signIn(email, password);
  await ask({ email, intent: 'recovery' });
  const session = (await byLink((await project.mailTo(email, 2)).token!)).body;
  expect(session.user.email_verified_at).not.toBeNull();
  const reset = await auth('POST', '/auth/v1/user/password', {
    bearer: session.access_token,
    body: { new_password: 'a newer password' },
  });
  expect(reset.status).toBe(200);
  expectRefusal(await project.refresh(old.body.refresh_token), 'INVALID_AUTH');
  expect((await project.signIn(email, 'a newer password')).status).toBe(200);
  // Proven now, so that a link signs in.
  await ask({ email });
  const late = (await byLink((await project.mailTo(email, 3)).token!)).body;
  await project.sql(`update auth.sessions set auth_time = now() - interval '16 minutes'`);
  const tooLate = { bearer: late.access_token, body: { new_password: 'yet another' } };
  expectRefusal(await auth('POST', '/auth/v1/user/password', tooLate), 'INVALID_AUTH');
});

test('who has no password sets a first one only where the project lets them', async () => {
  const email = newEmail();
  await ask({ email });
  const { access_token: bearer } = (await byLink((await project.mailTo(email)).token!)).body;
  const body = { new_password: 'a first one' };
  for (const path of ['/auth/v1/user/password', '/auth/v1/account/password'])
    expectRefusal(await auth('POST', path, { bearer, body }), 'FORBIDDEN');
  await project.settings('allow_password_set = true');
  expect((await auth('POST', '/auth/v1/user/password', { bearer, body })).status).toBe(200);
  expect((await project.signIn(email, 'a first one')).status).toBe(200);
});

test('only the service key invites', async () => {
  const email = newEmail();
  expectRefusal(await ask({ email, intent: 'invite' }), 'FORBIDDEN');
  expect((await ask({ email, intent: 'invite' }, { bearer: project.serviceKey })).status).toBe(200);
  expect((await project.mailTo(email)).subject).toMatch(/^You are invited to /);
});

test('neither a token nor a code is kept as it is', async () => {
  const email = newEmail();
  const { challenge_id } = (await ask({ email, delivery: 'both' })).body;
  const { token, code } = await project.mailTo(email);
  const session = await project.signedIn();
  const kept = await project.sql(`select to_jsonb(c) as row from auth.challenges c where id = '${challenge_id}'
    union all select to_jsonb(r) from auth.refresh_tokens r union all select to_jsonb(s) from auth.sessions s`);
  const jobs = await service.control.sql('select to_jsonb(j) as row from graphile_worker._private_jobs j');
  const text = JSON.stringify([kept, jobs]);
  for (const secret of [token!, session.refresh_token, session.password]) expect(text).not.toContain(secret);
  expect(text).not.toContain(`"${code}"`);
});
