import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { authProject, expectNoSecretLogged } from './auth-project.ts';

// A refresh is sent twice: its first answer was lost, or two tabs of an app refreshed at once.

const service = await sharedService();
const project = await authProject(service);
const other = await authProject(service);
afterAll(async () => {
  expectNoSecretLogged(service);
  await project.end();
  await other.end();
  await service.stop();
});

const { auth, refresh, sql, signedIn } = project;
const account = (bearer: string) => auth('GET', '/auth/v1/user', { bearer });

/** Has what a session traded be traded so much longer ago. */
const later = (sessionId: string, seconds: number) =>
  sql(`update auth.refresh_tokens set used_at = used_at - interval '${seconds} seconds'
    where session_id = '${sessionId}' and used_at is not null`);

test('a refresh whose answer was lost answers the same successor again, and the session goes on with it', async () => {
  const { refresh_token, sessionId } = await signedIn();
  const first = await refresh(refresh_token);
  await later(sessionId, 8);
  const again = await refresh(refresh_token);
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.body.refresh_token).toBe(first.body.refresh_token);
  for (const { body } of [first, again]) expect((await account(body.access_token)).status).toBe(200);
  expect((await refresh(again.body.refresh_token)).status).toBe(200);
});

test('twenty tabs that refresh at once all go on, with one successor between them', async () => {
  const { refresh_token, sessionId } = await signedIn();
  const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(refresh_token)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
  const kept = await sql(`select used_at from auth.refresh_tokens where session_id = '${sessionId}'`);
  expect(kept.filter(({ used_at }) => used_at === null)).toHaveLength(1);
  expect(kept).toHaveLength(2);
});

test('a refresh token that is shown later than ten seconds after it was traded ends the session', async () => {
  const { refresh_token, sessionId } = await signedIn();
  const next = await refresh(refresh_token);
  await later(sessionId, 11);
  expectRefusal(await refresh(refresh_token), 'INVALID_AUTH');
  expectRefusal(await refresh(next.body.refresh_token), 'INVALID_AUTH');
  expectRefusal(await account(next.body.access_token), 'INVALID_AUTH');
});

test('a refresh token whose successor was used ends the session at once', async () => {
  const { refresh_token } = await signedIn();
  const second = await refresh(refresh_token);
  const third = await refresh(second.body.refresh_token);
  expect(third.status).toBe(200);
  expectRefusal(await refresh(refresh_token), 'INVALID_AUTH');
  expectRefusal(await refresh(third.body.refresh_token), 'INVALID_AUTH');
  expectRefusal(await account(third.body.access_token), 'INVALID_AUTH');
});

test('of a token and its successor shown at once, each answers as if one came after the other', async () => {
  for (let time = 0; time < 8; time += 1) {
    const { refresh_token } = await signedIn();
    const next = await refresh(refresh_token);
    const [old, fresh] = await Promise.all([refresh(refresh_token), refresh(next.body.refresh_token)]);
    // Either the old one came first and both go on, or it came second and nobody does.
    const last = fresh.status === 200 ? await refresh(fresh.body.refresh_token) : fresh;
    expect([old.status, last.status]).toEqual(old.status === 200 ? [200, 200] : [401, 401]);
    if (old.status === 200) expect(old.body.refresh_token).toBe(next.body.refresh_token);
  }
});

test('a repeated refresh is refused once its session has ended, however lately it was traded', async () => {
  const ends: Readonly<Record<string, (id: string, bearer: string) => Promise<unknown>>> = {
    'signed out': (_id, bearer) => auth('POST', '/auth/v1/logout', { bearer }),
    'signed out by the refresh token': (_id, bearer) => auth('POST', '/auth/v1/logout?scope=global', { bearer }),
    idle: (id) => sql(`update auth.sessions set expires_at = now() where id = '${id}'`),
    'at its hard end': (id) => sql(`update auth.sessions set hard_expires_at = now() where id = '${id}'`),
    'without its user': (id) =>
      sql(`delete from auth.users where id = (select user_id from auth.sessions where id = '${id}')`),
  };
  for (const [how, end] of Object.entries(ends)) {
    const { refresh_token, sessionId } = await signedIn();
    const { body } = await refresh(refresh_token);
    await end(sessionId, body.access_token);
    expect((await refresh(refresh_token)).status, how).toBe(401);
    expect((await refresh(body.refresh_token)).status, how).toBe(401);
  }
});

test('a repeated refresh is refused while the project does not admit the domain of the address', async () => {
  const { refresh_token, sessionId } = await signedIn();
  await sql(`update auth.sessions set amr = '{oauth}' where id = '${sessionId}'`);
  const { body } = await refresh(refresh_token);
  await project.settings(`allowed_email_domains = '{elsewhere.example}'`);
  expectRefusal(await refresh(refresh_token), 'SVC_AUTH_DOMAIN_NOT_ALLOWED');
  await project.settings(`allowed_email_domains = '{}'`);
  expect((await refresh(refresh_token)).body.refresh_token).toBe(body.refresh_token);
});

test('a traded token is nobody’s in another project, and showing it there ends no session', async () => {
  const { refresh_token } = await signedIn();
  const { body } = await refresh(refresh_token);
  expectRefusal(await other.refresh(refresh_token), 'INVALID_AUTH');
  expectRefusal(await other.refresh(body.refresh_token), 'INVALID_AUTH');
  expect((await account(body.access_token)).status).toBe(200);
  expect((await refresh(body.refresh_token)).status).toBe(200);
});

test('a chain of refreshes goes on for the two tabs that share it', async () => {
  let { refresh_token: token } = await signedIn();
  for (let hour = 0; hour < 4; hour += 1) {
    const [one, two] = await Promise.all([refresh(token), refresh(token)]);
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(one.body.refresh_token).toBe(two.body.refresh_token);
    token = one.body.refresh_token;
  }
});

test('no refresh token is kept in clear', async () => {
  const { refresh_token, sessionId } = await signedIn();
  const { body } = await refresh(refresh_token);
  const kept = JSON.stringify(await sql(`select * from auth.refresh_tokens where session_id = '${sessionId}'`));
  for (const secret of [refresh_token, body.refresh_token]) expect(kept).not.toContain(secret.slice(5));
});

test.each([
  ['control_plane', '/agent/v1/control-plane/session/refresh', 'control_plane_session_token'],
  ['operator', '/agent/v1/operator/session/refresh', 'operator_session_token'],
] as const)(
  'the bearer of a %s session is refreshed as often as it is asked, and the earlier ones stay good',
  async (kind, path, name) => {
    const session = await service.actors.session({ kind });
    const refreshed = () => service.call<Record<string, string>>(session, 'POST', path);
    const answers = [...(await Promise.all([refreshed(), refreshed()])), await refreshed()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const { body } of answers)
      expect((await service.call(service.actors.bearer(body[name]!), 'POST', path)).status).toBe(200);
  },
);
