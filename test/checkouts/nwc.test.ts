import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { expectRefusal, moment } from '../helpers/documented.ts';
import { startNwcServer } from '../helpers/nwc-server.ts';
import { startCheckoutWorld } from './checkout-world.ts';

describe.each(['nip44_v2', 'nip04'] as const)('a wallet by Nostr Wallet Connect that speaks %s', async (encryption) => {
  const wallet = await startNwcServer(encryption);
  const world = await startCheckoutWorld({ env: wallet.env });
  afterAll(async () => {
    await world.stop();
    await wallet.close();
  });
  const { service, checkout, read, history, until } = world;
  const asked = { product: 'balance_topup', rail: 'lightning', amount_sats: 1_000 };
  const keyed = (key: string = randomUUID()) => ({ 'idempotency-key': key });
  const begun = async () => {
    const owner = await service.owner();
    const { body: made } = await checkout(owner.wallet, owner.orgId, asked, keyed());
    return { ...owner, made, topupId: made.topup_id as string, hash: made.payment_hash as string };
  };
  const lookAgain = (topupId: string) =>
    service.control.sql('update checkouts set due_at = now() where id = $1', [topupId]);

  test('makes invoices, and is credited once when one is paid', async () => {
    const { wallet: owner, orgId, made, topupId, hash } = await begun();
    expect(made).toMatchObject({
      status: 'pending',
      bolt11: expect.stringMatching(/^lnbcrt10000n1/),
      payment_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      amount_usd_micros: 650_005,
      invoice_expires_at: moment,
    });
    expect(wallet.invoices.get(hash)!.invoice).toBe(made.bolt11);
    await lookAgain(topupId);
    expect((await read(owner, orgId, topupId)).status).toBe('pending');
    wallet.pay(hash);
    await until(owner, orgId, topupId, 'paid');
    await lookAgain(topupId);
    expect(await history(owner, orgId)).toMatchObject([{ kind: 'lightning_topup', amount_usd_micros: 650_005 }]);
  });

  test('shows one invoice for one key, however often it is asked', async () => {
    const { wallet: owner, orgId } = await service.owner();
    const headers = keyed();
    const answers = await Promise.all(Array.from({ length: 8 }, () => checkout(owner, orgId, asked, headers)));
    expect(new Set(answers.map(({ body }) => body.bolt11)).size).toBe(1);
  });

  const faults: [string, object][] = [
    ['another invoice', { payment_hash: randomBytes(32).toString('hex') }],
    ['a preimage that does not fit', { preimage: randomBytes(32).toString('hex') }],
    ['no preimage', { preimage: undefined }],
    ['less than it asks', { amount: 999_000 }],
    ['no moment', { settled_at: undefined }],
  ];
  // What is not believed does not depend on how it is sealed.
  test.each(encryption === 'nip04' ? faults.slice(0, 1) : faults)(
    'is not believed when it answers %s, and no other invoice waits for it',
    async (_case, fault) => {
      const [first, second] = [await begun(), await begun()];
      wallet.spoil(first.hash, fault);
      wallet.pay(first.hash);
      wallet.pay(second.hash);
      await until(second.wallet, second.orgId, second.topupId, 'paid');
      expect((await read(first.wallet, first.orgId, first.topupId)).status).toBe('pending');
      wallet.spoil(first.hash, undefined);
      await lookAgain(first.topupId);
      await until(first.wallet, first.orgId, first.topupId, 'paid');
    },
  );

  test('is asked again by another connection when one breaks, and what it refuses is refused', async () => {
    const waiting = await begun();
    wallet.cut();
    wallet.pay(waiting.hash);
    await lookAgain(waiting.topupId);
    await until(waiting.wallet, waiting.orgId, waiting.topupId, 'paid');
    const { wallet: owner, orgId } = await service.owner();
    wallet.refuse('QUOTA_EXCEEDED');
    const refused = await checkout(owner, orgId, asked, keyed());
    expectRefusal(refused, 'LIGHTNING_TOPUP_PROVIDER_UNAVAILABLE');
    expect(refused.text).not.toContain('of its own');
    wallet.refuse(undefined);
    expect((await checkout(owner, orgId, asked, keyed())).status).toBe(200);
  });
});
