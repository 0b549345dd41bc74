import { createLocalJWKSet, jwtVerify } from 'jose';
import { afterAll, expect, test } from 'vitest';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { authProject, claimsOf, expectNoSecretLogged, newEmail } from './auth-project.ts';

const service = await sharedService();
const project = await authProject(service);
const other = await authProject(service);
afterAll(async () => {
  expectNoSecretLogged(service);
  await project.end();
  await other.end();
  await service.stop();
});

const { auth, signIn, refresh } = project;
const twenty = <Result>(run: () => Promise<Result>) => Promise.all(Array.from({ length: 20 }, run));

/** What a user has besides the documented members, for published clients. */
const forClients = {
  aud: 'authenticated',
  role: 'authenticated',
  email_confirmed_at: null,
  app_metadata: { provider: 'email', providers: ['email'] },
  user_metadata: {},
};

test('sign-up answers the user without a token, and the password grant a session', async () => {
  const email = newEmail();
  const made = await auth('POST', '/auth/v1/signup', {
    body: { email: `  ${email.toUpperCase()}`, password: 'secret' },
  });
  expect([made.status, made.body]).toEqual([
    201,
    { id: expect.any(String), email, created_at: moment, is_admin: false },
  ]);
  const session = await signIn(email.toUpperCase(), 'secret');
  expect(session.status).toBe(200);
  expect(session.body).toEqual({
    access_token: expect.any(String),
    refresh_token: expect.any(String),
    token_type: 'bearer',
    expires_in: 3600,
    user: {
      id: made.body.id,
      email,
      display_name: null,
      avatar_url: null,
      email_verified_at: null,
      created_at: made.body.created_at,
      ...forClients,
    },
  });
  const user = await auth('GET', '/auth/v1/user', { bearer: session.body.access_token });
  expect(user.body).toEqual({
    id: made.body.id,
    email,
    display_name: null,
    avatar_url: null,
    email_verified_at: null,
    last_sign_in_at: moment,
    created_at: made.body.created_at,
    is_admin: false,
    has_passkeys: false,
    passkey_count: 0,
    has_passkey_for_current_rp: null,
    current_rp_id: null,
    identities: [],
    ...forClients,
  });
});

test('an access token says what the contract lists, and is verified by the published keys', async () => {
  const { access_token, id, email, sessionId } = await project.signedIn();
  const keys = await auth('GET', '/internal/v1/project-jwt-keys', { bearer: project.serviceKey });
  expect(keys.body.keys).toEqual([
    {
      kty: 'EC',
      crv: 'P-256',
      x: expect.any(String),
      y: expect.any(String),
      kid: expect.any(String),
      alg: 'ES256',
      use: 'sig',
    },
  ]);
  const { payload, protectedHeader } = await jwtVerify(access_token, createLocalJWKSet(keys.body));
  expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'JWT', kid: keys.body.keys[0].kid });
  expect(payload).toEqual({
    iss: 'svc',
    sub: id,
    role: 'authenticated',
    project_id: project.projectId,
    email,
    email_verified: false,
    iat: expect.any(Number),
    exp: payload.iat! + 3600,
    auth_time: expect.any(Number),
    amr: ['password'],
    aal: 'aal1',
    session_id: sessionId,
    authz_version: 1,
  });
  expectRefusal(await auth('GET', '/internal/v1/project-jwt-keys'), 'FORBIDDEN');
});

test('twenty first sign-ins make one signing key', async () => {
  const fresh = await authProject(service);
  const { email, password } = await fresh.user();
  const kids = (await twenty(() => fresh.signIn(email, password))).map(({ body }) =>
    Buffer.from(body.access_token?.split('.')[0] ?? '', 'base64url').toString(),
  );
  // Ten are more than may be tried, but right ones begin the count anew; those before any did are turned away.
  expect(new Set(kids.filter((kid) => kid !== '')).size).toBe(1);
  await fresh.end();
});

test('a refresh keeps what the sign-in proved', async () => {
  const first = await project.signedIn();
  const second = await refresh(first.refresh_token);
  expect(second.status).toBe(200);
  const [before, after] = [first.access_token, second.body.access_token].map(claimsOf);
  expect(after).toMatchObject({
    amr: before!.amr,
    aal: 'aal1',
    auth_time: before!.auth_time,
    session_id: first.sessionId,
  });
});

test('an app whose user’s session is over is told to sign the user in, never to sign as a wallet', async () => {
  const { access_token, refresh_token } = await project.signedIn();
  await auth('POST', '/auth/v1/logout', { bearer: access_token });
  const over = [
    await refresh(refresh_token),
    await auth('GET', '/auth/v1/user', { bearer: access_token }),
    await auth('GET', '/auth/v1/passkeys', { bearer: access_token }),
    await project.open('GET', 'anything', { headers: { authorization: `Bearer ${access_token}` } }),
  ];
  for (const answer of over) {
    expectRefusal(answer, 'INVALID_AUTH');
    expect(answer.body.next_actions).toEqual([{ type: 'authenticate', why: 'Sign the user in again.' }]);
  }
  const nobody = await auth('POST', '/auth/v1/logout');
  expectRefusal(nobody, 'AUTH_REQUIRED');
  expect(nobody.body.next_actions).toEqual([expect.objectContaining({ auth: 'access_token' })]);
});

test('a session ends 30 days after its last refresh, and 90 days after its sign-in however it is refreshed', async () => {
  const span = (id: string) =>
    project.sql<{ idle: number; hard: number }>(
      `select extract(epoch from expires_at - now())::float / 86400 as idle, extract(epoch from hard_expires_at - created_at)::float / 86400 as hard from auth.sessions where id = '${id}'`,
    );
  const session = await project.signedIn();
  const [life] = await span(session.sessionId);
  expect([Math.round(life!.idle), life!.hard]).toEqual([30, 90]);
  await project.sql(
    `update auth.sessions set hard_expires_at = now() + interval '5 days' where id = '${session.sessionId}'`,
  );
  const next = await refresh(session.refresh_token);
  expect(Math.round((await span(session.sessionId))[0]!.idle)).toBe(5);
  await project.sql(`update auth.sessions set hard_expires_at = now() where id = '${session.sessionId}'`);
  expectRefusal(await refresh(next.body.refresh_token), 'INVALID_AUTH');
  const idle = await project.signedIn();
  await project.sql(`update auth.sessions set expires_at = now() where id = '${idle.sessionId}'`);
  expectRefusal(await refresh(idle.refresh_token), 'INVALID_AUTH');
});

test('a refresh token is as good beside an access token that is good no more', async () => {
  const me = await project.signedIn();
  const sign = (access: string) => `${access.slice(0, -10)}AAAAAAAAAA`;
  const by = (bearer: string, refresh_token: string) => ({ bearer, body: { refresh_token } });
  const path = '/auth/v1/token?grant_type=refresh_token';
  const next = await auth('POST', path, by(sign(me.access_token), me.refresh_token));
  expect(next.status).toBe(200);
  expectRefusal(await auth('POST', '/auth/v1/logout', { bearer: sign(me.access_token) }), 'INVALID_AUTH');
  const out = by(sign(me.access_token), next.body.refresh_token);
  expect((await auth('POST', '/auth/v1/logout', out)).status).toBe(200);
  expectRefusal(await auth('GET', '/auth/v1/user', { bearer: next.body.access_token }), 'INVALID_AUTH');
  // Of another project it is refused as ever.
  const stranger = await authProject(service);
  const theirs = await stranger.signedIn();
  const foreign = await auth('POST', '/auth/v1/logout', by(theirs.access_token, me.refresh_token));
  expect([foreign.status, foreign.body.error]).toEqual([403, 'project_token_mismatch']);
  await stranger.end();
});

test('logout ends the session of its refresh token, else of its bearer, and can be repeated', async () => {
  const one = await project.signedIn();
  const two = await signIn(one.email, one.password);
  for (let time = 0; time < 2; time += 1) {
    const byToken = await auth('POST', '/auth/v1/logout', { body: { refresh_token: one.refresh_token } });
    expect([byToken.status, byToken.body]).toEqual([200, { status: 'ok' }]);
  }
  expectRefusal(await refresh(one.refresh_token), 'INVALID_AUTH');
  expect((await auth('GET', '/auth/v1/user', { bearer: two.body.access_token })).status).toBe(200);
  for (let time = 0; time < 2; time += 1)
    expect((await auth('POST', '/auth/v1/logout', { bearer: two.body.access_token })).status).toBe(200);
  expectRefusal(await auth('GET', '/auth/v1/user', { bearer: two.body.access_token }), 'INVALID_AUTH');
  expectRefusal(await auth('POST', '/auth/v1/logout'), 'AUTH_REQUIRED');
  expect((await auth('POST', '/auth/v1/logout', { body: { refresh_token: 'svcr_nobodys' } })).status).toBe(200);
});

test('a user of one project is nobody in another, under the same address', async () => {
  const here = await project.signedIn();
  expectRefusal(await other.signIn(here.email, here.password), 'INVALID_AUTH');
  const there = await other.auth('POST', '/auth/v1/signup', { body: { email: here.email, password: 'another' } });
  expect(there.status).toBe(201);
  const mixed = await other.auth('GET', '/auth/v1/user', { bearer: here.access_token });
  expect([mixed.status, mixed.body.code, mixed.body.error]).toEqual([403, 'FORBIDDEN', 'project_token_mismatch']);
  expectRefusal(await other.refresh(here.refresh_token), 'INVALID_AUTH');
  expect((await refresh(here.refresh_token)).status).toBe(200);
});

test('a token is accepted alone, as bearer and as apikey, and refused once it is changed or expired', async () => {
  const { access_token, id } = await project.signedIn();
  const alone = await service.call<{ id: string }>(service.actors.bearer(access_token), 'GET', '/auth/v1/user');
  const asKey = await service.call<{ id: string }>(service.actors.apikey(access_token), 'GET', '/auth/v1/user');
  expect([alone.body.id, asKey.body.id]).toEqual([id, id]);
  const [head, , tail] = access_token.split('.');
  const forged = Buffer.from(JSON.stringify({ ...claimsOf(access_token), role: 'service_role' })).toString('base64url');
  for (const bearer of [`${head}.${forged}.${tail}`, `${access_token.slice(0, -4)}AAAA`]) {
    expectRefusal(await auth('GET', '/auth/v1/user', { bearer }), 'INVALID_AUTH');
    expectRefusal(await service.call(service.actors.apikey(bearer), 'GET', '/rest/v1/songs'), 'INVALID_AUTH');
  }
  expectRefusal(await auth('GET', '/auth/v1/user'), 'AUTH_REQUIRED');
});
