import { createHash } from 'node:crypto';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { expectNoSecretLogged, newEmail } from '../auth/auth-project.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { csrfOf, hostedProject } from './hosted-project.ts';

const service = await sharedService();
const project = await hostedProject(service);
const { at, origin } = project;
afterAll(async () => {
  expectNoSecretLogged(service);
  await project.end();
  await service.stop();
});

beforeEach(() => project.settings(`public_signup = 'open', allow_password_set = false`));

const security = (cookie: string | undefined) => at('GET', '/auth/account/security', { cookie });

test('a form signs in, leads on by 303 and sets the cookie; of its secret a hash alone is kept', async () => {
  const { email, password } = await project.user();
  const form = { email: ` ${email.toUpperCase()} `, password, returnTo: '/notes?x=1#y' };
  const answer = await at('POST', '/auth/sign-in', { form });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/notes?x=1#y']);
  expect((await security(answer.cookie)).status).toBe(200);
  const [, , secret] = answer.cookie!.split('.');
  const sha = createHash('sha256').update(secret!).digest('hex');
  const [row] = await project.sql<{ all: string }>(
    `select s::text as all from auth.sessions s where secret_hash = '${sha}'`,
  );
  expect(row!.all).not.toContain(secret);
  const tokens = await project.sql(
    `select from auth.refresh_tokens t join auth.sessions s on s.id = t.session_id where s.secret_hash = '${sha}'`,
  );
  expect(tokens).toEqual([]);
});

test('JSON signs in with 200 and says where to go in both spellings', async () => {
  const { email, password } = await project.user();
  const answer = await at('POST', '/auth/sign-in', { json: { email, password, return_to: '/x' } });
  expect([answer.status, answer.body]).toEqual([200, { ok: true, redirect_to: '/x', redirectTo: '/x' }]);
  expect((await security(answer.cookie)).body).toMatchObject({ has_svc_password: true });
});

test('a wrong password is refused to JSON, and to a form by its page, and sets no cookie', async () => {
  const { email } = await project.user();
  const wrong = { email, password: 'wrong one' };
  for (const given of [{ json: wrong }, { form: wrong }]) {
    const answer = await at('POST', '/auth/sign-in', given);
    expectRefusal(answer, 'SVC_AUTH_INVALID_CREDENTIALS');
    expect(answer.cookie).toBeUndefined();
  }
  const page = await at('POST', '/auth/sign-in', { form: { ...wrong, returnTo: '/back' }, page: true });
  expect([page.status, page.headers.get('x-svc-error-code')]).toEqual([401, 'SVC_AUTH_INVALID_CREDENTIALS']);
  expect(page.text).toContain('role="alert"');
  expect(page.text).toContain(`value="${email}"`);
  expect(page.text).toContain('name="returnTo" value="/back"');
  expect(page.text).not.toContain('wrong one');
  const unknown = await at('POST', '/auth/sign-in', { json: { ...wrong, email: newEmail() } });
  expectRefusal(unknown, 'SVC_AUTH_INVALID_CREDENTIALS');
});

test('a sign-up makes a user and signs it in; a password has at least eight characters there', async () => {
  const email = newEmail();
  for (const password of ['1234567', '12345']) {
    const short = await at('POST', '/auth/sign-up', { json: { email, password } });
    expectRefusal(short, 'VALIDATION_FAILED', { field: 'password' });
    expect(short.text.match(/at least \d+ characters/g)).toEqual(['at least 8 characters']);
  }
  const made = await at('POST', '/auth/sign-up', { form: { email, password: '12345678', returnTo: '/hello' } });
  expect([made.status, made.headers.get('location')]).toEqual([303, '/hello']);
  expect((await security(made.cookie)).status).toBe(200);
  expectRefusal(
    await at('POST', '/auth/sign-up', { json: { email, password: '12345678' } }),
    'EMAIL_ALREADY_REGISTERED',
  );
  for (const policy of ['invite_only', 'known_email']) {
    await project.settings(`public_signup = '${policy}'`);
    const closed = await at('POST', '/auth/sign-up', { json: { email: newEmail(), password: '12345678' } });
    expectRefusal(closed, 'FORBIDDEN');
    expect((await at('GET', '/auth/sign-up', { page: true })).text).not.toContain('<form');
  }
});

test('signing in again ends the session whose cookie is replaced', async () => {
  const { email, password, cookie } = await project.visitor();
  const again = await at('POST', '/auth/sign-in', { json: { email, password }, cookie });
  expect(again.status).toBe(200);
  expectRefusal(await security(cookie), 'SVC_AUTH_SESSION_INVALID');
  expect((await security(again.cookie)).status).toBe(200);
});

test('signing out ends the session and clears the cookie, by form with its token and by JSON', async () => {
  for (const kind of ['form', 'json'] as const) {
    const { cookie, csrf } = await project.visitor();
    const given = kind === 'form' ? { form: { _csrf: csrf, returnTo: '/bye' } } : { json: { returnTo: '/bye' } };
    const out = await at('POST', '/auth/sign-out', { ...given, cookie });
    expect([out.status, out.cookie]).toEqual([kind === 'form' ? 303 : 200, '']);
    expect(kind === 'form' ? out.headers.get('location') : out.body.redirect_to).toBe('/bye');
    expectRefusal(await security(cookie), 'SVC_AUTH_SESSION_INVALID');
  }
  // Nobody's session ends as well.
  expect((await at('POST', '/auth/sign-out', { form: {} })).status).toBe(303);
});

test('sessions/end needs neither a key nor a token, and answers alike twice', async () => {
  const { cookie } = await project.visitor();
  const foreign = await at('POST', '/auth/v1/sessions/end', { cookie, origin: 'https://evil.example' });
  expectRefusal(foreign, 'SVC_AUTH_CSRF_ORIGIN_MISMATCH');
  for (let time = 0; time < 2; time += 1) {
    const ended = await at('POST', '/auth/v1/sessions/end', { cookie });
    expect([ended.status, ended.body, ended.cookie]).toEqual([200, { ok: true }, '']);
  }
  expectRefusal(await security(cookie), 'SVC_AUTH_SESSION_INVALID');
});

test('proving oneself again renews auth_time and the cookie; the cookie and the forms of before are void', async () => {
  const { email, password, cookie, csrf } = await project.visitor();
  await project.sql(`update auth.sessions set auth_time = now() - interval '1 hour'
    where user_id = (select id from auth.users where email = '${email}')`);
  const change = { new_password: 'another one' };
  const stale = await at('POST', '/auth/account/password', { json: change, cookie });
  expectRefusal(stale, 'SVC_AUTH_FRESHNESS_REQUIRED');
  const led = await at('GET', '/auth/re-auth', { cookie, page: true });
  const form = /name="_csrf" value="(\w+)"/.exec(led.text)![1]!;
  // It is of the session's own time of sign-in.
  expect(form).not.toBe(csrf);
  const wrong = await at('POST', '/auth/re-auth', { form: { _csrf: form, password: 'wrong one' }, cookie });
  expectRefusal(wrong, 'SVC_AUTH_INVALID_CREDENTIALS');
  const other = await at('POST', '/auth/re-auth', { json: { email: newEmail(), password }, cookie });
  expectRefusal(other, 'SVC_AUTH_INVALID_CREDENTIALS');
  const fresh = await at('POST', '/auth/re-auth', { form: { _csrf: form, password, returnTo: '/x' }, cookie });
  expect([fresh.status, fresh.headers.get('location')]).toEqual([303, '/x']);
  expectRefusal(await security(cookie), 'SVC_AUTH_SESSION_INVALID');
  expectRefusal(
    await at('POST', '/auth/sign-out', { form: { _csrf: form }, cookie: fresh.cookie }),
    'SVC_AUTH_CSRF_TOKEN_MISMATCH',
  );
  const changed = await at('POST', '/auth/account/password', { json: change, cookie: fresh.cookie });
  expect([changed.status, changed.body]).toEqual([200, { ok: true, sessions_revoked: 0 }]);
});

test('a mail’s link leads to a page of the host that signs in once, and opening it uses nothing up', async () => {
  const email = newEmail();
  const sent = await at('POST', '/auth/magic-link/send', { json: { email, return_to: '/home?a=b' } });
  expect([sent.status, sent.body]).toEqual([200, { message: expect.any(String) }]);
  const { text, token } = await project.mailTo(email);
  const link = new URL(/^http\S+$/m.exec(text)![0]);
  expect(link.origin).toBe(origin);
  for (let time = 0; time < 2; time += 1) {
    const page = await at('GET', link.pathname + link.search, { page: true });
    expect(page.status).toBe(200);
    expect(page.text).toContain(`name="token" value="${token}"`);
    expect(page.text).toContain('name="returnTo" value="/home?a=b"');
  }
  const form = { token: token!, returnTo: '/home?a=b' };
  const answer = await at('POST', '/auth/magic-link/confirm', { form });
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/home?a=b']);
  expect((await security(answer.cookie)).body.has_svc_password).toBe(false);
  const again = await at('POST', '/auth/magic-link/confirm', { form, page: true });
  expect([again.status, again.headers.get('x-svc-error-code')]).toEqual([401, 'SVC_AUTH_INVALID_CREDENTIALS']);
});

async function sendCode(email = newEmail(), delivery = 'code') {
  const { body } = await at('POST', '/auth/magic-link/send', { json: { email, delivery, returnTo: '/in' } });
  const { code } = await project.mailTo(email);
  const challenge_id: string = body.challenge_id;
  return { email, challenge_id, code: code!, wrong: code === '000000' ? '000001' : '000000' };
}
const confirm = (json: object) => at('POST', '/auth/email-code/confirm', { json });

test('a code signs in once and leads to where the mail was asked for, by JSON and by form', async () => {
  const { challenge_id, code } = await sendCode();
  const answer = await confirm({ challenge_id, code });
  expect([answer.status, answer.body]).toEqual([200, { ok: true, redirect_to: '/in' }]);
  expect((await security(answer.cookie)).status).toBe(200);
  expectRefusal(await confirm({ challenge_id, code }), 'SVC_AUTH_CHALLENGE_ENDED');
  const { challenge_id: other, code: right } = await sendCode();
  const form = await at('POST', '/auth/email-code/confirm', { form: { challenge_id: other, code: right } });
  expect([form.status, form.headers.get('location')]).toEqual([303, '/in']);
});

test('wrong codes say how many tries are left, the fifth burns the challenge, and further fields are refused', async () => {
  const { challenge_id, code, wrong } = await sendCode(newEmail(), 'both');
  expectRefusal(await confirm({ challenge_id, code, returnTo: '/x' }), 'VALIDATION_FAILED', { field: 'returnTo' });
  const foreign = await at('POST', '/auth/email-code/confirm', { json: { challenge_id, code }, origin: 'null' });
  expectRefusal(foreign, 'SVC_AUTH_CSRF_ORIGIN_MISMATCH');
  for (const left of [4, 3, 2, 1])
    expectRefusal(await confirm({ challenge_id, code: wrong }), 'SVC_AUTH_INVALID_CREDENTIALS', {
      attempts_left: left,
    });
  expectRefusal(await confirm({ challenge_id, code: wrong }), 'SVC_AUTH_CHALLENGE_ENDED');
  const over = await confirm({ challenge_id, code });
  expectRefusal(over, 'SVC_AUTH_CHALLENGE_ENDED');
  expect(over.status).toBe(410);
});

test('where strangers are not taken in, codes tell nobody whose address is known', async () => {
  const known = await project.user();
  await project.settings(`public_signup = 'invite_only'`);
  const answers = [];
  for (const email of [known.email, newEmail()]) {
    const { body } = await at('POST', '/auth/magic-link/send', { json: { email, delivery: 'code' } });
    const tries = [];
    for (let time = 0; time < 6; time += 1) {
      const { status, body: said } = await confirm({ challenge_id: body.challenge_id, code: '000000' });
      tries.push([status, said.code, said.message, said.details]);
    }
    answers.push([body.message, tries]);
  }
  expect(answers[1]).toEqual(answers[0]);
});

test('thirty codes may be entered from one network in a quarter of an hour, and one more uses up no try', async () => {
  await project.sql('delete from auth.throttles');
  const { challenge_id, code, wrong } = await sendCode();
  const nothing = { challenge_id: '00000000-0000-4000-8000-000000000000', code: wrong };
  const answers = await Promise.all(Array.from({ length: 30 }, () => confirm(nothing)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([410]));
  const refused = await confirm({ challenge_id, code: wrong });
  expectRefusal(refused, 'RATE_LIMITED');
  expect(refused.headers.get('retry-after')).toBe(String(refused.body.retry_after));
  const [row] = await project.sql(`select attempts from auth.challenges where id = '${challenge_id}'`);
  expect(row).toEqual({ attempts: 0 });
  await project.sql('delete from auth.throttles');
  expect((await confirm({ challenge_id, code })).status).toBe(200);
});

test('of twenty who answer with one code or link at once, one gets a cookie', async () => {
  const { challenge_id, code } = await sendCode();
  const answers = await Promise.all(Array.from({ length: 20 }, () => confirm({ challenge_id, code })));
  expect(answers.filter(({ cookie }) => cookie !== undefined && cookie !== '')).toHaveLength(1);
  await project.sql('delete from auth.throttles');
});

test('a user without a password proves itself again by a code that its page mails', async () => {
  await project.sql('delete from auth.throttles');
  const { email, cookie } = await project.visitor();
  await project.sql(`update auth.users set password_hash = null where email = '${email}'`);
  const page = await at('GET', '/auth/re-auth?returnTo=/x', { cookie, page: true });
  expect(page.text).not.toContain('name="password"');
  expect(page.text).toContain('name="send" value="code"');
  const form = { _csrf: csrfOf(page), returnTo: '/x' };
  const asked = await at('POST', '/auth/re-auth', { form: { ...form, send: 'code' }, cookie, page: true });
  const challenge_id = /name="challenge_id" value="([0-9a-f-]{36})"/.exec(asked.text)![1]!;
  const { code } = await project.mailTo(email);
  const wrong = code === '000000' ? '000001' : '000000';
  const again = await at('POST', '/auth/re-auth', {
    form: { ...form, challenge_id, code: wrong },
    cookie,
    page: true,
  });
  expect([again.status, again.text.includes(challenge_id)]).toEqual([401, true]);
  const fresh = await at('POST', '/auth/re-auth', { form: { ...form, challenge_id, code: code! }, cookie, page: true });
  expect([fresh.status, fresh.headers.get('location')]).toEqual([303, '/x']);
  expect((await security(fresh.cookie)).status).toBe(200);
});

test('the page offers first what the project prefers', async () => {
  const first = async () =>
    /<form method="post" action="([^"]+)"/.exec((await at('GET', '/auth/sign-in', { page: true })).text)![1];
  expect(await first()).toBe('/auth/sign-in');
  await project.settings(`preferred_sign_in_method = 'magic_link'`);
  expect(await first()).toBe('/auth/magic-link/send');
  await project.settings('preferred_sign_in_method = null');
});

test('who is not signed in is asked to sign in, wherever the form wants to go on to', async () => {
  const given = { returnTo: 'https://evil.example' };
  expectRefusal(await at('POST', '/auth/re-auth', { json: given }), 'SVC_AUTH_REQUIRED');
  const led = await at('POST', '/auth/re-auth', { form: given, page: true });
  expect([led.status, led.headers.get('location')]).toEqual([303, '/auth/sign-in?returnTo=%2Fauth%2Faccount']);
});

test('a code proves a signed-in user again, but not another’s', async () => {
  const { email, cookie } = await project.visitor();
  const foreign = await sendCode();
  const tried = { challenge_id: foreign.challenge_id, code: foreign.code };
  expectRefusal(await at('POST', '/auth/re-auth', { json: tried, cookie }), 'SVC_AUTH_INVALID_CREDENTIALS');
  expect((await confirm(tried)).status).toBe(200);
  const { challenge_id, code } = await sendCode(email);
  const fresh = await at('POST', '/auth/re-auth', { json: { challenge_id, code }, cookie });
  expect(fresh.status).toBe(200);
  expect((await security(fresh.cookie)).status).toBe(200);
});
