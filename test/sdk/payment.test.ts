import { randomBytes } from 'node:crypto';
import { getAddress } from 'viem';
import { afterAll, expect, test } from 'vitest';
import {
  createClient,
  newInviteKey,
  type Payer,
  type PaymentChallenge,
  readInviteKey,
  type SvcError,
  settlementOf,
} from '../../clients/sdk/src/index.ts';
import { startChain } from '../helpers/chain.ts';
import { startService } from '../helpers/service.ts';
import { type Offer, sign } from '../payments/shop.ts';
import { faultyRoad } from './faulty-road.ts';
import { newWallet, ownProject } from './sdk-stage.ts';

const payTo = getAddress(`0x${randomBytes(20).toString('hex')}`);
const chain = await startChain({ chainId: 84532 });
const service = await startService({
  env: {
    SVC_LEASES: 'on',
    SETTLEMENT_ADDRESS: payTo,
    X402_SETTLER_KEY: chain.settlerKey,
    RPC_URL_BASE_SEPOLIA: chain.rpcUrl,
  },
});
const road = await faultyRoad(service.url);
afterAll(async () => {
  road.close();
  await service.stop();
  await chain.stop();
});

const hobbyPrice = 5_000_000n;
const caught = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: SvcError) => error,
  );

async function customer() {
  const account = await chain.payer();
  const challenges: PaymentChallenge[] = [];
  const payer: Payer = async (challenge) => {
    challenges.push(challenge);
    return sign(account, challenge.accepts[0] as unknown as Offer);
  };
  const client = createClient({ baseUrl: road.url, credential: newWallet().credential, payer, retry: { pauseMs: 1 } });
  await client.orgs.create({});
  road.seen.splice(0);
  return { account, challenges, client };
}

test('what costs is paid by the payer, and the same request is sent once more with the payment', async () => {
  const { account, challenges, client } = await customer();
  let headers: Headers | undefined;
  const answer = await client.tiers.set(
    { tier: 'hobby' },
    { idempotencyKey: 'one-payment', onResponse: (response) => (headers = response.headers) },
  );
  expect(answer).toMatchObject({ tier: 'hobby', previousTier: 'prototype', action: 'upgrade' });
  expect(challenges).toMatchObject([{ x402Version: 2, accepts: [{ amount: String(hobbyPrice), payTo }] }]);
  expect(settlementOf(headers!)).toMatchObject({ success: true, network: 'eip155:84532' });
  expect(await chain.balanceOf(account.address)).toBe(1_000_000_000n - hobbyPrice);
  expect(road.seen).toHaveLength(2);
  const [first, second] = road.seen;
  expect([second!.body, second!.url, second!.headers['idempotency-key']]).toEqual([
    first!.body,
    first!.url,
    'one-payment',
  ]);
  expect(first!.headers['x-svc-payment-attempt-id']).toMatch(/^pat_[0-9a-f]{32}$/);
  expect(second!.headers['x-svc-payment-attempt-id']).toBe(first!.headers['x-svc-payment-attempt-id']);
  expect(first!.headers['payment-signature']).toBeUndefined();
  expect(second!.headers['payment-signature']).toBeTruthy();
});

test('no key is made up for what costs, and the payer is asked once', async () => {
  const { account, challenges, client } = await customer();
  const other = await chain.payer(0n);
  const bad: Payer = async (challenge) => {
    challenges.push(challenge);
    return sign(other, challenge.accepts[0] as unknown as Offer);
  };
  const error = await caught(client.tiers.set({ tier: 'hobby' }, { payer: bad }));
  expect(error).toMatchObject({ status: 402, kind: 'payment_required' });
  expect(challenges).toHaveLength(1);
  expect(road.seen.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined, undefined]);
  // Another call is another attempt, and whoever pays for nothing makes none.
  await caught(client.tiers.set({ tier: 'hobby' }, { payer: async () => undefined }));
  const attempts = road.seen.map(({ headers }) => headers['x-svc-payment-attempt-id']);
  expect([attempts[0] === attempts[1], attempts[1] === attempts[2]]).toEqual([true, false]);
  road.seen.splice(0);
  const poor = createClient({ baseUrl: road.url, credential: newWallet().credential });
  await poor.tiers.list();
  expect(road.seen[0]!.headers['x-svc-payment-attempt-id']).toBeUndefined();
  expect(await chain.balanceOf(account.address)).toBe(1_000_000_000n);
});

test('without a payer, or with one that will not pay, the challenge is an error', async () => {
  const { client } = await customer();
  const error = await caught(client.tiers.set({ tier: 'hobby' }, { payer: async () => undefined }));
  expect(error).toMatchObject({
    code: 'PAYMENT_REQUIRED',
    nextActions: [{ type: 'submit_payment' }, { type: 'fund_wallet' }],
  });
  expect(road.seen).toHaveLength(1);
});

test('a payment whose answer is lost is not sent again: what became of it has to be found out', async () => {
  const { client } = await customer();
  const { payer } = client.connection.options;
  const error = await caught(
    client.tiers.set(
      { tier: 'hobby' },
      {
        idempotencyKey: 'lost',
        payer: (challenge, request) => {
          road.plan('lost');
          return payer!(challenge, request);
        },
      },
    ),
  );
  expect(error).toMatchObject({
    code: 'X402_PAYMENT_OUTCOME_AMBIGUOUS',
    safeToRetry: false,
    nextActions: [{ type: 'reconcile_payment' }],
  });
  expect(road.seen).toHaveLength(2);
});

test('a payment that a page of somebody else’s answers, or that its sender stops, is as unknown as one without an answer', async () => {
  const { client } = await customer();
  const { payer } = client.connection.options;
  const refused = (plan: () => void, signal?: AbortSignal) =>
    caught(
      client.tiers.set(
        { tier: 'hobby' },
        {
          ...(signal === undefined ? {} : { signal }),
          async payer(challenge, request) {
            const paid = await payer!(challenge, request);
            plan();
            return paid;
          },
        },
      ),
    );
  const unknown = { code: 'X402_PAYMENT_OUTCOME_AMBIGUOUS', safeToRetry: false, mutationState: 'unknown' };
  expect(await refused(() => road.plan({ status: 502, body: { oops: 'Bad gateway' } }))).toMatchObject(unknown);
  expect(road.seen).toHaveLength(2);
  const ending = new AbortController();
  expect(await refused(() => ending.abort(new Error('enough')), ending.signal)).toMatchObject(unknown);
});

test('a room’s key is made, handed on, and redeemed by whoever pays for the seat', async () => {
  const { client, org, project: room } = await ownProject(service);
  const made = await newInviteKey();
  const { inviteId, authHash } = made;
  await client.rooms.mintInvite({ org, room, inviteId, authHash, note: 'welcome' });
  const { invites } = await client.rooms.listInvites({ org, room });
  expect(invites.map((one) => one.inviteId)).toEqual([inviteId]);
  const handed = await readInviteKey(made.key);
  expect(handed).toEqual(made);
  const guest = await customer();
  const seated = await guest.client.rooms.claimInvite({ invite: handed.inviteId, authSecret: handed.authSecret });
  expect(seated).toMatchObject({ kind: 'room', orgId: org, note: 'welcome', seat: { amountUsdMicros: 10_000 } });
  await expect(readInviteKey('kri1_short')).rejects.toThrow('no invite key');
});
