import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { expectRefusal } from '../../helpers/documented.ts';
import { startService } from '../../helpers/service.ts';
import { claimsOf, expectNoSecretLogged } from '../auth-project.ts';
import { origin, passkeyProject } from './passkey-project.ts';
import { type Deviation, type NewDeviation, SoftwareAuthenticator } from './software-authenticator.ts';

// Two gateways: what is used up or counted on one is so on the other.
const service = await startService({ nodes: 2 });
const project = await passkeyProject(service);
afterAll(async () => {
  expectNoSecretLogged(service);
  await project.end();
  await service.stop();
});
beforeEach(() => project.sql('delete from auth.throttles'));

const { auth, begin, finish, beginLogin, finishLogin, register, login } = project;
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();
const twenty = <Result>(run: () => Promise<Result>) => Promise.all(Array.from({ length: 20 }, run));
const signCountOf = async (id: string) => {
  const rows = await project.sql<{ sign_count: string }>(`select sign_count from auth.passkeys where id = '${id}'`);
  return Number(rows[0]!.sign_count);
};

/** With one bit of its bytes turned over. */
const flipped = (text: string, at = -1) => {
  const bytes = Buffer.from(text, 'base64url');
  bytes[bytes.length + at]! ^= 1;
  return bytes.toString('base64url');
};

const foreign = Buffer.alloc(32, 7).toString('base64url');
const both: readonly (readonly [string, Deviation])[] = [
  ['another challenge', { challenge: foreign }],
  ['another origin', { origin: 'http://localhost:3001' }],
  ['a hostile origin', { origin: 'https://example.com' }],
  ['a page in a frame of another origin', { crossOrigin: true }],
  ['another relying party', { rpId: 'example.com' }],
  ['a user who was not verified', { verified: false }],
  ['nobody present', { present: false }],
  ['an answer to something else', { type: 'payment.get' }],
  ['client data that is no JSON', { tamper: (response) => ({ ...response, clientDataJSON: 'AAAA' }) }],
  ['client data that is null', { tamper: (response) => ({ ...response, clientDataJSON: 'bnVsbA' }) }],
];

test.each<readonly [string, NewDeviation]>([
  ...both,
  ['the answer to a sign-in', { type: 'webauthn.get' }],
  ['a key of an unknown algorithm', { algorithm: -65535 }],
  ['an attestation that cannot be read', { tamper: (response) => ({ ...response, attestationObject: 'AAAA' }) }],
  [
    'an attestation cut short',
    { tamper: (response) => ({ ...response, attestationObject: response.attestationObject!.slice(0, 90) }) },
  ],
  ['a statement beside none', { attestation: { fmt: 'none', attStmt: new Map([['alg', -7]]) } }],
  ['a format nobody knows', { attestation: { fmt: 'made-up', attStmt: new Map() } }],
  [
    'a false signature of its own',
    { attestation: { fmt: 'packed', attStmt: new Map([['sig', Buffer.alloc(70, 1)]]) } },
  ],
])('no passkey is made of %s, and its challenge is spent', async (_what, deviation) => {
  const ada = await project.signedIn();
  const key = new SoftwareAuthenticator(origin);
  const asked = (await begin(ada.access_token)).body;
  const made = await finish(ada.access_token, key.create(asked, deviation));
  expectRefusal(made, 'VALIDATION_FAILED', { field: 'response' });
  const right = await finish(ada.access_token, key.create(asked));
  expectRefusal(right, 'VALIDATION_FAILED', { field: 'challenge_id' });
  expect((await auth('GET', '/auth/v1/passkeys', { bearer: ada.access_token })).body.passkeys).toEqual([]);
});

test.each<readonly [string, Deviation]>([
  ...both,
  ['the answer to a registration', { type: 'webauthn.create' }],
  ['a tampered signature', { tamper: (response) => ({ ...response, signature: flipped(response.signature!) }) }],
  ['no signature to speak of', { tamper: (response) => ({ ...response, signature: 'AA' }) }],
  [
    'a raised count that was not signed',
    { tamper: (response) => ({ ...response, authenticatorData: flipped(response.authenticatorData!) }) },
  ],
  [
    'client data that was not signed',
    {
      tamper: (response) => ({
        ...response,
        clientDataJSON: Buffer.from(`${Buffer.from(response.clientDataJSON!, 'base64url')} `).toString('base64url'),
      }),
    },
  ],
  ['authenticator data cut short', { tamper: (response) => ({ ...response, authenticatorData: 'AAAA' }) }],
  ['a handle of nobody', { userHandle: foreign }],
])('nobody is signed in by %s, and its challenge is spent', async (_what, deviation) => {
  const ada = await project.signedIn();
  const { key, record } = await register(ada.access_token, { signCount: 5 });
  const asked = (await beginLogin()).body;
  expectRefusal(await finishLogin(key.get(asked, deviation)), 'INVALID_AUTH', { reason: 'assertion' });
  expectRefusal(await finishLogin(key.get(asked)), 'INVALID_AUTH', { reason: 'challenge' });
  expect(await signCountOf(record.id)).toBe(5);
});

test('another user’s signature is not taken for the one of the credential it names', async () => {
  const [ada, bob] = [await project.signedIn(), await project.signedIn()];
  const adas = (await register(ada.access_token)).key;
  const bobs = (await register(bob.access_token)).key;
  const forged = bobs.get((await beginLogin()).body, { userHandle: null });
  const answer = { ...forged, response: { ...forged.response, id: adas.id, rawId: adas.id } };
  expectRefusal(await finishLogin(answer), 'INVALID_AUTH', { reason: 'assertion' });
  // Authenticators need not name their user.
  const plain = await finishLogin(adas.get((await beginLogin()).body, { userHandle: null }));
  expect(plain.body.user.id).toBe(ada.id);
});

test('an assertion is good once, however many show it to two nodes at once', async () => {
  const ada = await project.signedIn();
  for (const signCount of [0, 9]) {
    const { key } = await register(ada.access_token, { signCount });
    const answer = key.get((await beginLogin()).body);
    const answers = await twenty(() => finishLogin(answer));
    // Ten may be tried; when the right one comes, the count begins anew.
    expect(statuses(answers).filter((status) => status === 200)).toEqual([200]);
    expect(answers.filter(({ status }) => status !== 200 && status !== 401 && status !== 429)).toEqual([]);
  }
});

test('a registration is good once, however many show it to two nodes at once', async () => {
  const ada = await project.signedIn();
  const answer = new SoftwareAuthenticator(origin).create((await begin(ada.access_token)).body);
  const answers = await twenty(() => finish(ada.access_token, answer));
  expect(statuses(answers)).toEqual([201, ...Array.from({ length: 19 }, () => 400)]);
});

test('a challenge is over after five minutes', async () => {
  const ada = await project.signedIn();
  const { key } = await register(ada.access_token);
  const [life] = await project.sql<{ minutes: number }>(
    'select distinct extract(epoch from expires_at - created_at)::float / 60 as minutes from auth.passkey_challenges',
  );
  expect(life).toEqual({ minutes: 5 });
  const late = 'update auth.passkey_challenges set expires_at = now()';
  const signIn = key.get((await beginLogin()).body);
  const registration = new SoftwareAuthenticator(origin).create((await begin(ada.access_token)).body);
  await project.sql(late);
  expectRefusal(await finishLogin(signIn), 'INVALID_AUTH', { reason: 'challenge' });
  expectRefusal(await finish(ada.access_token, registration), 'VALIDATION_FAILED', { field: 'challenge_id' });
  // Whoever begins sweeps up a few.
  const left = 'select from auth.passkey_challenges where expires_at < now()';
  const before = (await project.sql(left)).length;
  await beginLogin();
  expect((await project.sql(left)).length).toBe(Math.max(0, before - 10));
});

test('a count that does not grow is refused, and one that stays 0 is not', async () => {
  const ada = await project.signedIn();
  const counting = await register(ada.access_token, { signCount: 5 });
  expect((await login(counting.key)).status).toBe(200);
  expect(await signCountOf(counting.record.id)).toBe(6);
  for (const signCount of [6, 5, 0]) {
    const answer = counting.key.get((await beginLogin()).body, { signCount });
    expectRefusal(await finishLogin(answer), 'INVALID_AUTH', { reason: 'assertion' });
  }
  expect(await signCountOf(counting.record.id)).toBe(6);
  counting.key.signCount = 40;
  expect((await login(counting.key)).status).toBe(200);
  const still = await register(ada.access_token);
  for (let time = 0; time < 3; time += 1) expect((await login(still.key)).status).toBe(200);
});

test('of twenty authenticators with one count, one signs in', async () => {
  const ada = await project.signedIn();
  const { key } = await register(ada.access_token, { signCount: 5 });
  const asked = await Promise.all(Array.from({ length: 10 }, () => beginLogin()));
  const answers = await Promise.all(asked.map(({ body }) => finishLogin(key.get(body, { signCount: 6 }))));
  expect(statuses(answers)).toEqual([200, ...Array.from({ length: 9 }, () => 401)]);
});

test('ten wrong assertions close a passkey for a while, on every node, and a right one begins the count anew', async () => {
  const ada = await project.signedIn();
  const { key } = await register(ada.access_token);
  const wrong = async (count: number) => {
    for (let time = 0; time < count; time += 1)
      expectRefusal(await finishLogin(key.get((await beginLogin()).body, { verified: false })), 'INVALID_AUTH');
  };
  await wrong(9);
  expect((await login(key)).status).toBe(200);
  await wrong(10);
  const hasty = await login(key);
  expectRefusal(hasty, 'RATE_LIMITED');
  expect(Number(hasty.headers.get('retry-after'))).toBeGreaterThan(0);
  // Nobody else is held up.
  const bob = await project.signedIn();
  expect((await login((await register(bob.access_token)).key)).status).toBe(200);
});

test('a user begins thirty registrations in fifteen minutes, and has twenty passkeys', async () => {
  const ada = await project.signedIn();
  const asked = await Promise.all(Array.from({ length: 25 }, () => begin(ada.access_token)));
  const answers = await Promise.all(
    asked.map(({ body }) => finish(ada.access_token, new SoftwareAuthenticator(origin).create(body))),
  );
  expect(statuses(answers)).toEqual([
    ...Array.from({ length: 20 }, () => 201),
    ...Array.from({ length: 5 }, () => 403),
  ]);
  expectRefusal(answers.find(({ status }) => status === 403)!, 'QUOTA_EXCEEDED', { limit: 20 });
  expectRefusal(await begin(ada.access_token), 'QUOTA_EXCEEDED', { limit: 20 });
  const bob = await project.signedIn();
  for (let time = 0; time < 30; time += 1) expect((await begin(bob.access_token)).status).toBe(200);
  expectRefusal(await begin(bob.access_token), 'RATE_LIMITED');
});

test('an authenticator may vouch for itself, and certificates are neither asked for nor followed', async () => {
  const ada = await project.signedIn();
  const own = { fmt: 'packed', attStmt: new Map() };
  const { key } = await register(ada.access_token, { deviation: { attestation: own } });
  expect(claimsOf((await login(key)).body.access_token).amr).toEqual(['passkey']);
  let asked = 0;
  const lists = createServer((_request, response) => {
    asked += 1;
    response.end();
  });
  lists.listen(0, '127.0.0.1');
  await once(lists, 'listening');
  // Where its list of revoked ones is: whoever follows it asks here.
  const url = Buffer.from(`http://127.0.0.1:${(lists.address() as AddressInfo).port}/crl`);
  const attestation = { fmt: 'packed', attStmt: new Map([['x5c', [url]]]) };
  for (const fmt of ['packed', 'tpm', 'apple', 'fido-u2f', 'android-key', 'android-safetynet']) {
    const body = (await begin(ada.access_token)).body;
    const made = new SoftwareAuthenticator(origin).create(body, { attestation: { ...attestation, fmt } });
    expectRefusal(await finish(ada.access_token, made), 'VALIDATION_FAILED', { field: 'response' });
  }
  expect(asked).toBe(0);
  await new Promise((resolve) => lists.close(resolve));
});

test.each<readonly [string, (response: Record<string, unknown>) => unknown, string]>([
  ['no answer', () => undefined, 'response'],
  ['a text', () => 'passkey', 'response'],
  ['another kind of credential', (one) => ({ ...one, type: 'password' }), 'response.type'],
  ['an id in another alphabet', (one) => ({ ...one, id: 'a+b/' }), 'response.id'],
  ['a padded id', (one) => ({ ...one, rawId: 'YQ==' }), 'response.rawId'],
  ['an id without end', (one) => ({ ...one, id: 'a'.repeat(1_367) }), 'response.id'],
  ['nothing signed', (one) => ({ ...one, response: {} }), 'response.response.clientDataJSON'],
])('an answer that is %s is refused by name', async (_what, change, field) => {
  const ada = await project.signedIn();
  const { key } = await register(ada.access_token);
  const asked = (await beginLogin()).body;
  const assertion = key.get(asked);
  const response = change(assertion.response);
  expectRefusal(await finishLogin({ ...assertion, response }), 'VALIDATION_FAILED', { field });
  const made = new SoftwareAuthenticator(origin).create((await begin(ada.access_token)).body);
  const refused = await finish(ada.access_token, { ...made, response: change(made.response) });
  expectRefusal(refused, 'VALIDATION_FAILED', { field });
  // What could not be read was not tried.
  expect((await finishLogin(assertion)).status).toBe(200);
});

test('ids that differ, labels without end and strange transports are refused', async () => {
  const ada = await project.signedIn();
  const made = new SoftwareAuthenticator(origin).create((await begin(ada.access_token)).body);
  const refused = async (change: object, field: string) =>
    expectRefusal(await finish(ada.access_token, { ...made, ...change }), 'VALIDATION_FAILED', { field });
  await refused({ challenge_id: 'mine' }, 'challenge_id');
  await refused({ label: '' }, 'label');
  await refused({ label: ' ' }, 'label');
  await refused({ label: '🔑'.repeat(101) }, 'label');
  await refused({ label: 'a\u0000b' }, 'label');
  const response = { ...made.response.response, transports: ['<script>'] };
  await refused({ response: { ...made.response, response } }, 'response.response.transports.0');
  await refused({ response: { ...made.response, id: foreign, rawId: foreign } }, 'response');
  const again = new SoftwareAuthenticator(origin).create((await begin(ada.access_token)).body);
  const kept = await finish(ada.access_token, { ...again, label: '🔑'.repeat(100) });
  expect([kept.status, kept.body.label]).toEqual([201, '🔑'.repeat(100)]);
});
