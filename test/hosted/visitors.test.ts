import { createHash, randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { sha256Hex } from '../../core/keys.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { cookieName, hostCall } from './host-call.ts';
import { hostedProject } from './hosted-project.ts';

const service = await sharedService();
const project = await hostedProject(service);
const other = await hostedProject(service);
const { at, origin } = project;
afterAll(async () => {
  await project.end();
  await other.end();
  await service.stop();
});

const security = (cookie: string | undefined, headers = {}) => at('GET', '/auth/account/security', { cookie, headers });
const one = await project.visitor();
const two = await project.visitor();
const foreign = await other.visitor();
const cookieOf = (sessionId: string, secret: string) => `${cookieName}=v1.${sessionId}.${secret}`;
const last = one.secret.at(-1)!;

test.each([
  ['of another project', foreign.cookie],
  ['with a session of another project and a secret of this one', cookieOf(foreign.sessionId, one.secret)],
  ['with the hash of its secret', cookieOf(one.sessionId, sha256Hex(one.secret))],
  ['with a secret in place of its id', cookieOf(one.secret, one.secret)],
  ['without a secret', `${cookieName}=v1.${one.sessionId}.`],
  ['of a session that never was', cookieOf(randomUUID(), one.secret)],
  ['in capital letters', cookieOf(one.sessionId.toUpperCase(), one.secret)],
  ['of another version', one.cookie.replace('=v1.', '=v2.')],
  ['that is empty', `${cookieName}=`],
  ['with SQL in it', `${cookieName}=v1.' or 1=1 --.${one.secret}`],
  ['given twice', `${one.cookie}; ${two.cookie}`],
  ['given twice alike', `${one.cookie}; a=b; ${one.cookie}`],
])('a cookie %s is no session, and is cleared', async (_case, cookie) => {
  const answer = await security(cookie);
  expectRefusal(answer, 'SVC_AUTH_SESSION_INVALID');
  expect(answer.cookie).toBe('');
  expect((await security(one.cookie)).status).toBe(200);
});

// The secret of a session changes when its user proves itself again: an answer to what was asked before that may come
// after the one with the new cookie, and would sign the user out.
test.each([
  ['of another session', cookieOf(two.sessionId, one.secret)],
  ['with one character changed', cookieOf(one.sessionId, `${one.secret.slice(0, -1)}${last === 'A' ? 'E' : 'A'}`)],
])('a secret %s opens no session that stands, and the cookie stays', async (_case, cookie) => {
  for (const asked of [security(cookie), at('GET', '/_svc/live/changes', { cookie })]) {
    const answer = await asked;
    expect(answer.cookie).toBeUndefined();
  }
  expectRefusal(await security(cookie), 'SVC_AUTH_SESSION_INVALID');
  const led = await at('GET', '/auth/account', { cookie, page: true });
  expect([led.status, led.cookie]).toEqual([303, undefined]);
  // To sign out is to sign out.
  expect((await at('POST', '/auth/v1/sessions/end', { cookie })).cookie).toBe('');
  expect((await security(one.cookie)).status).toBe(200);
});

test('a cookie is found among others, and one whose name only looks alike is none', async () => {
  expect((await security(`a=b; ${one.cookie}; x-${cookieName}=v1`)).status).toBe(200);
  for (const cookie of [`x${one.cookie}`, one.cookie.toLowerCase().replace('__host', '__HOST'), 'a=b']) {
    const answer = await security(cookie);
    expectRefusal(answer, 'SVC_AUTH_REQUIRED');
    expect(answer.cookie).toBeUndefined();
  }
});

test('a session that is over says so, one that was ended is none, and neither is believed for a moment longer', async () => {
  const { cookie, sessionId } = await project.visitor();
  const set = (what: string) => project.sql(`update auth.sessions set ${what} where id = '${sessionId}'`);
  for (const [what, code] of [
    ['expires_at = now()', 'SVC_AUTH_SESSION_EXPIRED'],
    [`expires_at = now() + interval '1 day', hard_expires_at = now()`, 'SVC_AUTH_SESSION_EXPIRED'],
    ['revoked_at = now()', 'SVC_AUTH_SESSION_INVALID'],
  ] as const) {
    await set(`expires_at = now() + interval '1 day', hard_expires_at = now() + interval '1 day', revoked_at = null`);
    expect((await security(cookie)).status).toBe(200);
    await set(what);
    const answer = await security(cookie);
    expectRefusal(answer, code);
    expect(answer.cookie).toBe('');
  }
  // Of a session that is over, whoever does not have its secret hears nothing.
  await set('revoked_at = null, expires_at = now()');
  expectRefusal(await security(cookieOf(sessionId, one.secret)), 'SVC_AUTH_SESSION_INVALID');
  // The user is gone, and its sessions with it.
  const gone = await project.visitor();
  await project.sql(`delete from auth.users where email = '${gone.email}'`);
  expectRefusal(await security(gone.cookie), 'SVC_AUTH_SESSION_INVALID');
});

test('a session that is used lives on, a day at a time and up to its hard end', async () => {
  const { cookie, sessionId } = await project.visitor();
  const set = (what: string) => project.sql(`update auth.sessions set ${what} where id = '${sessionId}'`);
  const days = async () =>
    (
      await project.sql<{ days: number }>(
        `select round(extract(epoch from expires_at - now()) / 86400)::int as days from auth.sessions where id = '${sessionId}'`,
      )
    )[0]!.days;
  expect((await security(cookie)).cookie).toBeUndefined();
  await set(`expires_at = now() + interval '28 days'`);
  expect((await security(cookie)).cookie).toBe(cookie);
  expect(await days()).toBe(30);
  await set(`expires_at = now() + interval '2 days', hard_expires_at = now() + interval '5 days'`);
  expect((await security(cookie)).cookie).toBe(cookie);
  expect(await days()).toBe(5);
  expect((await security(cookie)).cookie).toBeUndefined();
});

test('documents lead to the sign-in and back, and to the cookie’s end', async () => {
  const gone = await project.visitor();
  await at('POST', '/auth/v1/sessions/end', { cookie: gone.cookie });
  for (const cookie of [undefined, gone.cookie]) {
    const led = await at('GET', '/auth/account?done=1', { cookie, page: true });
    expect([led.status, led.headers.get('location'), led.cookie]).toEqual([
      303,
      `/auth/sign-in?returnTo=${encodeURIComponent('/auth/account?done=1')}`,
      cookie === undefined ? undefined : '',
    ]);
    const posted = await at('POST', '/auth/account/sign-out-everywhere', { cookie, form: {}, page: true });
    expect([posted.status, posted.headers.get('location')]).toEqual([303, '/auth/sign-in?returnTo=%2Fauth%2Faccount']);
  }
});

test('a bearer is as good as a cookie, and both together are of one user', async () => {
  const mine = await project.signedIn();
  const bearer = { authorization: `Bearer ${mine.access_token}` };
  expect((await security(undefined, bearer)).status).toBe(200);
  const same = await at('POST', '/auth/sign-in', { json: { email: mine.email, password: mine.password } });
  expect((await security(same.cookie, bearer)).status).toBe(200);
  const mismatch = await security(one.cookie, bearer);
  expectRefusal(mismatch, 'SVC_AUTH_BEARER_COOKIE_MISMATCH');
  expect(mismatch.cookie).toBeUndefined();
  // A cookie that is none is cleared, and does not speak for the bearer.
  const beside = await security(foreign.cookie, bearer);
  expect([beside.status, beside.cookie]).toEqual([200, '']);
  const theirs = await other.signedIn();
  for (const authorization of [
    `Bearer ${theirs.access_token}`,
    `Bearer ${project.serviceKey}`,
    `Bearer ${project.anonKey}`,
    'Bearer x',
    'Basic YTpi',
    `${bearer.authorization.slice(0, -2)}xx`,
  ])
    for (const cookie of [undefined, one.cookie])
      expectRefusal(await security(cookie, { authorization }), 'SVC_AUTH_INVALID_BEARER');
  await project.auth('POST', '/auth/v1/logout', { bearer: mine.access_token });
  expectRefusal(await security(undefined, bearer), 'SVC_AUTH_INVALID_BEARER');
});

const sender = (headers: Record<string, string>) => at('POST', '/auth/v1/sessions/end', { origin: null, headers });

test.each([
  ['no origin and no referrer', {}],
  ['the origin null', { origin: 'null' }],
  ['an empty origin', { origin: '' }],
  ['another origin', { origin: 'https://evil.example' }],
  ['the host by https', { origin: `https://${project.host}` }],
  ['the host at another port', { origin: `http://${project.host.replace(/:\d+$/, ':1')}` }],
  ['the host without its port', { origin: `http://${project.host.replace(/:\d+$/, '')}` }],
  ['another project’s host', { origin: other.origin }],
  ['the API', { origin: service.url }],
  ['the host and a path', { origin: `${origin}/` }],
  ['the host in a longer name', { origin: `${origin}.evil.example` }],
  ['null, whatever the referrer says', { origin: 'null', referer: `${origin}/x` }],
  ['another origin, whatever the referrer says', { origin: 'https://evil.example', referer: `${origin}/x` }],
  ['a referrer of another host', { referer: 'https://evil.example/' }],
  ['a referrer with the host in its path', { referer: `https://evil.example/${origin}` }],
  ['a referrer with the host as its user', { referer: `http://${project.host.split(':')[0]}@evil.example/` }],
  ['a referrer that is none', { referer: project.host }],
])('a change is refused that comes with %s', async (_case, headers) => {
  const answer = await sender(headers);
  expectRefusal(answer, 'SVC_AUTH_CSRF_ORIGIN_MISMATCH');
  expect(answer.cookie).toBeUndefined();
});

test('a referrer of the host stands in for an origin that is left out', async () => {
  expect((await sender({ referer: `${origin}/auth/account?x` })).status).toBe(200);
  expect((await sender({ origin, referer: 'https://evil.example/' })).status).toBe(200);
});

test('forms of a signed-in user carry a token of their session; JSON needs none', async () => {
  const { cookie, csrf, sessionId } = await project.visitor();
  const [row] = await project.sql<{ auth_time: Date }>(`select auth_time from auth.sessions where id = '${sessionId}'`);
  const seconds = Math.floor(row!.auth_time.getTime() / 1000);
  expect(csrf).toBe(createHash('sha256').update(`${sessionId}:${seconds}:csrf`).digest('hex').slice(0, 32));
  for (const path of [
    '/auth/sign-out',
    '/auth/re-auth',
    '/auth/account/password',
    '/auth/account/sessions/revoke',
    '/auth/account/sign-out-everywhere',
    '/auth/account/identities/unlink',
  ])
    for (const form of [{}, { _csrf: '' }, { _csrf: two.csrf }, { _csrf: csrf.toUpperCase() }, { _csrf: `${csrf}0` }])
      expectRefusal(
        await at('POST', path, { form: form as Record<string, string>, cookie }),
        'SVC_AUTH_CSRF_TOKEN_MISMATCH',
      );
  expect((await security(cookie)).status).toBe(200);
  expect((await at('POST', '/auth/account/sign-out-everywhere', { json: {}, cookie })).status).toBe(200);
});

test('a body that is neither a form nor JSON is refused', async () => {
  for (const type of ['text/plain', 'multipart/form-data; boundary=x']) {
    const answer = await at('POST', '/auth/sign-in', { json: {}, headers: { 'content-type': type } });
    expectRefusal(answer, 'UNSUPPORTED_MEDIA_TYPE');
  }
  const email = ['email', 'ada@example.com'] as const;
  expectRefusal(await at('POST', '/auth/sign-in', { form: [email, email] }), 'VALIDATION_FAILED', { field: 'email' });
});

// At a project that few asked before: the other one's rate is used up by now where machines are fast.
test('a way back to elsewhere is refused before anything happens', async () => {
  const { email, password } = await other.user();
  for (const returnTo of ['https://evil.example', '//evil.example', '/\\evil.example', '/%2f%2fevil.example']) {
    for (const given of [{ json: { email, password, returnTo } }, { form: { email, password, returnTo } }]) {
      const answer = await other.at('POST', '/auth/sign-in', given);
      expectRefusal(answer, 'SVC_AUTH_RETURN_TO_INVALID');
      expect(answer.cookie).toBeUndefined();
    }
    const page = await other.at('GET', `/auth/sign-in?returnTo=${encodeURIComponent(returnTo)}`, { page: true });
    expect(page.text).toContain('name="returnTo" value="/auth/account"');
  }
});

test('a cookie opens nothing on the API', async () => {
  const api = hostCall(service, new URL(service.url).host);
  const headers = { apikey: project.anonKey };
  expect((await api('GET', '/auth/v1/user', { cookie: one.cookie, headers })).status).toBe(401);
  expect((await api('GET', '/auth/sign-in', { cookie: one.cookie })).status).toBe(404);
});
