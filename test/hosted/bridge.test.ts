import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { claimsOf, newEmail } from '../auth/auth-project.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { hostedProject } from './hosted-project.ts';

const service = await sharedService();
const project = await hostedProject(service);
const other = await hostedProject(service);
afterAll(async () => {
  await project.end();
  await other.end();
  await service.stop();
});

const { auth, at, serviceKey: key } = project;
const path = '/auth/v1/sessions/from-identity';
const proof = { signature: 'checked' };
const identity = (more: object = {}) => ({ provider: 'wallet', subject: randomUUID(), proof, ...more });
const bridge = (body: object) => auth('POST', path, { body, key });
/** As a function of the project does it: on the project's host, without a page behind it. */
const byFunction = (json: object, headers: Record<string, string> = { authorization: `Bearer ${key}` }) =>
  at('POST', path, { json, headers, origin: null });

test('a known identity is signed in, an unknown one only where a user is to be made, and then once', async () => {
  const given = identity();
  expectRefusal(await bridge(given), 'SVC_AUTH_UNKNOWN_IDENTITY');
  const answers = await Promise.all(Array.from({ length: 20 }, () => bridge({ ...given, createUser: true })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ body }) => body.user.id)).size).toBe(1);
  const again = await bridge(given);
  expect([again.body.user.id, again.body.provider]).toEqual([answers[0]!.body.user.id, 'wallet']);
  expect(claimsOf(again.body.access_token)).toMatchObject({ amr: ['wallet'], aal: 'aal1', role: 'authenticated' });
  expect(again.body.user.email).toMatch(/^[0-9a-f]{40}@wallet\.invalid$/);
  const { body } = await auth('GET', '/auth/v1/user', { bearer: again.body.access_token });
  expect(body.identities).toMatchObject([{ provider: 'wallet', provider_sub: given.subject, provider_email: null }]);
  expectRefusal(await other.auth('POST', path, { body: given, key: other.serviceKey }), 'SVC_AUTH_UNKNOWN_IDENTITY');
});

test('an identity is of its provider, and realms of a project’s own have a name', async () => {
  const subject = randomUUID();
  const ids = new Set<string>();
  for (const provider of ['wallet', 'oidc', 'custom', 'tenant:acme'])
    ids.add((await bridge({ provider, subject, proof: 'x', createUser: true })).body.user.id);
  expect(ids.size).toBe(4);
  for (const provider of ['tenant', 'tenant:'])
    expectRefusal(await bridge(identity({ provider })), 'SVC_AUTH_TENANT_SUFFIX_REQUIRED');
  for (const provider of ['google', 'Wallet', 'tenant:A', 'password', ''])
    expectRefusal(await bridge(identity({ provider })), 'VALIDATION_FAILED', { field: 'provider' });
});

test.each([undefined, null, '', '  ', {}, [], { verified: false }, 0, false, true])(
  'the proof %j is none',
  async (nothing) => {
    expectRefusal(await bridge(identity({ proof: nothing, createUser: true })), 'SVC_AUTH_SESSION_BRIDGE_UNVERIFIED');
  },
);

test('an address that is another user’s is not taken over', async () => {
  const { email } = await project.user();
  const given = identity({ createUser: true, email });
  expectRefusal(await bridge(given), 'SVC_AUTH_IDENTITY_LINK_CONFLICT');
  expectRefusal(await bridge({ ...given, createUser: false }), 'SVC_AUTH_UNKNOWN_IDENTITY');
  const own = newEmail();
  const made = await bridge({ ...given, email: own, display_name: 'Ada' });
  expect(made.body.user).toMatchObject({ email: own, display_name: 'Ada', email_verified_at: null });
  // By then it is known, whatever address is given.
  expect((await bridge({ ...given, email })).body.user.id).toBe(made.body.user.id);
});

test('what a function has seen is told as it says, but never as a way to sign in here', async () => {
  const made = await bridge(identity({ createUser: true, amr: ['siwe', 'mfa', 'siwe'] }));
  expect(claimsOf(made.body.access_token).amr).toEqual(['siwe', 'mfa']);
  for (const amr of ['password', 'magic_link', 'email_code', 'oauth', 'passkey', 'test', 'A', ''])
    expectRefusal(await bridge(identity({ createUser: true, amr: [amr] })), 'VALIDATION_FAILED', { field: 'amr.0' });
});

test('on the project’s host the answer carries the cookie, and tokens nowhere', async () => {
  const answer = await byFunction(identity({ createUser: true }));
  expect([answer.status, answer.body]).toEqual([
    200,
    { ok: true, user: expect.objectContaining({ id: expect.any(String) }) },
  ]);
  expect(answer.text).not.toMatch(/svcr_|eyJ/);
  const seen = await at('GET', '/auth/account/identities', { cookie: answer.cookie });
  expect(seen.body.identities).toMatchObject([{ provider: 'wallet' }]);
});

test('it is for the service key of the project whose host it is', async () => {
  const { access_token } = await project.signedIn();
  const body = identity({ createUser: true });
  expectRefusal(await auth('POST', path, { body }), 'FORBIDDEN');
  expectRefusal(await auth('POST', path, { body, bearer: access_token }), 'FORBIDDEN');
  expectRefusal(await byFunction(body, {}), 'AUTH_REQUIRED');
  expectRefusal(await byFunction(body, { apikey: project.anonKey }), 'FORBIDDEN');
  expectRefusal(await byFunction(body, { authorization: `Bearer ${other.serviceKey}` }), 'FORBIDDEN');
  const { cookie } = await project.visitor();
  expectRefusal(await at('POST', path, { json: body, cookie }), 'AUTH_REQUIRED');
});

test('on the API the session of the bearer ends', async () => {
  const { access_token: bearer, refresh_token } = await project.signedIn();
  const ended = await auth('POST', '/auth/v1/sessions/end', { bearer, body: {} });
  expect([ended.status, ended.body]).toEqual([200, { ok: true }]);
  expectRefusal(await project.refresh(refresh_token), 'INVALID_AUTH');
  expectRefusal(await auth('POST', '/auth/v1/sessions/end', { bearer, body: {} }), 'INVALID_AUTH');
  expectRefusal(await auth('POST', '/auth/v1/sessions/end', { body: {} }), 'AUTH_REQUIRED');
});
