import { privateKeyToAddress } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import { readPresented } from '../../engines/x402/presented.ts';
import { expectRefusal } from '../helpers/documented.ts';
import { broadcastOf } from '../helpers/payments.ts';
import { startRig, units } from '../verifications/rig.ts';
import { challengeOf, paying, sign, statesOf } from './shop.ts';

/** Key of an account that settles payments here, and of nothing else. */
const settlerKey = `0x${'5e'.repeat(31)}02` as const;
const rig = await startRig({
  networks: ['base'],
  nodes: 1,
  env: { X402_SETTLER_KEY: settlerKey, SVC_LEASES: 'on', TIER_NETWORK: 'base', CONFIRMATIONS_BASE: '3' },
});
afterAll(() => rig.stop());
const { service } = rig;
const { base } = rig.networks;
const { nobody } = service.actors;
await base.fund(privateKeyToAddress(settlerKey));

test('what has brought a licence buys nothing else, though its payer signed it', async () => {
  const payer = await base.payer(units(5));
  const buy = (headers: Record<string, string> = {}) =>
    service.call<object>(nobody, 'POST', '/tiers/v1/hobby', { body: {}, headers });
  const header = await sign(payer, challengeOf(await buy()).accepts[0]);
  const { transactionHash } = await base.send(base.usdc, broadcastOf(readPresented(header)));
  await base.mine(3);
  expect((await rig.verify({ tx_hash: transactionHash })).body).toMatchObject({ verified: true, plan: 'starter' });

  expectRefusal(await buy(paying(header)), 'PAYMENT_REQUIRED', { x402_error: 'tx_already_used' });
  const failed = [{ state: 'failed', tx_hash: null, outcome: null }];
  expect(await statesOf(service.control, payer.address)).toEqual(failed);

  // Nor does the job count it as paid that asks the chain what became of it.
  const mine = [payer.address.toLowerCase()];
  await service.control.sql(
    `update payments set created_at = created_at - interval '5 minutes', reconciled_at = null where payer = $1`,
    mine,
  );
  await service.control.sql(`select graphile_worker.add_job('reconcile-payments', job_key => 'reconcile-payments')`);
  await expect
    .poll(() =>
      service.control.sql(
        'select 1 from payments where payer = $1 and reconciled_at is not null and lease_until < now()',
        mine,
      ),
    )
    .toHaveLength(1);
  expect(await statesOf(service.control, payer.address)).toEqual(failed);
});

test('the source is sold once its payment is as deep in the chain as is configured', async () => {
  const payer = await base.payer(units(950));
  const get = (headers: Record<string, string> = {}) =>
    service.call<{ error?: string }>(nobody, 'GET', '/api/x402-buyout?buyer_domain=shop.audit-sites.net', { headers });
  const header = await sign(payer, challengeOf(await get()).accepts[0]);
  await base.send(base.usdc, broadcastOf(readPresented(header)));
  const early = await get(paying(header));
  expect([early.status, early.body.error]).toEqual([402, 'settlement_pending']);
  expect(await statesOf(service.control, payer.address)).toEqual([]);
  await base.mine(2);
  expect((await get(paying(header))).status).toBe(200);
});
