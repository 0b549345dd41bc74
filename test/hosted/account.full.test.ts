import { afterAll, expect, test } from 'vitest';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { hostedProject } from './hosted-project.ts';

const service = await startService();
const project = await hostedProject(service);
const { at } = project;
afterAll(async () => {
  await project.end();
  await service.stop();
});

const signIn = async (email: string, password: string) =>
  (await at('POST', '/auth/sign-in', { json: { email, password } })).cookie!;
const stands = async (cookie: string) => (await at('GET', '/auth/account/security', { cookie })).status === 200;

test('the account is told by the cookie as the API tells it by the token', async () => {
  const { email, password, cookie, sessionId } = await project.visitor();
  const bearer = (await project.signIn(email, password)).body.access_token;
  const app = encodeURIComponent(project.origin);
  for (const what of ['security', 'identities']) {
    const told = await at('GET', `/auth/account/${what}`, { cookie });
    expect([told.status, told.body]).toEqual([
      200,
      // Asked on the host, its own origin is meant.
      (await project.auth('GET', `/auth/v1/account/${what}?app_origin=${app}`, { bearer })).body,
    ]);
  }
  const here = await at('GET', '/auth/account/security', { cookie });
  expect(here.body.current_rp_id).toBe(project.host.split(':')[0]);
  const elsewhere = await at('GET', '/auth/account/security?app_origin=https://evil.example', { cookie });
  expect(elsewhere.body).toMatchObject({ current_rp_id: null, has_svc_passkey_for_current_rp: null });
  const { body } = await at('GET', '/auth/account/sessions', { cookie });
  expect(body.sessions).toHaveLength(2);
  expect(body.sessions[1]).toMatchObject({ session_id: sessionId, created_at: moment, amr: ['password'] });
  expect(JSON.stringify(body)).not.toMatch(/"\w*(secret|hash)\w*":/);
  expect((await at('GET', '/auth/account', { cookie })).body).toEqual(
    (await at('GET', '/auth/account/security', { cookie })).body,
  );
});

test('everything of an account is for who is signed in', async () => {
  for (const path of ['', '/security', '/sessions', '/identities'])
    expectRefusal(await at('GET', `/auth/account${path}`), 'SVC_AUTH_REQUIRED');
  for (const path of ['password', 'sessions/revoke', 'sign-out-everywhere', 'identities/unlink'])
    for (const given of [{ json: {} }, { form: {} }])
      expectRefusal(await at('POST', `/auth/account/${path}`, given), 'SVC_AUTH_REQUIRED');
  expectRefusal(await at('POST', '/auth/re-auth', { json: {} }), 'SVC_AUTH_REQUIRED');
});

test('a session is ended by its user alone, and the own one takes the cookie along', async () => {
  const mine = await project.visitor();
  const elsewhere = await signIn(mine.email, mine.password);
  const stranger = await project.visitor();
  const end = (session_id: string, cookie: string) =>
    at('POST', '/auth/account/sessions/revoke', { json: { session_id }, cookie });
  expect((await end(mine.sessionId, stranger.cookie)).body).toEqual({ ok: true, revoked: false });
  expect(await stands(mine.cookie)).toBe(true);
  const own = await end(mine.sessionId, mine.cookie);
  expect([own.body, own.cookie]).toEqual([{ ok: true, revoked: true }, '']);
  expect([await stands(mine.cookie), await stands(elsewhere)]).toEqual([false, true]);
  expectRefusal(await end('x', elsewhere), 'VALIDATION_FAILED', { field: 'session_id' });
});

test('signing out everywhere ends tokens and cookies alike', async () => {
  const { email, password, cookie, csrf } = await project.visitor();
  const tokens = (await project.signIn(email, password)).body;
  const form = { _csrf: csrf, returnTo: '/bye' };
  const out = await at('POST', '/auth/account/sign-out-everywhere', { form, cookie });
  expect([out.status, out.headers.get('location'), out.cookie]).toEqual([303, '/bye', '']);
  expect(await stands(cookie)).toBe(false);
  expectRefusal(await project.refresh(tokens.refresh_token), 'INVALID_AUTH');
});

test('a form changes the password by the one so far, however long ago the sign-in was', async () => {
  const { email, password, cookie, sessionId } = await project.visitor();
  const elsewhere = await signIn(email, password);
  await project.sql(`update auth.sessions set auth_time = now() - interval '1 hour' where id = '${sessionId}'`);
  const csrf = /name="_csrf" value="(\w+)"/.exec((await at('GET', '/auth/account', { cookie, page: true })).text)![1]!;
  const change = (current_password: string) =>
    at('POST', '/auth/account/password', {
      form: { _csrf: csrf, current_password, new_password: 'another one', returnTo: '/auth/account?done=1' },
      cookie,
      page: true,
    });
  const wrong = await change('wrong one');
  expect([wrong.status, wrong.headers.get('x-svc-error-code')]).toEqual([401, 'SVC_AUTH_INVALID_CREDENTIALS']);
  const stale = await change('');
  expect([stale.status, stale.headers.get('location')]).toEqual([303, '/auth/re-auth?returnTo=%2Fauth%2Faccount']);
  const changed = await change(password);
  expect([changed.status, changed.headers.get('location')]).toEqual([303, '/auth/account?done=1']);
  expect([await stands(cookie), await stands(elsewhere)]).toEqual([true, false]);
  expectRefusal(await project.signIn(email, password), 'INVALID_AUTH');
  expect((await project.signIn(email, 'another one')).status).toBe(200);
});

test('a social account is disconnected', async () => {
  const { email, cookie } = await project.visitor();
  await project.sql(`insert into auth.identities (provider, provider_sub, user_id, provider_email)
    select 'google', 'sub-1', id, email from auth.users where email = '${email}'`);
  const { body } = await at('GET', '/auth/account/identities', { cookie });
  expect(body.identities).toMatchObject([{ provider: 'google', provider_sub: 'sub-1' }]);
  const json = { provider: 'google', subject: 'sub-1' };
  const gone = await at('POST', '/auth/account/identities/unlink', { json, cookie });
  expect(gone.body).toEqual({ ok: true, unlinked: true });
});

test('pages let nothing run but the script of passkeys, nobody frame or keep them, and their forms lead nowhere else', async () => {
  const { cookie } = await project.visitor();
  for (const path of ['sign-in', 'sign-up', 'account', 're-auth', 'magic-link?token=x']) {
    const { status, headers, text } = await at('GET', `/auth/${path}`, { cookie, page: true });
    expect(status).toBe(200);
    const [, style, script] =
      /^default-src 'none'; style-src ('sha256-[\w+/]{43}='); (.*)form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/.exec(
        headers.get('content-security-policy')!,
      ) ?? [];
    expect(style).toBeDefined();
    const hasScript = path === 'sign-in' || path === 'account';
    const { origin } = project;
    expect(script).toBe(
      hasScript ? `script-src ${origin}/auth/passkeys.js; connect-src ${origin}/auth/passkeys/; ` : '',
    );
    expect(text.match(/<script.*?<\/script>/g)).toEqual(
      hasScript ? ['<script src="/auth/passkeys.js" defer></script>'] : null,
    );
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('private, no-store');
    // Withheld altogether, browsers would send `Origin: null` with the forms.
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text).not.toMatch(/\son\w+=|style="|javascript:/);
    // Every field has a label.
    const ids = [...text.matchAll(/<input id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.filter((id) => !text.includes(`<label for="${id}"`))).toEqual([]);
  }
});

test('what a user called itself is shown as text, wherever it stands', async () => {
  const hostile = `"><script>alert(1)</script>'<img src=x onerror=alert(1)>&\`</title>`;
  const { email, cookie } = await project.visitor();
  await project.sql(`update auth.users set display_name = $hostile$${hostile}$hostile$ where email = '${email}'`);
  await project.sql(`insert into auth.identities (provider, provider_sub, user_id, provider_email)
    select $h$${hostile}$h$, $h$${hostile}$h$, id, $h$${hostile}$h$ from auth.users where email = '${email}'`);
  await service.control.sql('update projects set name = $1 where id = $2', [hostile, project.projectId]);
  const shown =
    '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&lt;img src=x onerror=alert(1)&gt;&amp;&#96;&lt;/title&gt;';
  const pages = () =>
    Promise.all([
      at('GET', '/auth/account', { cookie, page: true }),
      at('GET', '/auth/re-auth', { cookie, page: true }),
      at('GET', '/auth/sign-in', { cookie, page: true }),
      at('GET', '/auth/sign-up', { page: true }),
      at('GET', `/auth/magic-link?token=${encodeURIComponent(hostile)}`, { page: true }),
      at('POST', '/auth/sign-in', { form: { email: hostile, password: hostile, returnTo: '/' }, page: true }),
      at('POST', '/auth/email-code/confirm', { form: { challenge_id: hostile, code: hostile }, page: true }),
      at('POST', '/auth/account/password', { form: { _csrf: hostile }, cookie, page: true }),
    ]);
  // The name of the project is remembered for a moment.
  await expect.poll(async () => (await pages()).every(({ text }) => text.includes(shown))).toBe(true);
  for (const { text, headers } of await pages()) {
    expect(text).not.toMatch(/<script(?! src="\/auth\/passkeys\.js" defer>)|<img|onerror=alert\(1\)>[^&]/);
    expect(text.match(/<\/title>/g)).toHaveLength(1);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  }
});
