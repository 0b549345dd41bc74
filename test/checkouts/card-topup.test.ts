import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { startCheckoutWorld } from './checkout-world.ts';

const world = await startCheckoutWorld();
afterAll(() => world.stop());
const { service, stripe, checkout, read, billing, history, tell, until, send } = world;
const topup = { product: 'balance_topup', amount_usd_micros: 20_000_000 };

const begun = async (body: object = topup) => {
  const { wallet, orgId } = await service.owner();
  const { body: made } = await checkout(wallet, orgId, body);
  return { wallet, orgId, made, topupId: made.topup_id as string };
};

test('a payment by card is credited once, whatever tells of it', async () => {
  const { wallet, orgId, made, topupId } = await begun();
  expect(made).toMatchObject({
    org_id: orgId,
    product: 'balance_topup',
    rail: 'card',
    status: 'pending',
    checkout_url: stripe.sessionOf(topupId).url,
    amount_usd_micros: 20_000_000,
    credited_ledger_id: null,
    next_actions: [{ type: 'poll', method: 'GET', path: `/orgs/v1/${orgId}/checkouts/${topupId}` }],
  });
  const paid = stripe.pay(topupId);
  await tell('checkout.session.completed', paid);
  await tell('payment_intent.succeeded', stripe.things.get(paid.payment_intent as string)!);
  const settled = await until(wallet, orgId, topupId, 'paid');
  await tell('checkout.session.completed', paid, { created: new Date('2019-01-01') });
  expect(settled).toMatchObject({ paid_at: moment, next_actions: [], outcome: null, failure: null });
  const entries = await history(wallet, orgId);
  expect(entries).toMatchObject([{ kind: 'card_topup', amount_usd_micros: 20_000_000, reference_id: topupId }]);
  expect(settled.credited_ledger_id).toBe((entries[0] as unknown as { id: string }).id);
  expect((await billing(wallet, orgId)).available_usd_micros).toBe(20_000_000);
});

test('money that has not come yet is not credited, and a failure can be read', async () => {
  const first = await begun();
  await tell('checkout.session.completed', stripe.pay(first.topupId, 'processing'));
  await expect.poll(async () => (await looksOf(first.topupId)) > 0).toBe(true);
  expect((await read(first.wallet, first.orgId, first.topupId)).status).toBe('pending');
  expect((await billing(first.wallet, first.orgId)).available_usd_micros).toBe(0);
  await tell('checkout.session.async_payment_succeeded', stripe.finish(first.topupId, 'paid'));
  await until(first.wallet, first.orgId, first.topupId, 'paid');
  expect((await billing(first.wallet, first.orgId)).available_usd_micros).toBe(20_000_000);

  const second = await begun();
  stripe.pay(second.topupId, 'processing');
  await tell('checkout.session.async_payment_failed', stripe.finish(second.topupId, 'failed'));
  const failed = await until(second.wallet, second.orgId, second.topupId, 'failed');
  expect(failed.failure).toBe('insufficient funds');
  expect((await billing(second.wallet, second.orgId)).available_usd_micros).toBe(0);
});

const looksOf = async (topupId: string) =>
  (await service.control.sql<{ looks: number }>('select looks from checkouts where id = $1', [topupId]))[0]!.looks;

test('an event that comes before the answer of the creation credits it', async () => {
  const { wallet, orgId } = await service.owner();
  const release = stripe.hold();
  const asked = checkout(wallet, orgId, topup);
  const rowOf = () =>
    service.control.sql<{ id: string }>('select id from checkouts where org_id = $1', [orgId]).then(([row]) => row?.id);
  await expect.poll(rowOf).toBeDefined();
  const topupId = (await rowOf())!;
  release();
  await asked;
  await tell('checkout.session.completed', stripe.pay(topupId));
  await until(wallet, orgId, topupId, 'paid');
});

test('an event that nobody signed moves nothing, nor one that was signed with another secret', async () => {
  const { wallet, orgId, topupId } = await begun();
  const paid = stripe.pay(topupId);
  const { body, signature } = stripe.event('checkout.session.completed', paid);
  const forged = stripe.event('checkout.session.completed', paid, {}, 'whsec_of_somebody_else');
  for (const [sent, header] of [
    [forged.body, forged.signature],
    [body.replace('20', '21'), signature],
    [body, ''],
    [body, signature.replace(/t=\d+/, 't=1500000000')],
  ] as const) {
    const answer = await send(sent, header);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'CARD_EVENT_SIGNATURE_INVALID' });
  }
  expect((await read(wallet, orgId, topupId)).status).toBe('pending');
});

test('events of another account, and of payments that are nobody’s here, are acknowledged and move nothing', async () => {
  const { wallet, orgId, topupId } = await begun();
  const paid = stripe.pay(topupId);
  await tell('checkout.session.completed', paid, { account: 'acct_of_somebody' });
  await tell('checkout.session.completed', { ...paid, client_reference_id: randomUUID(), metadata: {} });
  await tell('charge.refunded', { id: 'ch_1', object: 'charge', payment_intent: 'pi_unknown' });
  await tell('invoice.paid', { id: 'in_1', object: 'invoice' });
  expect((await read(wallet, orgId, topupId)).status).toBe('pending');
});

test('a payment of another amount, currency or top-up than was asked for is not credited', async () => {
  for (const wrong of [
    { amount_total: 100 },
    { currency: 'eur' },
    { livemode: true },
    { client_reference_id: randomUUID() },
  ]) {
    const { wallet, orgId, topupId } = await begun();
    const paid = stripe.pay(topupId);
    stripe.change(paid.id, wrong);
    await tell('checkout.session.completed', paid);
    const failed = await until(wallet, orgId, topupId, 'failed');
    expect(failed.failure).toMatch(/^The payment/);
    expect(await history(wallet, orgId)).toEqual([]);
  }
});

test('a payment whose event was lost is found by asking', async () => {
  const { wallet, orgId, topupId } = await begun();
  stripe.pay(topupId);
  await service.control.sql('update checkouts set due_at = now() where id = $1', [topupId]);
  await until(wallet, orgId, topupId, 'paid');
});

test('a provider that is away refuses the creation, and is asked again for what is open', async () => {
  const { wallet, orgId } = await service.owner();
  stripe.fail('down', 'hang_up', 'hang_up', 'hang_up');
  expectRefusal(await checkout(wallet, orgId, topup), 'CARD_CHECKOUT_PROVIDER_UNAVAILABLE');
  stripe.fail();
  const { topupId, ...other } = await begun();
  const paid = stripe.pay(topupId);
  stripe.fail('garbage', 'garbage', 'garbage');
  await tell('checkout.session.completed', paid);
  await expect.poll(async () => (await looksOf(topupId)) > 0).toBe(true);
  stripe.fail();
  await service.control.sql('update checkouts set due_at = now() where id = $1', [topupId]);
  await until(other.wallet, other.orgId, topupId, 'paid');
});

test('the same key begins one payment', async () => {
  const { wallet, orgId } = await service.owner();
  const headers = { 'idempotency-key': randomUUID() };
  const answers = await Promise.all(Array.from({ length: 8 }, () => checkout(wallet, orgId, topup, headers)));
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(new Set(answers.map(({ body }) => body.topup_id)).size).toBe(1);
});

test.each<[string, object, string]>([
  ['no amount', { product: 'balance_topup' }, 'amount_usd_micros'],
  ['less than fifty cents', { product: 'balance_topup', amount_usd_micros: 490_000 }, 'amount_usd_micros'],
  ['a part of a cent', { product: 'balance_topup', amount_usd_micros: 505_000 }, 'amount_usd_micros'],
  ['more than the provider takes', { product: 'balance_topup', amount_usd_micros: 1e12 }, 'amount_usd_micros'],
  ['sats by card', { ...topup, amount_sats: 100 }, 'amount_sats'],
  ['a product that there is not', { product: 'gold' }, 'product'],
  ['a tier without its name', { product: 'tier' }, 'tier'],
  ['the free tier', { product: 'tier', tier: 'prototype' }, 'tier'],
  ['a price for a pack', { product: 'email_pack', amount_usd_micros: 1_000_000 }, 'amount_usd_micros'],
  ['a way back that is no address', { ...topup, success_url: 'javascript:alert(1)' }, 'success_url'],
])('%s is refused', async (_case, body, field) => {
  const { wallet, orgId } = await service.owner();
  expectRefusal(await checkout(wallet, orgId, body), 'VALIDATION_FAILED', { field });
});

test('only who may handle the money begins one, and a top-up is seen in its organization alone', async () => {
  const { wallet, orgId, topupId } = await begun();
  const viewer = await service.actors.session();
  await service.actors.member(orgId, viewer.principalId, 'viewer');
  const stranger = await service.owner();
  expectRefusal(await checkout(viewer, orgId, topup), 'NOT_AUTHORIZED');
  expectRefusal(await checkout(stranger.wallet, orgId, topup), 'NOT_AUTHORIZED');
  expectRefusal(
    await service.call(stranger.wallet, 'GET', `/orgs/v1/${stranger.orgId}/checkouts/${topupId}`),
    'LIGHTNING_TOPUP_NOT_FOUND',
  );
  expectRefusal(await service.call(stranger.wallet, 'GET', `/orgs/v1/${orgId}/checkouts/${topupId}`), 'NOT_AUTHORIZED');
  expect((await read(viewer, orgId, topupId)).status).toBe('pending');
  expect((await read(wallet, orgId, topupId)).status).toBe('pending');
});

test('GraphQL begins a payment and shows where it stands', async () => {
  const { wallet, orgId } = await service.owner();
  const { data } = await service.graphql(
    wallet,
    `mutation ($input: CreateCheckoutInput!) { createCheckout(input: $input) { topupId paymentUrl status rail product
      amountUsdMicros organization { id } } }`,
    { input: { org: orgId, product: 'BALANCE_TOPUP', amountUsdMicros: 1_000_000 } },
  );
  const { topupId, ...made } = data.createCheckout;
  expect(made).toEqual({
    paymentUrl: stripe.sessionOf(topupId).url,
    status: 'PENDING',
    rail: 'CARD',
    product: 'BALANCE_TOPUP',
    amountUsdMicros: 1_000_000,
    organization: { id: `Organization_${orgId}` },
  });
  await tell('checkout.session.completed', stripe.pay(topupId));
  await until(wallet, orgId, topupId, 'paid');
  const shown = await service.graphql(
    wallet,
    'query ($org: ID!, $topup: String!) { checkout(org: $org, topup: $topup) { status creditedEntryId } }',
    { org: orgId, topup: topupId },
  );
  expect(shown.data.checkout).toEqual({ status: 'PAID', creditedEntryId: expect.stringMatching(/^led_/) });
});
