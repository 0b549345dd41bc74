import { afterAll, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { startCheckoutWorld } from './checkout-world.ts';

const world = await startCheckoutWorld();
afterAll(() => world.stop());
const { service, stripe, call, checkout, billing, history, tell, until } = world;
const { admin } = service.actors;

const owner = async (credit = 0) => {
  const { wallet, orgId } = await service.owner();
  if (credit > 0) await call(admin, 'POST', `/orgs/v1/admin/${orgId}/credits`, { body: { amount_usd_micros: credit } });
  return { wallet, orgId };
};
type Owner = Awaited<ReturnType<typeof owner>>;

const buy = async ({ wallet, orgId }: Owner, body: object) => {
  const { body: made } = await checkout(wallet, orgId, body);
  const paid = stripe.pay(made.topup_id);
  await tell('checkout.session.completed', paid);
  return until(wallet, orgId, made.topup_id, 'paid');
};
const moved = async ({ wallet, orgId }: Owner) =>
  (await history(wallet, orgId)).map(({ kind, direction, amount_usd_micros: amount }) => [
    kind,
    direction === 'credit' ? amount : -amount,
  ]);
const backAll = async (topup: string, type = 'charge.refunded') =>
  tell(type, { id: 'ch_1', object: 'charge', payment_intent: stripe.sessionOf(topup).payment_intent });
const pack = { product: 'email_pack' };
const topup = { product: 'balance_topup', amount_usd_micros: 20_000_000 };

test('a tier that is paid by card is set, and the history shows the money', async () => {
  const who = await owner();
  expect(await buy(who, { product: 'tier', tier: 'hobby' })).toMatchObject({ outcome: 'bought', tier: 'hobby' });
  expect(await billing(who.wallet, who.orgId)).toMatchObject({ tier: 'hobby', available_usd_micros: 0 });
  expect(await moved(who)).toEqual([
    ['tier_fee', -5_000_000],
    ['card_topup', 5_000_000],
  ]);
});

test('money for a tier below the one that came meanwhile stays on the balance', async () => {
  const who = await owner(20_000_000);
  const { body: made } = await checkout(who.wallet, who.orgId, { product: 'tier', tier: 'hobby' });
  expect((await call(who.wallet, 'POST', '/tiers/v1/team', { body: { org_id: who.orgId } })).status).toBe(200);
  await tell('checkout.session.completed', stripe.pay(made.topup_id));
  const paid = await until(who.wallet, who.orgId, made.topup_id, 'paid');
  expect(paid.outcome).toBe('kept');
  expect(await billing(who.wallet, who.orgId)).toMatchObject({ tier: 'team', available_usd_micros: 5_000_000 });
});

test('a pack of mail credits is added, and taken back in part with its money', async () => {
  const who = await owner();
  const { topup_id: id } = await buy(who, pack);
  expect(await billing(who.wallet, who.orgId)).toMatchObject({
    email_credits_remaining: 10_000,
    available_usd_micros: 0,
  });
  expect(await moved(who)).toEqual([
    ['email_pack', -5_000_000],
    ['card_topup', 5_000_000],
  ]);
  stripe.refund(id, 250);
  await backAll(id);
  await expect
    .poll(() => billing(who.wallet, who.orgId))
    .toMatchObject({ email_credits_remaining: 5_000, owed_usd_micros: 2_500_000 });
});

test('refunds of 10 and then 5 of 20 take 15 back, and a canceled one is given back', async () => {
  const who = await owner();
  const { topup_id: id } = await buy(who, topup);
  stripe.refund(id, 1_000);
  await backAll(id);
  await expect.poll(async () => (await billing(who.wallet, who.orgId)).available_usd_micros).toBe(10_000_000);
  const second = stripe.refund(id, 500);
  await backAll(id);
  await backAll(id);
  await expect.poll(async () => (await billing(who.wallet, who.orgId)).available_usd_micros).toBe(5_000_000);
  stripe.change(second.id, { status: 'canceled' });
  await tell('refund.updated', stripe.things.get(second.id)!);
  await expect.poll(async () => (await billing(who.wallet, who.orgId)).available_usd_micros).toBe(10_000_000);
  expect(await moved(who)).toEqual([
    ['card_refund', 5_000_000],
    ['card_refund', -5_000_000],
    ['card_refund', -10_000_000],
    ['card_topup', 20_000_000],
  ]);
});

test('a dispute after a refund takes what is left of the payment, and gives it back when it is won', async () => {
  const who = await owner();
  const { topup_id: id } = await buy(who, topup);
  stripe.refund(id, 1_500);
  const dispute = stripe.dispute(id, 2_000);
  await backAll(id, 'charge.dispute.created');
  await expect.poll(async () => (await billing(who.wallet, who.orgId)).available_usd_micros).toBe(0);
  expect(await billing(who.wallet, who.orgId)).toMatchObject({ owed_usd_micros: 0 });
  stripe.change(dispute.id, { status: 'won' });
  await backAll(id, 'charge.dispute.closed');
  await expect.poll(async () => (await billing(who.wallet, who.orgId)).available_usd_micros).toBe(5_000_000);
});

test('credit that is spent is owed after a refund, never a balance below zero, and the next credit pays it', async () => {
  const who = await owner();
  const { topup_id: id } = await buy(who, topup);
  expect((await call(who.wallet, 'POST', '/tiers/v1/hobby', { body: { org_id: who.orgId } })).status).toBe(200);
  stripe.refund(id, 2_000);
  await backAll(id);
  await expect
    .poll(() => billing(who.wallet, who.orgId))
    .toMatchObject({ available_usd_micros: 0, owed_usd_micros: 5_000_000 });
  await buy(who, { product: 'balance_topup', amount_usd_micros: 8_000_000 });
  expect(await billing(who.wallet, who.orgId)).toMatchObject({ available_usd_micros: 3_000_000, owed_usd_micros: 0 });
  expect((await moved(who)).slice(0, 2)).toEqual([
    ['debt', -5_000_000],
    ['card_topup', 8_000_000],
  ]);
});

const recharge = ({ wallet, orgId }: Owner, body: object) =>
  call(wallet, 'PATCH', `/orgs/v1/${orgId}/billing/auto-recharge`, { body });

test('auto-recharge buys a pack from the balance where that covers it', async () => {
  const who = await owner(7_000_000);
  const set = await recharge(who, { enabled: true, threshold: 500 });
  expect(set.body).toEqual({ status: 'ok', org_id: who.orgId, enabled: true, threshold: 500 });
  expect(await billing(who.wallet, who.orgId)).toMatchObject({
    available_usd_micros: 2_000_000,
    email_credits_remaining: 10_000,
    auto_recharge_enabled: true,
    auto_recharge_threshold: 500,
  });
  // There are enough: nothing more is bought.
  await recharge(who, { enabled: true });
  expect((await billing(who.wallet, who.orgId)).available_usd_micros).toBe(2_000_000);
  await recharge(who, { enabled: false });
  expect(await billing(who.wallet, who.orgId)).toMatchObject({ auto_recharge_enabled: false });
});

test('auto-recharge charges the saved card, one pack at a time, and a declined card turns it off', async () => {
  const who = await owner();
  expectRefusal(await recharge(who, { enabled: true }), 'INVALID_STATE');
  await buy(who, { ...pack, save_card: true });
  expect((await billing(who.wallet, who.orgId)).auto_recharge_card).toBe('visa 4242');
  await service.control.sql('update org_balances set email_credits = 10 where org_id = $1', [who.orgId]);
  await Promise.all(Array.from({ length: 8 }, () => recharge(who, { enabled: true, threshold: 2_000 })));
  await expect.poll(async () => (await billing(who.wallet, who.orgId)).email_credits_remaining).toBe(10_010);
  expect(await moved(who)).toHaveLength(4);

  await service.control.sql('update org_balances set email_credits = 10 where org_id = $1', [who.orgId]);
  stripe.decline('insufficient_funds');
  await recharge(who, { enabled: true });
  await expect.poll(async () => (await billing(who.wallet, who.orgId)).auto_recharge_enabled).toBe(false);
  stripe.decline(undefined);
  expect(await billing(who.wallet, who.orgId)).toMatchObject({
    email_credits_remaining: 10,
    auto_recharge_stopped: 'insufficient funds',
  });
  const { body } = await service.call<{ events: { type: string }[] }>(
    who.wallet,
    'GET',
    `/orgs/v1/${who.orgId}/events`,
  );
  expect(JSON.stringify(body)).toContain('auto_recharge_stopped');
});
