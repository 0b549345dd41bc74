import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { authProject, newEmail } from './auth-project.ts';
import { meetingOf } from './meeting.ts';

// Requests are made to meet by locks that the tests hold: what runs beside what is no matter of luck.
const service = await startService();
const project = await authProject(service);
afterAll(async () => {
  await project.end();
  await service.stop();
});

const { auth, signIn, signedIn, refresh, sql } = project;
const stands = async (bearer: string) => (await auth('GET', '/auth/v1/user', { bearer })).status;

const { holding, waiting } = meetingOf(service, project);

const change = (bearer: string, current_password: string, new_password: string) =>
  auth('PUT', '/auth/v1/user/password', { bearer, body: { current_password, new_password } });

test('a password that is changed while it signs somebody in begins no session', async () => {
  const ada = await signedIn();
  const letGo = await holding(`select from auth.users where id = '${ada.id}'`);
  const changing = change(ada.access_token, ada.password, 'another secret');
  await waiting(1, changing);
  const signingIn = signIn(ada.email, ada.password);
  await waiting(2, changing, signingIn);
  await letGo();
  expect((await changing).status).toBe(200);
  expectRefusal(await signingIn, 'INVALID_AUTH');
  expect((await signIn(ada.email, 'another secret')).status).toBe(200);
});

test('a session that begins just before its password is changed is ended with it', async () => {
  const ada = await signedIn();
  const letGo = await holding(`select from auth.users where id = '${ada.id}'`);
  const signingIn = signIn(ada.email, ada.password);
  await waiting(1, signingIn);
  const changing = change(ada.access_token, ada.password, 'another secret');
  await waiting(2, signingIn, changing);
  await letGo();
  const begun = await signingIn;
  expect([begun.status, (await changing).status]).toEqual([200, 200]);
  expect([await stands(begun.body.access_token), await stands(ada.access_token)]).toEqual([401, 200]);
});

test('a password that is recovered while it signs somebody in begins no session', async () => {
  const mallory = await signedIn();
  await auth('POST', '/auth/v1/magic-link', {
    body: { email: mallory.email, intent: 'recovery', redirect_url: 'http://localhost:3000/' },
  });
  const { token } = await project.mailTo(mallory.email);
  const letGo = await holding(`select from auth.users where id = '${mallory.id}'`);
  const recovering = auth('POST', '/auth/v1/token?grant_type=magic_link', { body: { token } });
  await waiting(1, recovering);
  const signingIn = signIn(mallory.email, mallory.password);
  await waiting(2, recovering, signingIn);
  await letGo();
  expect((await recovering).status).toBe(200);
  expectRefusal(await signingIn, 'INVALID_AUTH');
});

test('a social account that is unlinked ends what its provider began, save the session that asks', async () => {
  const ada = await signedIn();
  const social = (await signIn(ada.email, ada.password)).body;
  const asking = (await signIn(ada.email, ada.password)).body;
  await sql(`insert into auth.identities (provider, provider_sub, user_id) values ('google', 'ada', '${ada.id}')`);
  await sql(`update auth.sessions set provider = 'google' where user_id = '${ada.id}' and id <> '${ada.sessionId}'`);
  const body = { provider: 'google', subject: 'ada' };
  const unlink = () => auth('POST', '/auth/v1/account/identities/unlink', { bearer: asking.access_token, body });
  expect((await unlink()).body).toEqual({ ok: true, unlinked: true });
  const standing = await Promise.all([social, asking, ada].map(({ access_token }) => stands(access_token)));
  expect(standing).toEqual([401, 200, 200]);
  expect((await unlink()).body).toEqual({ ok: true, unlinked: false });
});

test('a refresh that is refused for the domain of the address leaves the token good', async () => {
  const ada = await signedIn();
  await sql(`update auth.sessions set amr = '{oauth}' where id = '${ada.sessionId}'`);
  await project.settings(`allowed_email_domains = '{elsewhere.example}'`);
  expectRefusal(await refresh(ada.refresh_token), 'SVC_AUTH_DOMAIN_NOT_ALLOWED');
  await project.settings(`allowed_email_domains = '{example.com}'`);
  expect((await refresh(ada.refresh_token)).status).toBe(200);
  await project.settings(`allowed_email_domains = '{elsewhere.example}'`);
  // Traded too long ago: that counts for more than the domain, and ends the session.
  await sql(`update auth.refresh_tokens set used_at = used_at - interval '11 seconds' where used_at is not null`);
  expectRefusal(await refresh(ada.refresh_token), 'INVALID_AUTH');
  await project.settings(`allowed_email_domains = '{}'`);
  expect(await stands(ada.access_token)).toBe(401);
});

test('a session is refreshed so often in a while and no more, and its token stays good', async () => {
  const ada = await signedIn();
  await sql(
    `insert into auth.refresh_tokens (token_hash, session_id, used_at)
     select 'of late ' || n, '${ada.sessionId}', now() from generate_series(1, 58) n`,
  );
  const last = await refresh(ada.refresh_token);
  expect(last.status).toBe(200);
  expectRefusal(await refresh(last.body.refresh_token), 'RATE_LIMITED');
  await sql(`update auth.refresh_tokens set created_at = created_at - interval '1 hour'
    where session_id = '${ada.sessionId}' and token_hash like 'of late %'`);
  expect((await refresh(last.body.refresh_token)).status).toBe(200);
});

test('whoever signs in or refreshes sweeps up sessions of others that are long over, and none that stands', async () => {
  const ada = await signedIn();
  const session = async () => (await signedIn()).sessionId;
  const [ended, expired, ofLate] = [await session(), await session(), await session()];
  await sql(`update auth.sessions set revoked_at = now() - interval '8 days' where id = '${ended}'`);
  await sql(`update auth.sessions set expires_at = now() - interval '8 days' where id = '${expired}'`);
  await sql(`update auth.sessions set revoked_at = now() - interval '6 days' where id = '${ofLate}'`);
  const left = async () =>
    (await sql(`select id from auth.sessions where id in ('${ended}', '${expired}', '${ofLate}', '${ada.sessionId}')`))
      .map(({ id }) => id)
      .sort();
  const fresh = await refresh(ada.refresh_token);
  expect(await left()).toEqual([ofLate, ada.sessionId].sort());
  await sql(`update auth.sessions set revoked_at = now() - interval '8 days' where id = '${ofLate}'`);
  await signedIn();
  expect(await left()).toEqual([ada.sessionId]);
  expect((await refresh(fresh.body.refresh_token)).status).toBe(200);
});

/** JSON that nests deeper than a stack reaches. */
const deep = `${'['.repeat(9_000)}1${']'.repeat(9_000)}`;
const sendText = async (path: string, text: string, key = project.anonKey) =>
  service.call(service.actors.nobody, 'POST', path, {
    headers: { apikey: key, 'content-type': 'application/json' },
    body: text,
  });

test('what is nested too deep, or too large once kept, is refused by name', async () => {
  const email = newEmail();
  const user = `"email": "${email}", "password": "secret word"`;
  const refused = [
    await sendText('/auth/v1/signup', `{${user}, "data": {"a": ${deep}}}`),
    await sendText('/auth/v1/signup', `{${user}, "data": {"a": [${Array(110).fill('1e308')}]}}`),
    await sendText('/auth/v1/magic-link', `{"email": "${email}", "delivery": "code", "client_state": ${deep}}`),
    await sendText('/auth/v1/token?grant_type=password', `{"email": ${deep}, "password": "x"}`),
    await sendText(
      '/auth/v1/sessions/from-identity',
      `{"provider": "custom", "subject": "x", "proof": ${deep}}`,
      project.serviceKey,
    ),
  ];
  for (const answer of refused) expectRefusal(answer, 'VALIDATION_FAILED');
  expect(await sql(`select from auth.users where email = '${email}'`)).toEqual([]);
});
