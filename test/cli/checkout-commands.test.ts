import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startCheckoutWorld } from '../checkouts/checkout-world.ts';
import { moment } from '../helpers/documented.ts';
import { startLndServer } from '../helpers/lnd-server.ts';
import { terminalOfOwner } from './own-project.ts';

const lnd = await startLndServer();
const world = await startCheckoutWorld({ env: lnd.env });
const { service, stripe, tell } = world;
const [ada, eve] = [await terminalOfOwner(service), await terminalOfOwner(service)];
afterAll(async () => {
  await Promise.all([ada.remove(), eve.remove()]);
  await world.stop();
  await lnd.close();
});

const billing = (...words: string[]) => ada.svc('billing', ...words);
const balance = async () => (await billing('balance')).json.available_usd_micros;
/** Pays a checkout by card, as its page does, and waits until the command says so. */
async function pay(topupId: string) {
  await tell('checkout.session.completed', stripe.pay(topupId));
  await expect.poll(async () => (await billing('checkout-status', topupId)).json.status).toBe('paid');
}
const documents = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('checkout answers the page to pay on, and what is paid there is on the balance', async () => {
  const asked = ['--product', 'balance-topup', '--amount', '20000000', '--idempotency-key', 'twenty'];
  const { json } = await billing('checkout', ...asked);
  expect(json).toMatchObject({
    org_id: ada.org,
    product: 'balance_topup',
    rail: 'card',
    status: 'pending',
    amount_usd_micros: 20_000_000,
    checkout_url: stripe.sessionOf(json.topup_id).url,
  });
  expect((await billing('checkout', ...asked)).json.topup_id).toBe(json.topup_id);
  await pay(json.topup_id);
  expect(await balance()).toBe(20_000_000);
  expect((await billing('history')).json.entries).toMatchObject([
    { kind: 'card_topup', amount_usd_micros: 20_000_000 },
  ]);
  const shown = await billing('checkout-status', json.topup_id, '--human');
  expect(shown.stdout).toMatch(/amount\s+\$20\.00/);
});

test('checkout buys a tier, and by the wallet or the address of somebody else for their organization', async () => {
  const tier = await billing('checkout', '--product', 'tier', '--tier', 'hobby');
  await pay(tier.json.topup_id);
  expect((await ada.svc('org', 'get')).json.tier).toBe('hobby');
  const own = await billing('checkout', ada.address, '--product', 'balance-topup', '--amount', '5000000');
  expect(own.json).toMatchObject({ org_id: ada.org, status: 'pending' });
});

test('checkout refuses what is sold to nobody, and an organization that is somebody else’s', async () => {
  const checkout = (...words: string[]) => billing('checkout', ...words);
  expect((await checkout()).error.code).toBe('BAD_USAGE');
  expect((await checkout('--product', 'tier', '--tier', 'gold')).error.code).toBe('BAD_USAGE');
  expect((await checkout('--product', 'gold')).error.code).toBe('VALIDATION_FAILED');
  expect((await checkout('--product', 'balance-topup')).error.code).toBe('VALIDATION_FAILED');
  expect((await checkout('--product', 'balance-topup', '--amount', '1')).error.code).toBe('VALIDATION_FAILED');
  const wanted = ['--product', 'balance-topup', '--amount', '5000000'];
  const [foreign, absent] = [await checkout(eve.org, ...wanted), await checkout(randomUUID(), ...wanted)];
  expect(foreign.error).toMatchObject({ code: absent.error.code, message: absent.error.message });
  const { topup_id: hers } = (await checkout(...wanted)).json;
  expect((await eve.svc('billing', 'checkout-status', hers)).error.code).toBe('LIGHTNING_TOPUP_NOT_FOUND');
});

test('topup makes one invoice for a key, with its picture, and --wait sees it paid', async () => {
  const before = await balance();
  const asked = ['topup', '--sats', '1000', '--idempotency-key', randomUUID()];
  const { code, json } = await billing(...asked, '--qr', 'invoice.svg');
  expect(code).toBe(0);
  expect(json).toMatchObject({ rail: 'lightning', status: 'pending', amount_sats: 1_000, amount_usd_micros: 650_005 });
  expect(await readFile(join(ada.checkout, 'invoice.svg'), 'utf8')).toMatch(/^<svg|^<\?xml/);
  const waiting = billing(...asked, '--wait');
  lnd.pay(json.payment_hash);
  const waited = await waiting;
  const told = documents(waited.stdout);
  expect(waited.code).toBe(0);
  expect(told.at(-1)).toMatchObject({ topup_id: json.topup_id, status: 'paid', paid_at: moment });
  expect(await balance()).toBe(before + 650_005);
});

test('topup --wait ends with 2 when nobody pays, and the invoice stands', async () => {
  const waited = await billing('topup', '--sats', '1000', '--wait', '--timeout', '1');
  expect(waited.code).toBe(2);
  const [made] = documents(waited.stdout);
  expect((await billing('checkout-status', made.topup_id)).json.status).toBe('pending');
  expect((await billing('topup')).error.code).toBe('BAD_USAGE');
  const before = lnd.invoices.size;
  expect((await billing('topup', '--sats', '1000', '--qr', 'no/such/invoice.png')).error.code).toBe('BAD_FILE');
  expect(lnd.invoices.size).toBe(before);
  for (const sats of ['99', '1000001'])
    expect((await billing('topup', '--sats', sats)).error).toMatchObject({
      code: 'LIGHTNING_TOPUP_AMOUNT_OUT_OF_BOUNDS',
      http: 400,
    });
  expect((await billing('topup', '--sats', '1000', '--org', eve.org)).error.code).toBe('NOT_AUTHORIZED');
});

test('auto-recharge buys mail credits where they are low, and is turned off again', async () => {
  const shown = async () => (await billing('balance')).json;
  expect((await eve.svc('billing', 'auto-recharge', 'on')).error.code).toBe('INVALID_STATE');
  expect((await billing('auto-recharge', 'maybe')).error).toMatchObject({ code: 'BAD_USAGE', field: 'state' });
  expect((await billing('auto-recharge')).error.code).toBe('BAD_USAGE');
  const before = await shown();
  const set = await billing('auto-recharge', 'on', '--threshold', '500');
  expect(set.json).toEqual({ org_id: ada.org, enabled: true, updated: true });
  expect(await shown()).toMatchObject({
    auto_recharge_enabled: true,
    auto_recharge_threshold: 500,
    email_credits_remaining: 10_000,
    available_usd_micros: before.available_usd_micros - 5_000_000,
  });
  expect((await billing('auto-recharge', ada.org, 'off')).json).toMatchObject({ enabled: false });
  expect(await shown()).toMatchObject({ auto_recharge_enabled: false });
  expect((await billing('auto-recharge', eve.org, 'on')).error.code).toBe('NOT_AUTHORIZED');
});
