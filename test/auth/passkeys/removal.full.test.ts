import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../../helpers/documented.ts';
import { startService } from '../../helpers/service.ts';
import { claimsOf, expectNoSecretLogged, newEmail } from '../auth-project.ts';
import { origin, passkeyProject } from './passkey-project.ts';
import type { SoftwareAuthenticator } from './software-authenticator.ts';

const service = await startService();
const project = await passkeyProject(
  service,
  `create function me() returns json language sql stable as $$ select auth.claims()::json $$;
   grant execute on function me() to public;`,
);
afterAll(async () => {
  expectNoSecretLogged(service);
  await project.end();
  await service.stop();
});

const { auth, register, login } = project;
const claimsSeen = async (bearer: string) =>
  // biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
  service.call<any>(service.actors.nobody, 'GET', '/rest/v1/rpc/me', {
    headers: { apikey: project.anonKey, authorization: `Bearer ${bearer}` },
  });
const remove = (bearer: string, id: string) => auth('DELETE', `/auth/v1/passkeys/${id}`, { bearer });
const removeByAccount = (bearer: string, passkey_id: string) =>
  auth('POST', '/auth/v1/account/passkeys/remove', { bearer, body: { passkey_id } });
const user = (bearer: string) => auth('GET', '/auth/v1/user', { bearer });
const session = async (key: SoftwareAuthenticator) => (await login(key)).body;

test('a removed passkey signs nobody in, and ends the sessions that began with it', async () => {
  const ada = await project.signedIn();
  const [one, two] = [await register(ada.access_token), await register(ada.access_token)];
  const [first, second] = [await session(one.key), await session(two.key)];
  expect((await claimsSeen(first.access_token)).body).toMatchObject({ aal: 'aal2', passkey_id: one.record.id });
  const removed = await remove(ada.access_token, one.record.id);
  expect([removed.status, removed.body]).toEqual([200, { status: 'ok' }]);
  expectRefusal(await user(first.access_token), 'INVALID_AUTH');
  expectRefusal(await claimsSeen(first.access_token), 'INVALID_AUTH');
  expectRefusal(await project.refresh(first.refresh_token), 'INVALID_AUTH');
  expectRefusal(await login(one.key), 'INVALID_AUTH', { reason: 'assertion' });
  expect((await user(second.access_token)).body.passkey_count).toBe(1);
  expect((await user(ada.access_token)).status).toBe(200);
  expectRefusal(await remove(ada.access_token, one.record.id), 'RESOURCE_NOT_FOUND');
});

test('the session that removes its own passkey goes on as one without', async () => {
  const ada = await project.signedIn();
  const { key, record } = await register(ada.access_token);
  const [own, elsewhere] = [await session(key), await session(key)];
  expect((await claimsSeen(own.access_token)).body.amr).toEqual(['passkey']);
  expect((await remove(own.access_token, record.id)).status).toBe(200);
  expectRefusal(await user(elsewhere.access_token), 'INVALID_AUTH');
  const seen = (await claimsSeen(own.access_token)).body;
  expect(seen).toMatchObject({ aal: 'aal1', amr: [], session_id: claimsOf(own.access_token).session_id });
  expect(seen).not.toHaveProperty('passkey_id');
  const refreshed = claimsOf((await project.refresh(own.refresh_token)).body.access_token);
  expect(refreshed).toMatchObject({ aal: 'aal1', amr: [] });
  expect(refreshed).not.toHaveProperty('passkey_id');
});

test('the account says whether a passkey was removed, and when nothing is left to sign in with', async () => {
  const ada = await project.signedIn();
  const [one, two] = [await register(ada.access_token), await register(ada.access_token)];
  const unknown = await removeByAccount(ada.access_token, randomUUID());
  expect([unknown.status, unknown.body]).toEqual([200, { ok: true, removed: false, warning: null }]);
  const bob = await project.signedIn();
  expect((await removeByAccount(bob.access_token, one.record.id)).body.removed).toBe(false);
  const gone = { ok: true, removed: true, warning: null };
  expect((await removeByAccount(ada.access_token, one.record.id)).body).toEqual(gone);
  // The password is left.
  expect((await removeByAccount(ada.access_token, two.record.id)).body).toEqual(gone);
  const three = await register(ada.access_token);
  const last = await session(three.key);
  await project.sql(`update auth.users set password_hash = null where id = '${ada.id}'`);
  const warned = await removeByAccount(last.access_token, three.record.id);
  expect(warned.body).toEqual({ ...gone, warning: 'no_svc_password_or_passkey_remaining' });
  for (const id of ['mine', '', `${three.record.id}x`])
    expectRefusal(await removeByAccount(ada.access_token, id), 'VALIDATION_FAILED', { field: 'passkey_id' });
  expectRefusal(await remove(ada.access_token, 'mine'), 'VALIDATION_FAILED', { field: 'passkey_id' });
});

test('however sign-ins and the removal of their passkey meet, no session of it is left', async () => {
  const ada = await project.signedIn();
  for (let time = 0; time < 5; time += 1) {
    const { key, record } = await register(ada.access_token);
    const asked = await Promise.all(Array.from({ length: 8 }, () => project.beginLogin()));
    const signIns = asked.map(({ body }) => project.finishLogin(key.get(body)));
    const removal = remove(ada.access_token, record.id);
    const answers = await Promise.all(signIns);
    expect((await removal).status).toBe(200);
    expect(answers.filter(({ status }) => status !== 200 && status !== 401)).toEqual([]);
    for (const { status, body } of answers)
      if (status === 200) expectRefusal(await user(body.access_token), 'INVALID_AUTH');
  }
  const left = `select from auth.sessions where user_id = '${ada.id}' and aal = 'aal2' and revoked_at is null`;
  expect(await project.sql(left)).toEqual([]);
});

test('twenty who remove a passkey at once remove it once', async () => {
  const ada = await project.signedIn();
  const { record } = await register(ada.access_token);
  const answers = await Promise.all(Array.from({ length: 20 }, () => remove(ada.access_token, record.id)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 404)]);
});

test('passkeys that a stranger made under an address are gone when mail first proves whose it is', async () => {
  const squatter = await project.signedIn();
  const { key } = await register(squatter.access_token);
  const squatted = await session(key);
  const recover = async () => {
    const { body } = await auth('POST', '/auth/v1/magic-link', {
      body: { email: squatter.email, delivery: 'code', intent: 'recovery' },
    });
    return body.challenge_id;
  };
  const challenge_id = await recover();
  const { code } = await project.mailTo(squatter.email);
  const owner = await auth('POST', '/auth/v1/token', { body: { grant_type: 'email_code', challenge_id, code } });
  expect(owner.status).toBe(200);
  expectRefusal(await user(squatted.access_token), 'INVALID_AUTH');
  expectRefusal(await login(key), 'INVALID_AUTH');
  // What the owner makes from now on stays, also when it recovers again.
  const own = await register(owner.body.access_token, { origin });
  const again = await recover();
  const { code: next } = await project.mailTo(squatter.email, 2);
  const body = { grant_type: 'email_code', challenge_id: again, code: next };
  expect((await auth('POST', '/auth/v1/token', { body })).status).toBe(200);
  expect((await login(own.key)).status).toBe(200);
});

test('a passkey goes with its user', async () => {
  const ada = await project.signedIn();
  const { key } = await register(ada.access_token);
  const { access_token } = await session(key);
  await project.sql(`delete from auth.users where id = '${ada.id}'`);
  expectRefusal(await login(key), 'INVALID_AUTH');
  expectRefusal(await user(access_token), 'INVALID_AUTH');
  expect((await project.beginLogin({ email: newEmail() })).status).toBe(200);
});
