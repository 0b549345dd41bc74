import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { authProject, claimsOf, expectNoSecretLogged, newEmail } from './auth-project.ts';

const service = await sharedService();
const project = await authProject(service);
afterAll(async () => {
  expectNoSecretLogged(service);
  await project.end();
  await service.stop();
});

beforeEach(() => project.settings(`public_signup = 'open', allow_password_set = false, allowed_email_domains = '{}'`));

const { auth, signIn } = project;
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();
const twenty = <Result>(run: () => Promise<Result>) => Promise.all(Array.from({ length: 20 }, run));
/** Many tries would use up what one project may ask in a minute. */
async function ownProject() {
  const own = await authProject(service);
  onTestFinished(() => own.end());
  return own;
}
const setPassword = (bearer: string, body: object, method = 'POST') =>
  auth(method, '/auth/v1/user/password', { bearer, body });

test('a password is kept as Argon2id alone, with a salt of its own', async () => {
  const [one, two] = [await project.user('the same one'), await project.user('the same one')];
  const rows = await project.sql<{ password_hash: string }>(
    `select password_hash from auth.users where id in ('${one.id}', '${two.id}')`,
  );
  for (const { password_hash } of rows) expect(password_hash).toMatch(/^\$argon2id\$v=19\$m=\d+,t=\d+,p=1\$/);
  expect(new Set(rows.map(({ password_hash }) => password_hash)).size).toBe(2);
});

test('of twenty who sign up with one address at once, one becomes a user', async () => {
  const email = newEmail();
  const answers = await twenty(() => auth('POST', '/auth/v1/signup', { body: { email, password: 'secret' } }));
  expect(statuses(answers)).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  expectRefusal(answers.find(({ status }) => status === 409)!, 'EMAIL_ALREADY_REGISTERED');
});

test.each([
  ['an address that is none', { email: 'ada', password: 'secret' }, 'email'],
  ['a Kelvin sign', { email: '\u212aate@example.com', password: 'secret' }, 'email'],
  [
    'an address of 255 characters',
    {
      email: `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(20)}.com`,
      password: 'secret',
    },
    'email',
  ],
  ['five characters', { email: 'ada@example.com', password: '12345' }, 'password'],
  ['73 bytes', { email: 'ada@example.com', password: 'x'.repeat(73) }, 'password'],
  ['73 bytes in 37 characters', { email: 'ada@example.com', password: `${'é'.repeat(36)}x` }, 'password'],
  ['a NUL', { email: 'ada@example.com', password: 'secret\0' }, 'password'],
  ['no password', { email: 'ada@example.com' }, 'password'],
  ['a password that is a number', { email: 'ada@example.com', password: 1234567 }, 'password'],
] as [string, object, string][])('sign-up refuses %s', async (_name, body, field) => {
  const answer = await auth('POST', '/auth/v1/signup', { body });
  expectRefusal(answer, 'VALIDATION_FAILED', { field });
  expect(answer.text).not.toContain('xxxxxx');
});

test('a password of 72 bytes and one of 6 characters do, and count to the last byte', async () => {
  for (const password of [`${'é'.repeat(36)}`, 'sechs!']) {
    const { email } = await project.user(password);
    expect((await signIn(email, password)).status).toBe(200);
    expectRefusal(await signIn(email, `${password.slice(0, -1)}?`), 'INVALID_AUTH');
    expectRefusal(await signIn(email, `${password}x`), 'INVALID_AUTH');
  }
});

test('only the service key makes an admin, or a user where sign-up is closed', async () => {
  const body = { email: newEmail(), password: 'secret', is_admin: true };
  expectRefusal(await auth('POST', '/auth/v1/signup', { body }), 'FORBIDDEN');
  const made = await auth('POST', '/auth/v1/signup', { body, bearer: project.serviceKey });
  expect([made.status, made.body.is_admin]).toEqual([201, true]);
  const session = await signIn(body.email, 'secret');
  expect(claimsOf(session.body.access_token).role).toBe('project_admin');
  for (const policy of ['invite_only', 'known_email']) {
    await project.settings(`public_signup = '${policy}'`);
    const closed = { email: newEmail(), password: 'secret' };
    // The same for an address that is known: it says nothing of who is a user.
    for (const email of [closed.email, body.email])
      expectRefusal(await auth('POST', '/auth/v1/signup', { body: { ...closed, email } }), 'FORBIDDEN', { policy });
    expect((await auth('POST', '/auth/v1/signup', { body: closed, key: project.serviceKey })).status).toBe(201);
  }
});

test('a wrong password and an unknown address are refused alike', async () => {
  const { email } = await project.user();
  for (const address of [email, newEmail()])
    for (const password of ['', ' ', 'x'.repeat(1024)]) expectRefusal(await signIn(address, password), 'INVALID_AUTH');
  const answers = [await signIn(email, 'wrong one'), await signIn(newEmail(), 'wrong one')];
  const [wrong, unknown] = answers.map(({ status, body: { trace_id: _trace, ...body } }) => ({ status, body }));
  expectRefusal(answers[0]!, 'INVALID_AUTH');
  expect(unknown).toEqual(wrong);
});

test('a user who only ever signed in socially is told where', async () => {
  const email = newEmail();
  await project.sql(`with u as (insert into auth.users (email) values ('${email}') returning id)
    insert into auth.identities (provider, provider_sub, user_id) select 'google', id::text, id from u`);
  const answer = await signIn(email, 'anything');
  expectRefusal(answer, 'INVALID_AUTH', { provider: 'google' });
  expect(answer.body.message).toContain('google');
});

test('ten passwords may be tried for an address in a quarter of an hour, in parallel as in a row', async () => {
  const own = await ownProject();
  for (const email of [(await own.user()).email, newEmail()]) {
    const answers = await twenty(() => own.signIn(email, 'wrong one'));
    expect(statuses(answers)).toEqual([
      ...Array.from({ length: 10 }, () => 401),
      ...Array.from({ length: 10 }, () => 429),
    ]);
    const refused = answers.find(({ status }) => status === 429)!;
    expectRefusal(refused, 'RATE_LIMITED');
    expect(refused.body.retry_after).toBeGreaterThan(800);
    expect(refused.headers.get('retry-after')).toBe(String(refused.body.retry_after));
  }
});

test('a lockout holds for the right password too, ends with its window, and a right one begins anew', async () => {
  const own = await ownProject();
  const { email, password } = await own.user();
  for (let time = 0; time < 10; time += 1) expect((await own.signIn(email, 'wrong one')).status).toBe(401);
  expectRefusal(await own.signIn(email, password), 'RATE_LIMITED');
  await own.sql('update auth.throttles set window_ends = now()');
  for (let round = 0; round < 2; round += 1) {
    for (let time = 0; time < 9; time += 1) expect((await own.signIn(email, 'wrong one')).status).toBe(401);
    expect((await own.signIn(email, password)).status).toBe(200);
  }
});

test('a password is changed by who knows it, by POST and PUT, and ends the other sessions', async () => {
  const { email, password, access_token } = await project.signedIn();
  const elsewhere = await signIn(email, password);
  const next = 'another one';
  expectRefusal(await setPassword(access_token, { new_password: next }), 'INVALID_AUTH');
  expectRefusal(await setPassword(access_token, { new_password: next, current_password: 'wrong one' }), 'INVALID_AUTH');
  expectRefusal(
    await setPassword(access_token, { new_password: '12345', current_password: password }),
    'VALIDATION_FAILED',
    {
      field: 'new_password',
    },
  );
  const changed = await setPassword(access_token, { new_password: next, current_password: password }, 'PUT');
  expect([changed.status, changed.body]).toEqual([200, { status: 'ok' }]);
  expectRefusal(await signIn(email, password), 'INVALID_AUTH');
  expect((await signIn(email, next)).status).toBe(200);
  expectRefusal(await project.refresh(elsewhere.body.refresh_token), 'INVALID_AUTH');
  expect((await auth('GET', '/auth/v1/user', { bearer: access_token })).status).toBe(200);
  expectRefusal(await auth('POST', '/auth/v1/user/password', { body: { new_password: next } }), 'AUTH_REQUIRED');
});

test('passwords tried as the present one are counted for their user, and lock nobody out of signing in', async () => {
  const { access_token, email, password } = await project.signedIn();
  const tried = await twenty(() =>
    setPassword(access_token, { new_password: 'another one', current_password: 'wrong one' }),
  );
  expect(statuses(tried)).toEqual([...Array.from({ length: 10 }, () => 401), ...Array.from({ length: 10 }, () => 429)]);
  expectRefusal(
    await setPassword(access_token, { new_password: 'another one', current_password: password }),
    'RATE_LIMITED',
  );
  expect((await signIn(email, password)).status).toBe(200);
});

test('the password of an account is set only within five minutes of signing in', async () => {
  const { email, access_token, refresh_token, password, sessionId } = await project.signedIn();
  await signIn(email, password);
  const body = { new_password: 'another one' };
  const set = (bearer: string) => auth('POST', '/auth/v1/account/password', { bearer, body });
  expect((await set(access_token)).body).toEqual({ ok: true, sessions_revoked: 1 });
  await project.sql(`update auth.sessions set auth_time = now() - interval '6 minutes' where id = '${sessionId}'`);
  // A refresh is no sign-in.
  const refreshed = await project.refresh(refresh_token);
  expectRefusal(await set(refreshed.body.access_token), 'SVC_AUTH_FRESHNESS_REQUIRED');
});

test('an account shows its means and its sessions, and ends one or all of them', async () => {
  const me = await project.signedIn();
  const { access_token: bearer } = me;
  const two = await signIn(me.email, me.password);
  const stranger = await project.signedIn();
  await project.sql(
    `insert into auth.identities (provider, provider_sub, user_id, provider_email) values ('google', '${me.id}', '${me.id}', 'g@example.com')`,
  );
  const security = await auth('GET', '/auth/v1/account/security?app_origin=http://localhost:3000', { bearer });
  const identity = { provider: 'google', provider_sub: me.id, provider_email: 'g@example.com', created_at: moment };
  expect(security.body).toEqual({
    has_svc_password: true,
    svc_passkey_count: 0,
    has_svc_passkey_for_current_rp: false,
    svc_identities: [identity],
    current_rp_id: 'localhost',
    passkey_rp_scope: 'host',
    tenant_assertions: [],
  });
  const foreign = await auth('GET', '/auth/v1/account/security?app_origin=https://evil.example', { bearer });
  expect(foreign.body).toMatchObject({ current_rp_id: null, has_svc_passkey_for_current_rp: null });
  const told = await auth('GET', '/auth/v1/user?app_origin=nonsense', { bearer });
  expect(told.body).toMatchObject({ current_rp_id: null, has_passkey_for_current_rp: null });
  expect((await auth('GET', '/auth/v1/account/identities', { bearer })).body).toEqual({ identities: [identity] });
  const unlink = (by: string) =>
    auth('POST', '/auth/v1/account/identities/unlink', { bearer: by, body: { provider: 'google', subject: me.id } });
  expect((await unlink(stranger.access_token)).body).toEqual({ ok: true, unlinked: false });
  expect((await unlink(bearer)).body).toEqual({ ok: true, unlinked: true });
  expect((await unlink(bearer)).body).toEqual({ ok: true, unlinked: false });

  const sessions = await auth('GET', '/auth/v1/account/sessions', { bearer });
  const other = claimsOf(two.body.access_token).session_id;
  expect(sessions.body.sessions.map(({ session_id }: { session_id: string }) => session_id)).toEqual([
    other,
    me.sessionId,
  ]);
  const revoke = (by: string, session_id: string) =>
    auth('POST', '/auth/v1/account/sessions/revoke', { bearer: by, body: { session_id } });
  expect((await revoke(stranger.access_token, other)).body).toEqual({ ok: true, revoked: false });
  expect((await revoke(bearer, other)).body).toEqual({ ok: true, revoked: true });
  expect((await revoke(bearer, other)).body).toEqual({ ok: true, revoked: false });
  expectRefusal(await revoke(bearer, 'x'), 'VALIDATION_FAILED', { field: 'session_id' });
  expectRefusal(await project.refresh(two.body.refresh_token), 'INVALID_AUTH');
  await signIn(me.email, me.password);
  expect((await auth('POST', '/auth/v1/account/sign-out-everywhere', { bearer })).body).toEqual({
    ok: true,
    revoked_count: 2,
  });
  expectRefusal(await auth('GET', '/auth/v1/account/sessions', { bearer }), 'INVALID_AUTH');
  expect((await auth('GET', '/auth/v1/user', { bearer: stranger.access_token })).status).toBe(200);
});

test('a change of the user that is refused for its password changes nothing else of it either', async () => {
  const { access_token, password } = await project.signedIn();
  const change = (body: object) => auth('PUT', '/auth/v1/user', { body, bearer: access_token });
  const kept = async () => (await auth('GET', '/auth/v1/user', { bearer: access_token })).body.user_metadata;
  const wanted = { data: { theme: 'dark' }, password: 'another one' };
  expectRefusal(await change(wanted), 'INVALID_AUTH');
  expectRefusal(await change({ ...wanted, current_password: 'wrong one' }), 'INVALID_AUTH');
  expectRefusal(await change({ ...wanted, nonce: '123456' }), 'INVALID_AUTH');
  expect(await kept()).toEqual({});
  expect((await change({ ...wanted, current_password: password })).status).toBe(200);
  expect(await kept()).toEqual({ theme: 'dark' });
});
