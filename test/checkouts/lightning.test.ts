import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { startLndServer } from '../helpers/lnd-server.ts';
import { startCheckoutWorld } from './checkout-world.ts';

const lnd = await startLndServer();
const world = await startCheckoutWorld({ env: lnd.env });
afterAll(async () => {
  await world.stop();
  await lnd.close();
});
const { service, checkout, read, billing, history, until } = world;

const asked = (sats: unknown = 1_000) => ({ product: 'balance_topup', rail: 'lightning', amount_sats: sats });
const keyed = (key: string = randomUUID()) => ({ 'idempotency-key': key });
const begun = async () => {
  const { wallet, orgId } = await service.owner();
  const { body: made } = await checkout(wallet, orgId, asked(), keyed());
  return { wallet, orgId, made, topupId: made.topup_id as string, hash: made.payment_hash as string };
};
/** As if an invoice had ended before now. */
const endedAgo = (topupId: string, seconds: number) =>
  service.control.sql(
    `update checkouts set invoice_expires_at = now() - make_interval(secs => $2), due_at = now() where id = $1`,
    [topupId, seconds],
  );
const lookAgain = (topupId: string) =>
  service.control.sql('update checkouts set due_at = now() where id = $1', [topupId]);

test('an invoice states its value, and is credited once when it is paid', async () => {
  const { wallet, orgId, made, topupId, hash } = await begun();
  expect(made).toMatchObject({
    rail: 'lightning',
    status: 'pending',
    bolt11: expect.stringMatching(/^lnbcrt10000n1/),
    payment_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    amount_sats: 1_000,
    // 1,000 sats at 65,000.50 dollars, rounded down.
    amount_usd_micros: 650_005,
    usd_value_is_quote: true,
    quoted_rate: { usd_per_btc: '65000.50', source: 'configuration', observed_at: moment, amount_sats: 1_000 },
    invoice_expires_at: moment,
    paid_at: null,
  });
  lnd.pay(hash);
  const paid = await until(wallet, orgId, topupId, 'paid');
  await lookAgain(topupId);
  expect(paid).toMatchObject({ paid_at: moment, credited_ledger_id: expect.stringMatching(/^led_/), next_actions: [] });
  expect(await history(wallet, orgId)).toMatchObject([{ kind: 'lightning_topup', amount_usd_micros: 650_005 }]);
});

test('the same key makes one invoice, and another input with it is refused', async () => {
  const { wallet, orgId } = await service.owner();
  const before = lnd.invoices.size;
  const headers = keyed();
  const answers = await Promise.all(Array.from({ length: 8 }, () => checkout(wallet, orgId, asked(), headers)));
  expect(new Set(answers.map(({ body }) => body.bolt11)).size).toBe(1);
  expect(lnd.invoices.size).toBe(before + 1);
  expectRefusal(await checkout(wallet, orgId, asked(2_000), headers), 'IDEMPOTENCY_KEY_REUSED');
  expectRefusal(await checkout(wallet, orgId, asked()), 'IDEMPOTENCY_KEY_REQUIRED');
});

test('a payment within an hour after the end is credited as late, and none after that', async () => {
  const late = await begun();
  await endedAgo(late.topupId, 1_800);
  await until(late.wallet, late.orgId, late.topupId, 'expired');
  lnd.pay(late.hash, new Date(Date.now() - 60_000));
  await lookAgain(late.topupId);
  await until(late.wallet, late.orgId, late.topupId, 'paid_late');
  expect((await billing(late.wallet, late.orgId)).available_usd_micros).toBe(650_005);

  const tooLate = await begun();
  await endedAgo(tooLate.topupId, 7_300);
  lnd.pay(tooLate.hash, new Date(Date.now() - 60_000));
  await lookAgain(tooLate.topupId);
  await until(tooLate.wallet, tooLate.orgId, tooLate.topupId, 'expired');
  expect(await history(tooLate.wallet, tooLate.orgId)).toEqual([]);

  // It was paid in time, and nobody looked for hours.
  const unseen = await begun();
  lnd.pay(unseen.hash, new Date(Date.now() - 7_400_000));
  await endedAgo(unseen.topupId, 7_300);
  await until(unseen.wallet, unseen.orgId, unseen.topupId, 'paid');
});

test.each<[string, object | string]>([
  ['garbage', '<html>'],
  ['nothing', '{}'],
  ['another invoice', { r_hash: randomBytes(32).toString('base64') }],
  ['a preimage that does not fit', { r_preimage: randomBytes(32).toString('base64') }],
  ['less than it asks', { amt_paid_msat: '999000' }],
  ['no moment', { settle_date: '0' }],
])(
  'a node that answers %s for one invoice is not believed, and no other invoice waits for it',
  async (_case, fault) => {
    const first = await begun();
    const second = await begun();
    lnd.spoil(first.hash, fault);
    lnd.pay(first.hash);
    lnd.pay(second.hash);
    await until(second.wallet, second.orgId, second.topupId, 'paid');
    expect((await read(first.wallet, first.orgId, first.topupId)).status).toBe('pending');
    lnd.spoil(first.hash, undefined);
    await lookAgain(first.topupId);
    await until(first.wallet, first.orgId, first.topupId, 'paid');
  },
);

test('a node that is away refuses the top-up, and the next try makes it', async () => {
  const { wallet, orgId } = await service.owner();
  lnd.fail(1_000);
  expectRefusal(await checkout(wallet, orgId, asked(), keyed()), 'LIGHTNING_TOPUP_PROVIDER_UNAVAILABLE');
  lnd.fail(0);
  expect((await checkout(wallet, orgId, asked(), keyed())).status).toBe(200);
});

test.each([99, 1_000_001, 100.5, -5])('%s sats are out of bounds', async (sats) => {
  const { wallet, orgId } = await service.owner();
  expectRefusal(await checkout(wallet, orgId, asked(sats), keyed()), 'LIGHTNING_TOPUP_AMOUNT_OUT_OF_BOUNDS');
});

test('anybody of the organization may top it up by lightning, and nobody else', async () => {
  const { orgId } = await service.owner();
  const viewer = await service.actors.session();
  await service.actors.member(orgId, viewer.principalId, 'viewer');
  expect((await checkout(viewer, orgId, asked(), keyed())).status).toBe(200);
  expectRefusal(await checkout((await service.owner()).wallet, orgId, asked(), keyed()), 'NOT_AUTHORIZED');
  expectRefusal(await checkout(viewer, orgId, { ...asked(), product: 'email_pack' }, keyed()), 'VALIDATION_FAILED', {
    field: 'product',
  });
});
