import { afterAll, beforeEach, expect, test } from 'vitest';
import { expectRefusal } from '../../helpers/documented.ts';
import { startService } from '../../helpers/service.ts';
import { expectNoSecretLogged } from '../auth-project.ts';
import { passkeyProject } from './passkey-project.ts';
import { SoftwareAuthenticator } from './software-authenticator.ts';

const service = await startService();
const project = await passkeyProject(service);
afterAll(async () => {
  expectNoSecretLogged(service);
  await project.end();
  await service.stop();
});

const { begin, beginLogin, finish, finishLogin, login, register } = project;
const origin = 'https://app.example.com';
const asService = service.actors.apikey(project.serviceKey);
const allow = async (...allowed_redirect_urls: string[]) => {
  const { status } = await service.call(asService, 'PATCH', '/auth/v1/settings', { body: { allowed_redirect_urls } });
  expect(status).toBe(200);
};
beforeEach(() => allow(`${origin}/auth`));

test('a passkey is made, used and told of on the origin of a listed URL, whatever its path', async () => {
  const { access_token } = await project.signedIn();
  const { key, record } = await register(access_token, { origin });
  expect(record).toMatchObject({ rp_id: 'app.example.com' });
  const { status, body } = await login(key, origin);
  expect(status).toBe(200);
  const told = await project.auth('GET', `/auth/v1/user?app_origin=${encodeURIComponent(origin)}`, {
    bearer: body.access_token,
  });
  expect(told.body).toMatchObject({ current_rp_id: 'app.example.com', has_passkey_for_current_rp: true });
});

test('an origin that is taken off the list begins no ceremony, and ends none that was begun', async () => {
  const { access_token } = await project.signedIn();
  const { key } = await register(access_token, { origin });
  const another = new SoftwareAuthenticator(origin, { signCount: 0 });
  const [making, signing] = [await begin(access_token, origin), await beginLogin({ app_origin: origin })];
  await allow();
  expectRefusal(await finish(access_token, another.create(making.body)), 'VALIDATION_FAILED', {
    field: 'challenge_id',
  });
  expectRefusal(await finishLogin(key.get(signing.body)), 'INVALID_AUTH', { reason: 'origin' });
  const refused = await begin(access_token, origin);
  expectRefusal(refused, 'VALIDATION_FAILED', { field: 'app_origin', setting: 'allowed_redirect_urls' });
  expect(refused.body.next_actions[0].command).toContain(`--add-redirect-url ${origin}`);
  expectRefusal(await beginLogin({ app_origin: origin }), 'VALIDATION_FAILED', { field: 'app_origin' });
  await allow(origin);
  expect((await login(key, origin)).status).toBe(200);
});

test.each([
  'https://app.example.com.evil.example',
  'https://sub.app.example.com',
  'https://example.com',
  'http://app.example.com',
  'https://app.example.com:8443',
  'https://app.example.com.',
  'https://user@app.example.com',
  'https://app.example.com/auth',
  'https://app.example.com/',
  'https://APP.example.com',
  'https://app.example.com\\@evil.example',
  'javascript:alert(1)',
  'null',
  '',
])('no passkey is asked for on %j', async (app_origin) => {
  expectRefusal(await beginLogin({ app_origin }), 'VALIDATION_FAILED', { field: 'app_origin' });
});

test('an address is refused by name: browsers keep no passkeys for addresses', async () => {
  await allow('http://127.0.0.1:4173', 'https://192.0.2.1');
  for (const app_origin of ['http://127.0.0.1:4173', 'https://192.0.2.1']) {
    const refused = await beginLogin({ app_origin });
    expectRefusal(refused, 'VALIDATION_FAILED', { field: 'app_origin' });
    expect(refused.body.message).toMatch(/addresses/);
  }
});
