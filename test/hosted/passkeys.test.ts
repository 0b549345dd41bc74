import { afterAll, expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../auth/passkeys/software-authenticator.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { hostedProject } from './hosted-project.ts';

const service = await sharedService();
const project = await hostedProject(service);
const { at, origin } = project;
afterAll(async () => {
  await project.end();
  await service.stop();
});

const post = (what: string, json: object, cookie?: string) => at('POST', `/auth/passkeys/${what}`, { json, cookie });

async function register(cookie: string) {
  const key = new SoftwareAuthenticator(origin);
  const asked = await post('register/options', {}, cookie);
  expect(asked.status).toBe(200);
  const made = await post('register/verify', { ...key.create(asked.body), label: 'Laptop' }, cookie);
  expect([made.status, made.body.rp_id]).toEqual([201, project.host.split(':')[0]]);
  return { key, id: made.body.id as string };
}

test('a passkey of the host is registered by cookie, signs in, and is removed from the account', async () => {
  const { cookie } = await project.visitor();
  const { key, id } = await register(cookie);
  const asked = await post('login/options', {});
  expect(asked.body).not.toHaveProperty('options.allowCredentials');
  const signedIn = await post('login/verify', { ...key.get(asked.body), return_to: '/in' });
  expect([signedIn.status, signedIn.body]).toEqual([200, { ok: true, redirect_to: '/in', redirectTo: '/in' }]);
  const { body } = await at('GET', '/auth/account/sessions', { cookie: signedIn.cookie });
  expect(body.sessions[0]).toMatchObject({ amr: ['passkey'], passkey_id: id });
  expect((await post('login/verify', key.get(asked.body))).body.code).toBe('SVC_AUTH_INVALID_CREDENTIALS');
  const listed = await at('GET', '/auth/account/passkeys', { cookie });
  expect(listed.body.passkeys).toMatchObject([{ id, label: 'Laptop', created_origin: origin }]);
  expect((await at('GET', '/auth/account', { cookie, page: true })).text).toContain('Laptop');
  const removed = await at('POST', '/auth/account/passkeys/remove', { json: { passkey_id: id }, cookie });
  expect(removed.body).toEqual({ ok: true, removed: true, warning: null });
  expectRefusal(await at('GET', '/auth/account/security', { cookie: signedIn.cookie }), 'SVC_AUTH_SESSION_INVALID');
});

test('registering is for who is signed in, and a way back is checked before anything is used up', async () => {
  for (const what of ['register/options', 'register/verify']) expectRefusal(await post(what, {}), 'SVC_AUTH_REQUIRED');
  const { cookie } = await project.visitor();
  const { key } = await register(cookie);
  const asked = await post('login/options', {});
  const answer = key.get(asked.body);
  expectRefusal(await post('login/verify', { ...answer, returnTo: '//evil.example' }), 'SVC_AUTH_RETURN_TO_INVALID');
  expect((await post('login/verify', answer)).status).toBe(200);
  const foreign = await at('POST', '/auth/passkeys/login/options', { json: {}, origin: 'https://evil.example' });
  expectRefusal(foreign, 'SVC_AUTH_CSRF_ORIGIN_MISMATCH');
});

test('the pages that use passkeys carry their script, with its forms hidden until it runs', async () => {
  const { cookie } = await project.visitor();
  const script = await at('GET', '/auth/passkeys.js');
  expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  expect(script.headers.get('x-content-type-options')).toBe('nosniff');
  expect((await at('HEAD', '/auth/passkeys.js')).status).toBe(200);
  expectRefusal(await at('POST', '/auth/passkeys.js', { json: {} }), 'METHOD_NOT_ALLOWED');
  const signIn = await at('GET', '/auth/sign-in?returnTo=/in', { page: true });
  expect(signIn.text).toMatch(/<form id="passkey-sign-in" hidden>.*?name="returnTo" value="\/in".*?<\/form>/s);
  expect((await at('GET', '/auth/account', { cookie, page: true })).text).toContain(
    '<form id="passkey-register" hidden>',
  );
});

test('what the project prefers comes first on the page', async () => {
  const places = async () => {
    const { text } = await at('GET', '/auth/sign-in', { page: true });
    return [text.indexOf('passkey-sign-in'), text.indexOf('action="/auth/sign-in"')] as const;
  };
  const [after, password] = await places();
  expect(after).toBeGreaterThan(password);
  await project.settings(`preferred_sign_in_method = 'passkey'`);
  const [first, second] = await places();
  expect(first).toBeLessThan(second);
});
