import { randomBytes } from 'node:crypto';
import { ExactEvmScheme } from '@x402/evm';
import { wrapFetchWithPaymentFromConfig } from '@x402/fetch';
import { getAddress } from 'viem';
import { afterAll, expect, test } from 'vitest';
import type { Actor } from '../helpers/actors.ts';
import { startChain } from '../helpers/chain.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { challengeOf, decoded, paying, sign, statesOf } from './shop.ts';

const hobbyPrice = 5_000_000;
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
afterAll(async () => {
  await service.stop();
  await chain.stop();
});

const { nobody, admin } = service.actors;
const set = (actor: Actor, tier: string, headers: Record<string, string> = {}, orgId?: string) =>
  service.call<Record<string, unknown>>(actor, 'POST', `/tiers/v1/${tier}`, {
    headers,
    body: orgId === undefined ? {} : { org_id: orgId },
  });
const signed = async (actor: Actor, tier: string, orgId?: string) => {
  const payer = await chain.payer();
  return { payer, header: await sign(payer, challengeOf(await set(actor, tier, {}, orgId)).accepts[0]) };
};
const eventsOf = (orgId: string) =>
  service.control.sql<{ payload: Record<string, unknown> }>(
    `select payload from events where org_id = $1 and type = 'platform_payment_received' order by position`,
    [orgId],
  );
const entriesOf = async (orgId: string) =>
  (
    await service.call<{ entries: { kind: string; amount_usd_micros: number }[] }>(
      admin,
      'GET',
      `/orgs/v1/${orgId}/billing/history`,
    )
  ).body.entries.map(({ kind, amount_usd_micros }) => [kind, amount_usd_micros]);

test('a wallet whose balance does not cover a tier pays on the test network, and its organization is told', async () => {
  const { wallet, orgId } = await service.owner();
  const asked = await set(wallet, 'hobby');
  expectRefusal(asked, 'PAYMENT_REQUIRED', {
    price: { sku: 'tier_hobby', amount_usd_micros: hobbyPrice, network: 'base-sepolia' },
  });
  expect(asked.body).toMatchObject({
    mutation_state: 'none',
    next_actions: [{ type: 'submit_payment' }, { type: 'fund_wallet' }],
  });
  expect(challengeOf(asked)).toMatchObject({
    x402Version: 2,
    resource: { url: `${service.url}/tiers/v1/hobby` },
    accepts: [{ network: 'eip155:84532', amount: '5000000', payTo, maxTimeoutSeconds: 300, extra: { name: 'USDC' } }],
  });
  const { payer, header } = await signed(wallet, 'hobby');
  const paid = await set(wallet, 'hobby', paying(header));
  expect([paid.status, paid.body]).toMatchObject([
    200,
    { org_id: orgId, action: 'upgrade', tier: 'hobby', previous_tier: 'prototype', allowance_remaining_usd_micros: 0 },
  ]);
  expect(decoded(paid.headers.get('payment-response'))).toMatchObject({ success: true, network: 'eip155:84532' });
  expect(paid.headers.get('x-svc-payment-delivery')).toBe('first');
  expect(await chain.balanceOf(payer.address)).toBe(995_000_000n);
  expect(await entriesOf(orgId)).toEqual([
    ['tier_fee', hobbyPrice],
    ['x402_payment', hobbyPrice],
  ]);
  const [event, ...others] = await eventsOf(orgId);
  expect(others).toEqual([]);
  expect(event!.payload).toEqual({
    kind: 'tier',
    amount_usd_micros: hobbyPrice,
    rail: 'x402',
    receipt_id: paid.headers.get('x-svc-payment-id'),
  });

  // The same payment again: what it bought, no second lease, no receipt.
  const again = await set(wallet, 'hobby', paying(header));
  expect([again.status, again.body]).toMatchObject([
    200,
    { payment_replay: true, funds_moved: false, committed_lease_expires_at: paid.body.lease_expires_at },
  ]);
  expect(again.headers.get('payment-response')).toBeNull();
  expect(again.headers.get('x-svc-payment-deduplicated')).toBe('true');
  expectRefusal(await set(wallet, 'team', paying(header)), 'PAYMENT_REQUIRED');
  expectRefusal(await set((await service.owner()).wallet, 'hobby', paying(header)), 'TIER_PAYMENT_IDENTITY_REUSED');
  expect(await entriesOf(orgId)).toHaveLength(2);
  expect(await eventsOf(orgId)).toHaveLength(1);
});

test('an idempotency key gives the paid answer again, without a payment', async () => {
  const { wallet, orgId } = await service.owner();
  const { header } = await signed(wallet, 'hobby');
  const key = { 'idempotency-key': randomBytes(8).toString('hex') };
  const paid = await set(wallet, 'hobby', { ...paying(header), ...key });
  const again = await set(wallet, 'hobby', key);
  expect([again.status, again.body]).toEqual([200, paid.body]);
  expect(await entriesOf(orgId)).toHaveLength(2);
});

test('whoever pays without a credential gets an organization of its own on that tier', async () => {
  const { payer, header } = await signed(nobody, 'hobby');
  const paid = await set(nobody, 'hobby', paying(header));
  expect([paid.status, paid.body]).toMatchObject([
    201,
    { wallet: payer.address.toLowerCase(), action: 'subscribe', tier: 'hobby', previous_tier: null },
  ]);
  expect(await eventsOf(String(paid.body.org_id))).toHaveLength(1);
  const again = await set(nobody, 'hobby', paying(header));
  expect([again.status, again.body.payment_replay]).toEqual([201, true]);
  expect(await chain.balanceOf(payer.address)).toBe(995_000_000n);
  // A new payment of the same wallet renews the same lease.
  const next = await set(
    nobody,
    'hobby',
    paying(await sign(payer, challengeOf(await set(nobody, 'hobby')).accepts[0])),
  );
  expect(next.body).toMatchObject({ org_id: paid.body.org_id, action: 'renew' });
});

test('an unmodified client buys a tier, by its payment alone', async () => {
  const payer = await chain.payer();
  const schemes = [{ network: 'eip155:84532' as const, client: new ExactEvmScheme(payer) }];
  const fetchAndPay = wrapFetchWithPaymentFromConfig(fetch, { schemes, spendControls: { maxAmountPerPayment: '$10' } });
  const answer = await fetchAndPay(`${service.url}/tiers/v1/hobby`, { method: 'POST' });
  expect([answer.status, await answer.json()]).toMatchObject([
    201,
    { tier: 'hobby', wallet: payer.address.toLowerCase() },
  ]);
});

test('a balance that covers a tier is what pays, and nobody is asked', async () => {
  const { wallet, orgId } = await service.owner();
  await service.call(admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, { body: { amount_usd_micros: hobbyPrice } });
  const bought = await set(wallet, 'hobby');
  expect([bought.status, bought.headers.get('payment-response')]).toEqual([200, null]);
});

test('a lower tier is refused before anything is paid, and free tiers need somebody', async () => {
  const { wallet } = await service.owner();
  const { payer, header } = await signed(wallet, 'hobby');
  await set(wallet, 'team', paying((await signed(wallet, 'team')).header));
  expectRefusal(await set(wallet, 'hobby', paying(header)), 'VALIDATION_FAILED');
  expect(await chain.balanceOf(payer.address)).toBe(1_000_000_000n);
  expect(await statesOf(service.control, payer.address)).toEqual([]);
  expectRefusal(await set(nobody, 'prototype'), 'AUTH_REQUIRED');
  expectRefusal(await set(nobody, 'prototype', paying(header)), 'TIER_PAYMENT_IDENTITY_REQUIRED');
});

test('the wallet’s signature that was sent when the price was asked is good for the paid request', async () => {
  const { wallet } = await service.owner();
  const headers = await wallet.headers('/tiers/v1/hobby');
  const send = (more = {}) =>
    service.call<Record<string, unknown>>(nobody, 'POST', '/tiers/v1/hobby', {
      body: {},
      headers: { ...headers, ...more },
    });
  const payer = await chain.payer();
  const header = await sign(payer, challengeOf(await send()).accepts[0]);
  expect((await send(paying(header))).status).toBe(200);
  // It is spent by then.
  const next = await sign(payer, challengeOf(await send()).accepts[0]);
  expectRefusal(await send(paying(next)), 'INVALID_AUTH');
  expect(await chain.balanceOf(payer.address)).toBe(995_000_000n);
});

test('the graph sells tiers, too', async () => {
  const { wallet, orgId } = await service.owner();
  const query = `mutation ($org: ID!) { setOrganizationTier(input: { org: $org, tier: HOBBY }) { orgId tier } }`;
  const ask = (headers = {}) =>
    service.call<{ data: unknown }>(wallet, 'POST', '/graphql', {
      body: { query, variables: { org: orgId } },
      headers,
    });
  const asked = await ask();
  expect(asked.status).toBe(402);
  const payer = await chain.payer();
  const paid = await ask(paying(await sign(payer, challengeOf(asked).accepts[0])));
  expect([paid.status, paid.body.data]).toMatchObject([200, { setOrganizationTier: { orgId, tier: 'HOBBY' } }]);
  expect(decoded(paid.headers.get('payment-response')).success).toBe(true);
  expect(await chain.balanceOf(payer.address)).toBe(995_000_000n);
});
