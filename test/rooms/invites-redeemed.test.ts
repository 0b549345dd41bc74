import { randomBytes, randomUUID } from 'node:crypto';
import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { newKey } from './invite-key.ts';
import { roomsOf } from './room.ts';

const service = await startService();
afterAll(() => service.stop());
const newRoom = roomsOf(service);
const { nobody } = service.actors;

async function invited() {
  const room = await newRoom();
  const key = newKey();
  expect((await room.post('/invites', { invite_id: key.id, auth_hash: key.authHash })).status).toBe(201);
  const set = (change: string) => service.control.sql(`update room_invites set ${change} where id = $1`, [key.id]);
  return { ...room, ...key, set };
}

const redeem = (id: string, auth_secret: unknown, { verb = 'claim', headers = {}, more = {} } = {}) =>
  service.call<Record<string, unknown>>(nobody, 'POST', `/rooms/v1/invites/${id}/${verb}`, {
    body: { auth_secret, ...more },
    headers,
  });
type Redeemed = Awaited<ReturnType<typeof redeem>>;

const challengeOf = ({ headers }: Redeemed) => {
  const header = headers.get('payment-required')!;
  expect(header).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
  return JSON.parse(Buffer.from(header, 'base64').toString());
};

function expectChallenge(answer: Redeemed, id: string, { verb = 'claim', error = 'Payment required' } = {}): void {
  expectRefusal(answer, 'PAYMENT_REQUIRED', {
    price: { sku: 'room_seat', amount_usd_micros: 10_000, network: 'base-sepolia' },
  });
  expect(answer.body).toMatchObject({
    mutation_state: 'none',
    next_actions: [{ type: 'submit_payment' }, { type: 'fund_wallet' }],
  });
  expect(challengeOf(answer)).toEqual({
    x402Version: 2,
    error,
    resource: {
      url: `${service.url}/rooms/v1/invites/${id}/${verb}`,
      description: 'A permanent viewer seat in a room.',
      mimeType: 'application/json',
    },
    accepts: [
      {
        scheme: 'exact',
        network: 'eip155:84532',
        asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
        amount: '10000',
        payTo: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        maxTimeoutSeconds: 300,
        extra: { name: 'USDC', version: '2' },
      },
    ],
    extensions: { 'payment-identifier': expect.any(Object) },
  });
}

test('a key is 69 characters, and its secret and hash are derived as documented', () => {
  const master = Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', 'hex');
  expect(newKey('00112233-4455-4677-8899-aabbccddeeff', master)).toEqual({
    id: '00112233-4455-4677-8899-aabbccddeeff',
    key: 'kri1_ABEiM0RVRneImaq7zN3u_wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f',
    authSecret: 'PwL9nFlnUBJ86RkMdY9wQkUBD1tthEDgTdSFT5lSsO4',
    authHash: 'd7c681418f7b5a94c1ade0c0e787c677d4fbbfda04f16c5c2f8fe86e294b92af',
  });
});

test.each(['claim', 'redeem'])('whoever holds a key is asked to pay for a seat at /%s', async (verb) => {
  const { id, authSecret } = await invited();
  expectChallenge(await redeem(id, authSecret, { verb }), id, { verb });
  expectChallenge(await redeem(id.toUpperCase(), authSecret, { verb }), id.toUpperCase(), { verb });
});

test('what guests say of themselves is taken, and judged as when joining', async () => {
  const { id, authSecret } = await invited();
  const more = { requested_name: 'Guest', task: 'look', program: 'p', model: 'm', session_key: 's' };
  expectChallenge(await redeem(id, authSecret, { more }), id);
  expectRefusal(await redeem(id, authSecret, { more: { task: 'a\nb' } }), 'VALIDATION_FAILED', { field: 'task' });
});

test('no credential is looked at, neither a good one nor a bad one', async () => {
  const { id, authSecret, wallet } = await invited();
  const path = `/rooms/v1/invites/${id}/claim`;
  for (const headers of [
    { authorization: 'Bearer nonsense' },
    { 'sign-in-with-x': 'nonsense' },
    { apikey: 'nonsense' },
    { 'x-admin-key': 'nonsense' },
    await wallet.headers(path),
  ]) {
    expectChallenge(await redeem(id, authSecret, { headers }), id);
  }
});

test.each([
  ['payment-signature', 'nonsense', 'invalid_payload'],
  ['payment-signature', Buffer.from('{}').toString('base64'), 'invalid_x402_version'],
  [
    'payment-signature',
    Buffer.from(JSON.stringify({ x402Version: 2, accepted: {}, payload: {} })).toString('base64'),
    'invalid_payload',
  ],
  ['x-payment', Buffer.from(JSON.stringify({ x402Version: 1, payload: null })).toString('base64'), 'invalid_payload'],
  ['x-payment', 'A'.repeat(8_000), 'invalid_payload'],
])('what is no payment in %s is asked for again and changes nothing', async (header, value, error) => {
  const { id, authSecret, count } = await invited();
  expectChallenge(await redeem(id, authSecret, { headers: { [header]: value } }), id, { error });
  expect(await count('room_presences')).toBe(0);
});

test('a key that there is not and a wrong secret are refused alike, before anything is asked for', async () => {
  const { id, orgId } = await invited();
  const wrong = randomBytes(32).toString('base64url');
  const answers = await Promise.all([redeem(id, wrong), redeem(randomUUID(), wrong), redeem('nonsense', wrong)]);
  for (const answer of answers) {
    expectRefusal(answer, 'ROOM_INVITE_KEY_INVALID');
    expect(answer.headers.get('payment-required')).toBeNull();
    expect({ ...answer.body, trace_id: '' }).toEqual({ ...answers[1]!.body, trace_id: '' });
    expect(answer.text).not.toContain(orgId);
  }
});

test('another key’s secret opens nothing', async () => {
  const one = await invited();
  const other = await invited();
  expectRefusal(await redeem(one.id, other.authSecret), 'ROOM_INVITE_KEY_INVALID');
  // Nor does what the server keeps.
  expectRefusal(
    await redeem(one.id, Buffer.from(one.authHash, 'hex').toString('base64url')),
    'ROOM_INVITE_KEY_INVALID',
  );
});

test.each([
  ['revoked_at = now()', 'ROOM_INVITE_KEY_REVOKED'],
  ['expires_at = now()', 'ROOM_INVITE_KEY_EXPIRED'],
  ['expires_at = now(), revoked_at = now()', 'ROOM_INVITE_KEY_REVOKED'],
] as const)('a key with %s is refused as %s, to whoever holds it alone', async (change, code) => {
  const { id, authSecret, set } = await invited();
  await set(change);
  expectRefusal(await redeem(id, authSecret), code);
  expectRefusal(await redeem(id, randomBytes(32).toString('base64url')), 'ROOM_INVITE_KEY_INVALID');
});

test('a key of a deleted project’s room opens nothing', async () => {
  const { wallet, orgId, projectId } = await service.project();
  const key = newKey();
  const path = `/orgs/v1/${orgId}/rooms/${projectId}/invites`;
  await service.call(wallet, 'POST', path, { body: { invite_id: key.id, auth_hash: key.authHash } });
  expectChallenge(await redeem(key.id, key.authSecret), key.id);
  expect((await service.call(wallet, 'DELETE', `/projects/v1/${projectId}`)).status).toBe(200);
  expectRefusal(await redeem(key.id, key.authSecret), 'ROOM_INVITE_KEY_INVALID');
});

test('a secret is 32 bytes in base64url, in the one spelling there is for them', async () => {
  const { id, authSecret } = await invited();
  const bytes = Buffer.from(authSecret, 'base64url');
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(authSecret.at(-1)!);
  for (const bad of [
    '',
    undefined,
    5,
    `${authSecret}=`,
    ` ${authSecret}`,
    bytes.toString('hex'),
    bytes.subarray(1).toString('base64url'),
    Buffer.concat([bytes, bytes]).toString('base64url'),
    // The same bytes once more, with a bit set that no byte has.
    authSecret.slice(0, -1) + alphabet[last + 1],
    'x'.repeat(129),
  ]) {
    expectRefusal(await redeem(id, bad), 'VALIDATION_FAILED', { field: 'auth_secret' });
  }
});

test('who guesses too often waits', async () => {
  const { id } = await invited();
  const wrong = randomBytes(32).toString('base64url');
  expectRefusal(await redeem(id, wrong), 'ROOM_INVITE_KEY_INVALID');
  const { rateLimiter } = service.app.services;
  const bucket = ['outside:address:127.0.0.1', { perSecond: 20, burst: 200 }] as const;
  // As if many had been tried.
  rateLimiter.charge(...bucket, 100_000);
  expectRefusal(await redeem(id, wrong), 'RATE_LIMITED');
  rateLimiter.charge(...bucket, -200_000);
  expectRefusal(await redeem(id, wrong), 'ROOM_INVITE_KEY_INVALID');
});

test('without a wallet in the configuration the challenge names one that only the root secret can open', async () => {
  const { id, authSecret } = await invited();
  const own = privateKeyToAddress(`0x${service.app.services.keys.key('settlement').toString('hex')}`);
  expect(challengeOf(await redeem(id, authSecret)).accepts[0].payTo).toBe(own);
});

test('the challenge names the wallet of the configuration, in the case that clients compare', async () => {
  const address = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
  const configured = await startService({ env: { SETTLEMENT_ADDRESS: address.toLowerCase() } });
  try {
    const room = await roomsOf(configured)();
    const { id, authHash, authSecret } = newKey();
    await room.post('/invites', { invite_id: id, auth_hash: authHash });
    const path = `/rooms/v1/invites/${id}/redeem`;
    const answer = await configured.call<Record<string, unknown>>(nobody, 'POST', path, {
      body: { auth_secret: authSecret },
    });
    expect(challengeOf(answer).accepts[0].payTo).toBe(address);
  } finally {
    await configured.stop();
  }
});
