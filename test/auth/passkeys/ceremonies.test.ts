import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { expectRefusal, moment } from '../../helpers/documented.ts';
import { sharedService } from '../../helpers/shared-service.ts';
import { claimsOf, expectNoSecretLogged, newEmail } from '../auth-project.ts';
import { origin, passkeyProject } from './passkey-project.ts';
import { SoftwareAuthenticator } from './software-authenticator.ts';

const service = await sharedService();
const project = await passkeyProject(service);
const other = await passkeyProject(service);
afterAll(async () => {
  expectNoSecretLogged(service);
  await project.end();
  await other.end();
  await service.stop();
});

const { auth, begin, finish, beginLogin, finishLogin, register, login } = project;
const hostOrigin = async (of = project) => {
  const [row] = await service.control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
    of.projectId,
  ]);
  return `http://p-${row!.public_id}.localhost:4022`;
};

test('a passkey is registered for the host of the app, and signs its user in', async () => {
  const ada = await project.signedIn();
  const asked = await begin(ada.access_token);
  expect([asked.status, asked.body]).toEqual([
    200,
    {
      challenge_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      options: {
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        rp: { id: 'localhost', name: 'localhost' },
        user: {
          id: Buffer.from(ada.id.replaceAll('-', ''), 'hex').toString('base64url'),
          name: ada.email,
          displayName: ada.email,
        },
        pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })),
        timeout: 300_000,
        attestation: 'none',
        excludeCredentials: [],
        authenticatorSelection: { residentKey: 'preferred', requireResidentKey: false, userVerification: 'required' },
        extensions: { credProps: true },
        hints: [],
      },
    },
  ]);
  const key = new SoftwareAuthenticator(origin);
  const made = await finish(ada.access_token, { ...key.create(asked.body), label: ' My key ' });
  const record = {
    id: expect.any(String),
    rp_id: 'localhost',
    created_origin: origin,
    last_used_origin: null,
    transports: ['internal', 'hybrid'],
    label: 'My key',
    credential_device_type: 'multiDevice',
    credential_backed_up: true,
    created_at: moment,
    last_used_at: null,
  };
  expect([made.status, made.body]).toEqual([201, record]);

  const options = await beginLogin();
  expect([options.status, options.body]).toEqual([
    200,
    {
      challenge_id: expect.any(String),
      options: {
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        rpId: 'localhost',
        timeout: 300_000,
        userVerification: 'required',
      },
    },
  ]);
  const session = await finishLogin(key.get(options.body));
  expect(session.status).toBe(200);
  expect(session.body.user.id).toBe(ada.id);
  expect(session.body).not.toHaveProperty('elevation_required');
  const proof = { amr: ['passkey'], aal: 'aal2', passkey_id: made.body.id };
  expect(claimsOf(session.body.access_token)).toMatchObject(proof);
  const refreshed = await project.refresh(session.body.refresh_token);
  expect(claimsOf(refreshed.body.access_token)).toMatchObject({
    ...proof,
    auth_time: claimsOf(session.body.access_token).auth_time,
  });
  const own = { bearer: ada.access_token };
  const used = { ...record, id: made.body.id, last_used_origin: origin, last_used_at: moment };
  expect((await auth('GET', '/auth/v1/passkeys', own)).body).toEqual({ passkeys: [used] });
  expect((await auth('GET', '/auth/v1/account/passkeys', own)).body).toEqual({ passkeys: [used] });
  const sessions = await auth('GET', '/auth/v1/account/sessions', own);
  expect(sessions.body.sessions.map((one: { passkey_id: unknown }) => one.passkey_id)).toEqual([made.body.id, null]);
  const again = await begin(ada.access_token);
  expect(again.body.options.excludeCredentials).toEqual([
    { id: key.id, transports: ['internal', 'hybrid'], type: 'public-key' },
  ]);
});

test('what is said of a user tells its passkeys, and whether one is for the host that asks', async () => {
  const ada = await project.signedIn();
  const own = { bearer: ada.access_token };
  const user = async (query = '') => (await auth('GET', `/auth/v1/user${query}`, own)).body;
  const security = async (query = '') => (await auth('GET', `/auth/v1/account/security${query}`, own)).body;
  expect(await user(`?app_origin=${origin}`)).toMatchObject({
    has_passkeys: false,
    passkey_count: 0,
    has_passkey_for_current_rp: false,
    current_rp_id: 'localhost',
  });
  await register(ada.access_token);
  const at = await hostOrigin();
  const host = new URL(at).hostname;
  const known = { has_passkeys: true, passkey_count: 1 };
  expect(await user()).toMatchObject({ ...known, has_passkey_for_current_rp: null, current_rp_id: null });
  expect(await user('?app_origin=http://localhost:9')).toMatchObject({ has_passkey_for_current_rp: true });
  expect(await user(`?app_origin=${at}`)).toMatchObject({ has_passkey_for_current_rp: false, current_rp_id: host });
  expect(await security(`?app_origin=${origin}`)).toMatchObject({
    svc_passkey_count: 1,
    has_svc_passkey_for_current_rp: true,
    current_rp_id: 'localhost',
    passkey_rp_scope: 'host',
  });
  expect(await security()).toMatchObject({ has_svc_passkey_for_current_rp: null, current_rp_id: null });
  const { body } = await auth('GET', '/auth/v1/providers');
  expect(body.passkey).toEqual({ enabled: true, resident_key: 'preferred', user_verification: 'required' });
});

test('a passkey of the project’s own host signs in there, and nowhere else', async () => {
  const ada = await project.signedIn();
  const at = await hostOrigin();
  const { key, record } = await register(ada.access_token, { origin: at });
  expect(record).toMatchObject({ rp_id: new URL(at).hostname, created_origin: at });
  expect((await login(key, at)).body.user.id).toBe(ada.id);
  const elsewhere = await beginLogin();
  expectRefusal(await finishLogin(key.get(elsewhere.body, { origin })), 'INVALID_AUTH', { reason: 'assertion' });
});

test.each([
  ['another host', 'https://example.com'],
  ['a host that ends alike', 'http://evil-localhost:3000'],
  ['localhost under a name', 'http://app.localhost:3000'],
  ['localhost over TLS', 'https://localhost'],
  ['an address', 'http://127.0.0.1:3000'],
  ['a path', 'http://localhost:3000/app'],
  ['a slash', 'http://localhost:3000/'],
  ['letter case', 'http://LOCALHOST:3000'],
  ['somebody before the host', 'http://localhost:3000@example.com'],
  ['full-width letters', 'http://ｌocalhost:3000'],
  ['no origin', 'null'],
  ['nothing', ''],
  ['too much', `http://localhost:3000/${'a'.repeat(2_048)}`],
])('%s is no origin of the project', async (_what, app_origin) => {
  const ada = await project.signedIn();
  expectRefusal(await begin(ada.access_token, app_origin), 'VALIDATION_FAILED', { field: 'app_origin' });
  expectRefusal(await beginLogin({ app_origin }), 'VALIDATION_FAILED', { field: 'app_origin' });
});

test('the host of another project is no origin of this one', async () => {
  const ada = await project.signedIn();
  const app_origin = await hostOrigin(other);
  expectRefusal(await begin(ada.access_token, app_origin), 'VALIDATION_FAILED', { field: 'app_origin' });
  expectRefusal(await beginLogin({ app_origin }), 'VALIDATION_FAILED', { field: 'app_origin' });
});

test('the answer to who wants to sign in is the same for known and unknown addresses', async () => {
  const ada = await project.signedIn();
  const { key } = await register(ada.access_token);
  const shapeOf = ({ body }: { body: { options: object } }) => ({ ...body.options, challenge: undefined });
  const known = await beginLogin({ email: ada.email });
  const unknown = await beginLogin({ email: newEmail() });
  expect([known.status, unknown.status]).toEqual([200, 200]);
  expect(Object.keys(known.body)).toEqual(Object.keys(unknown.body));
  expect(shapeOf(known)).toEqual(shapeOf(unknown));
  expect(known.body.options).not.toHaveProperty('allowCredentials');
  // The address that was told is held to, in whatever case.
  expectRefusal(await finishLogin(key.get(unknown.body)), 'INVALID_AUTH', { reason: 'assertion' });
  const meant = await beginLogin({ email: ` ${ada.email.toUpperCase()} ` });
  expect((await finishLogin(key.get(meant.body))).body.user.id).toBe(ada.id);
});

test('a passkey of one user or one project signs nobody else in', async () => {
  const [ada, bob] = [await project.signedIn(), await project.signedIn()];
  const adas = await register(ada.access_token);
  const bobs = await register(bob.access_token);
  const refused = async (answer: object) =>
    expectRefusal(await finishLogin(answer), 'INVALID_AUTH', { reason: 'assertion' });
  // Bob’s signature under Ada’s name, and Ada’s own under Bob’s handle.
  const asked = await beginLogin();
  const forged = bobs.key.get(asked.body);
  await refused({ ...forged, response: { ...forged.response, id: adas.key.id, rawId: adas.key.id } });
  await refused(adas.key.get((await beginLogin()).body, { userHandle: bobs.key.userHandle! }));
  const elsewhere = await other.beginLogin();
  expectRefusal(await other.finishLogin(adas.key.get(elsewhere.body)), 'INVALID_AUTH', { reason: 'assertion' });
  // A challenge of one project is unknown in another.
  expectRefusal(await finishLogin(adas.key.get((await other.beginLogin()).body)), 'INVALID_AUTH', {
    reason: 'challenge',
  });
  const list = await auth('GET', '/auth/v1/passkeys', { bearer: bob.access_token });
  expect(list.body.passkeys.map(({ id }: { id: string }) => id)).toEqual([bobs.record.id]);
  const taken = await auth('DELETE', `/auth/v1/passkeys/${adas.record.id}`, { bearer: bob.access_token });
  expectRefusal(taken, 'RESOURCE_NOT_FOUND');
  expect((await login(adas.key)).status).toBe(200);
  const foreign = await other.begin(ada.access_token);
  expect([foreign.status, foreign.body.error]).toEqual([403, 'project_token_mismatch']);
});

test('a credential is registered once, whoever shows it again', async () => {
  const [ada, bob] = [await project.signedIn(), await project.signedIn()];
  const { key } = await register(ada.access_token);
  for (const { access_token } of [ada, bob]) {
    const asked = await begin(access_token);
    expectRefusal(await finish(access_token, key.create(asked.body)), 'PASSKEY_ALREADY_REGISTERED');
  }
});

test('a session finishes only what it began', async () => {
  const ada = await project.signedIn();
  const bob = await project.signedIn();
  const second = (await project.signIn(ada.email, ada.password)).body;
  const field = { field: 'challenge_id' };
  const key = new SoftwareAuthenticator(origin);
  for (const stranger of [bob, second]) {
    const answer = key.create((await begin(ada.access_token)).body);
    expectRefusal(await finish(stranger.access_token, answer), 'VALIDATION_FAILED', field);
    expect((await finish(ada.access_token, answer)).status).toBe(stranger === bob ? 201 : 409);
  }
  // Nor is a challenge for one ceremony good for the other.
  const login = await beginLogin();
  const registration = await begin(ada.access_token);
  const crossed = key.create({ ...registration.body, challenge_id: login.body.challenge_id });
  expectRefusal(await finish(ada.access_token, crossed), 'VALIDATION_FAILED', field);
  const assertion = key.get({ ...login.body, challenge_id: registration.body.challenge_id });
  expectRefusal(await finishLogin(assertion), 'INVALID_AUTH', { reason: 'challenge' });
  expectRefusal(await finishLogin({ ...assertion, challenge_id: randomUUID() }), 'INVALID_AUTH', {
    reason: 'challenge',
  });
});

test('the passkeys of nobody in particular are not told of', async () => {
  expectRefusal(await begin(undefined), 'AUTH_REQUIRED');
  expectRefusal(await auth('GET', '/auth/v1/passkeys'), 'AUTH_REQUIRED');
  expectRefusal(await auth('DELETE', `/auth/v1/passkeys/${randomUUID()}`), 'AUTH_REQUIRED');
  expectRefusal(await auth('GET', '/auth/v1/passkeys', { bearer: project.serviceKey }), 'AUTH_REQUIRED');
  const ended = await project.signedIn();
  const asked = await begin(ended.access_token);
  await auth('POST', '/auth/v1/logout', { bearer: ended.access_token });
  const answer = new SoftwareAuthenticator(origin).create(asked.body);
  expectRefusal(await finish(ended.access_token, answer), 'INVALID_AUTH');
  const keyless = await service.call(service.actors.nobody, 'POST', '/auth/v1/passkeys/login/options', {
    body: { app_origin: origin },
  });
  expectRefusal(keyless, 'AUTH_REQUIRED');
});
