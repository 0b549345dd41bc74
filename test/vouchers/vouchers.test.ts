import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { documentedCalls, expectRefusal, moment } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';

const service = await startService({ env: { TRUSTED_PROXIES: '127.0.0.1, ::1' } });
afterAll(() => service.stop());
const call = documentedCalls(service);
const { admin, nobody } = service.actors;

const issuers = '/vouchers/v1/admin/issuers';
const caps = {
  voucher_max_usd_micros: 1_000_000,
  outstanding_max_usd_micros: 5_000_000,
  daily_max_usd_micros: 6_000_000,
};

async function issuer(more: object = {}) {
  const made = await call(admin, 'POST', issuers, { body: { name: `Fair ${randomUUID()}`, ...caps, ...more } });
  expect(made.status).toBe(201);
  return { id: made.body.issuer_id as string, actor: service.actors.bearer(made.body.issuer_key), body: made.body };
}

const mint = (actor: Parameters<typeof call>[0], amount: number, more: object = {}) =>
  call(actor, 'POST', '/vouchers/v1', {
    body: { amount_usd_micros: amount, idempotency_key: randomUUID(), ...more },
  });
const redeem = (actor: Parameters<typeof call>[0], code: string, more: object = {}) =>
  call(actor, 'POST', '/vouchers/v1/redemptions', { body: { code, ...more } });
const billingOf = async (orgId: string) => (await call(admin, 'GET', `/orgs/v1/${orgId}/billing`)).body;
const voucherOf = async (amount: number) => (await mint((await issuer()).actor, amount)).body.code as string;

test('a voucher is worth its amount once, however often its organization redeems it', async () => {
  const { actor } = await issuer();
  const minted = await mint(actor, 400_000, { ref: 'fair-7' });
  expect(minted.status).toBe(201);
  expect(minted.body).toMatchObject({ amount_usd_micros: 400_000, ref: 'fair-7', redeemed_at: null });
  expect(minted.body.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
  const { wallet, orgId } = await service.owner();
  const redeemed = await redeem(wallet, minted.body.code);
  expect(redeemed.status).toBe(201);
  expect(redeemed.body).toEqual({
    voucher_id: minted.body.voucher_id,
    amount_usd_micros: 400_000,
    balance_usd_micros: 400_000,
    organization_id: orgId,
    redeemed_at: moment,
    already_redeemed: false,
    promo_lifetime_ceiling_usd_micros: 1_000_000,
    next_actions: [expect.objectContaining({ type: 'set_tier', path: '/tiers/v1/hobby' })],
  });
  const again = await redeem(wallet, minted.body.code);
  expect(again.status).toBe(200);
  expect(again.body).toEqual({ ...redeemed.body, already_redeemed: true });
  const { entries } = (await call(wallet, 'GET', `/orgs/v1/${orgId}/billing/history`)).body;
  expect(entries).toMatchObject([
    { kind: 'voucher', direction: 'credit', amount_usd_micros: 400_000, reference_id: minted.body.voucher_id },
  ]);
  const listed = await call(actor, 'GET', '/vouchers/v1');
  expect(listed.body.vouchers).toEqual([
    expect.objectContaining({ voucher_id: minted.body.voucher_id, redeemed_at: redeemed.body.redeemed_at }),
  ]);
  expect(JSON.stringify(listed.body)).not.toContain(minted.body.code);
});

test('a code is read as people type it, and a malformed one is refused like an unknown one', async () => {
  const code = await voucherOf(1_000);
  const { wallet } = await service.owner();
  const typed = code.toLowerCase().replaceAll('-', '').replaceAll('0', 'o').replaceAll('1', 'l');
  expect((await redeem(wallet, ` ${typed} `)).status).toBe(201);
  for (const wrong of ['0000-0000-0000-0000', 'hello', 'ÜÜÜÜ-0000-0000-0000', "' or 1=1 --"]) {
    expectRefusal(await redeem(wallet, wrong), 'VOUCHER_NOT_FOUND');
  }
  expectRefusal(await call(wallet, 'POST', '/vouchers/v1/redemptions', { body: {} }), 'VALIDATION_FAILED');
  expectRefusal(await redeem(nobody, code), 'AUTH_REQUIRED');
});

test('a wallet without an organization gets one with its first voucher', async () => {
  const wallet = service.actors.wallet();
  const { body } = await redeem(wallet, await voucherOf(5_000));
  const billing = await call(wallet, 'GET', `/orgs/v1/lookup?wallet=${wallet.address}`);
  expect(billing.body).toMatchObject({ org_id: body.organization_id, available_usd_micros: 5_000 });
});

test('of sixty-four who redeem one voucher at once, one has it', async () => {
  const code = await voucherOf(70_000);
  const owners = await Promise.all(Array.from({ length: 8 }, () => service.owner()));
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, at) => redeem(owners[at % 8]!.wallet, code, { org_id: owners[at % 8]!.orgId })),
  );
  const statuses = new Map<number, number>();
  for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  expect(statuses.get(201)).toBe(1);
  // The others of its organization are told that it has it, and everybody's budget counts.
  for (const answer of answers.filter(({ status }) => status === 409))
    expectRefusal(answer, 'VOUCHER_ALREADY_REDEEMED');
  const balances = await Promise.all(owners.map(async ({ orgId }) => (await billingOf(orgId)).available_usd_micros));
  expect(balances.filter((one) => one > 0)).toEqual([70_000]);
});

test('what has expired, and what passes the ceiling of an organization, adds nothing', async () => {
  const { actor } = await issuer();
  const old = (await mint(actor, 1_000)).body;
  await service.control.sql(`update vouchers set expires_at = now() - interval '1 second' where id = $1`, [
    old.voucher_id,
  ]);
  const { wallet, orgId } = await service.owner();
  expectRefusal(await redeem(wallet, old.code), 'VOUCHER_EXPIRED');
  expect((await redeem(wallet, (await mint(actor, 600_000)).body.code)).status).toBe(201);
  const second = (await mint(actor, 400_001)).body.code;
  expectRefusal(await redeem(wallet, second), 'PROMO_LIMIT_REACHED', { used: 600_000, limit: 1_000_000 });
  expect((await redeem(wallet, (await mint(actor, 400_000)).body.code)).status).toBe(201);
  expect((await billingOf(orgId)).available_usd_micros).toBe(1_000_000);
  // Another organization takes the one that was refused.
  expect((await redeem((await service.owner()).wallet, second)).status).toBe(201);
});

test('an issuer makes vouchers within its amounts, and the same key makes no second one', async () => {
  const { actor, id } = await issuer({ voucher_max_usd_micros: 500_000, outstanding_max_usd_micros: 700_000 });
  expectRefusal(await mint(actor, 500_001), 'VOUCHER_AMOUNT_EXCEEDS_CAP', { limit: 500_000 });
  const key = randomUUID();
  const first = await mint(actor, 500_000, { idempotency_key: key, ref: 'a' });
  const replay = await mint(actor, 500_000, { idempotency_key: key, ref: 'a' });
  expect(replay.status).toBe(200);
  expect(replay.body).toEqual({ ...first.body, code: null });
  expectRefusal(await mint(actor, 500_000, { idempotency_key: key, ref: 'b' }), 'IDEMPOTENCY_KEY_REUSED');
  expectRefusal(await mint(actor, 300_000), 'ISSUER_OUTSTANDING_CAP_REACHED', { used: 500_000, limit: 700_000 });
  await call(admin, 'PATCH', `${issuers}/${id}`, {
    body: { outstanding_max_usd_micros: 2_000_000, daily_max_usd_micros: 600_000 },
  });
  expectRefusal(await mint(actor, 300_000), 'ISSUER_DAILY_MINT_CAP_REACHED', { used: 500_000, limit: 600_000 });
  await call(admin, 'PATCH', `${issuers}/${id}`, { body: { disabled: true } });
  expectRefusal(await mint(actor, 1), 'ISSUER_DISABLED');
  // Its vouchers stay good.
  expect((await redeem((await service.owner()).wallet, first.body.code)).status).toBe(201);
  const listed = await call(admin, 'GET', issuers);
  expect(listed.body.issuers[0]).toMatchObject({ issuer_id: id, disabled_at: moment, daily_max_usd_micros: 600_000 });
  expect(JSON.stringify(listed.body)).not.toContain('svcvi_');
});

test('the key of an issuer opens nothing else, and no other credential makes a voucher', async () => {
  const { actor, body } = await issuer();
  const { wallet, orgId } = await service.owner();
  const project = await service.project();
  expectRefusal(await call(actor, 'GET', `/orgs/v1/${orgId}/billing`), 'NOT_AUTHORIZED');
  expectRefusal(await call(actor, 'GET', '/orgs/v1'), 'AUTH_REQUIRED');
  expectRefusal(await redeem(actor, await voucherOf(1), { org_id: orgId }), 'NOT_AUTHORIZED');
  expectRefusal(await call(actor, 'GET', issuers), 'ADMIN_REQUIRED');
  expectRefusal(await mint(wallet, 1), 'FORBIDDEN');
  expectRefusal(await mint(nobody, 1), 'AUTH_REQUIRED');
  expectRefusal(await mint(admin, 1), 'FORBIDDEN');
  expectRefusal(await mint(service.actors.bearer(project.serviceKey), 1), 'FORBIDDEN');
  expectRefusal(await mint(service.actors.bearer(`${body.issuer_key.slice(0, -1)}_`), 1), 'INVALID_AUTH');
  expectRefusal(await call(wallet, 'POST', issuers, { body: { name: 'Mine', ...caps } }), 'ADMIN_REQUIRED');
});

test('GraphQL redeems and mints as REST does', async () => {
  const { actor } = await issuer();
  const made = await service.graphql(
    actor,
    `mutation ($input: MintVoucherInput!) { mintVoucher(input: $input) { code voucher { voucherId amountUsdMicros } } }`,
    { input: { amountUsdMicros: 9_000, idempotencyKey: 'one' } },
  );
  const { wallet, orgId } = await service.owner();
  const redeemed = await service.graphql(
    wallet,
    `mutation ($input: RedeemVoucherInput!) { redeemVoucher(input: $input) {
      voucherId amountUsdMicros balanceUsdMicros alreadyRedeemed organization { orgId } } }`,
    { input: { code: made.data.mintVoucher.code } },
  );
  expect(redeemed.data.redeemVoucher).toEqual({
    voucherId: made.data.mintVoucher.voucher.voucherId,
    amountUsdMicros: 9_000,
    balanceUsdMicros: 9_000,
    alreadyRedeemed: false,
    organization: { orgId },
  });
});

test('a client without a key has one voucher a day where the platform admin offers that', async () => {
  const from = (address: string) =>
    call(nobody, 'POST', '/vouchers/v1/mints', {
      body: { context: { from: 'page' } },
      headers: { 'x-forwarded-for': address },
    });
  expectRefusal(await from('192.0.2.1'), 'PUBLIC_MINT_NOT_ENABLED');
  const { id } = await issuer({ public_amount_usd_micros: 20_000 });
  const second = { name: `Second ${randomUUID()}`, ...caps, public_amount_usd_micros: 1 };
  expectRefusal(await call(admin, 'POST', issuers, { body: second }), 'ISSUER_NAME_TAKEN');
  const other = await issuer();
  const patch = { body: { public_amount_usd_micros: 1 } };
  expectRefusal(await call(admin, 'PATCH', `${issuers}/${other.id}`, patch), 'ISSUER_NAME_TAKEN');
  expectRefusal(await call(admin, 'PATCH', `${issuers}/${randomUUID()}`, patch), 'ISSUER_NOT_FOUND');
  const minted = await from('192.0.2.2');
  expect(minted.status).toBe(201);
  expectRefusal(await from('192.0.2.2'), 'RATE_LIMITED');
  const { wallet } = await service.owner();
  expect((await redeem(wallet, minted.body.code)).body).toMatchObject({ amount_usd_micros: 20_000 });
  await call(admin, 'PATCH', `${issuers}/${id}`, { body: { public_amount_usd_micros: null } });
  expectRefusal(await from('192.0.2.3'), 'PUBLIC_MINT_NOT_ENABLED');
});
