import { afterAll, expect, test } from 'vitest';
import { networks } from '../../engines/x402/networks.ts';
import { createPaymentProcessor, type PaymentProcessorOptions } from '../../engines/x402/payment-processor.ts';
import { PaymentPending, PaymentRefused, PaymentsUnavailable } from '../../engines/x402/refusals.ts';
import { type Chain, startChain } from '../helpers/chain.ts';
import { cancellationOf, memoryTurns, presentedPayment, someTerms } from '../helpers/payments.ts';

const chain = await startChain();
const others: Chain[] = [];
afterAll(() => Promise.all([chain, ...others].map((one) => one.stop())));

const turns = memoryTurns();
// What settles has all the time that a busy machine may need.
const patient = { settleMs: 120_000 };
const cashierOn = (on: Chain, more: Partial<PaymentProcessorOptions> = {}) =>
  createPaymentProcessor({
    settlerKey: on.settlerKey,
    rpcUrls: { base: on.rpcUrl },
    turns: memoryTurns(),
    ...patient,
    ...more,
  });
const cashier = cashierOn(chain, { turns });

async function startOther(options: Parameters<typeof startChain>[0] = {}) {
  const other = await startChain(options);
  others.push(other);
  return other;
}

/** What a payment is told, and the hashes that were. */
function told() {
  const hashes: string[] = [];
  return { hashes, broadcast: async (hash: string) => void hashes.push(hash) };
}

test.each([1, 2] as const)('a payment of version %d moves exactly the price, once', async (version) => {
  const payer = await chain.payer(1_000_000n);
  const terms = someTerms();
  const presented = await presentedPayment(payer, terms, { version });
  cashier.match(presented, terms);
  await cashier.verify(presented, terms);
  expect(await cashier.find(presented, terms)).toBeUndefined();
  expect(await cashier.isOpen(presented, terms)).toBe(true);

  const { hashes, broadcast } = told();
  const settlement = await cashier.settle(presented, terms, { broadcast });
  expect(settlement).toMatchObject({
    network: 'base',
    chainId: 8453,
    payer: payer.address.toLowerCase(),
    amount: 10_000n,
    logIndex: 1,
  });
  expect(hashes).toEqual([settlement.transaction]);
  expect(Math.abs(settlement.blockTime.getTime() - Date.now())).toBeLessThan(3_600_000);
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
  expect(await chain.balanceOf(payer.address)).toBe(990_000n);

  expect(await cashier.isOpen(presented, terms)).toBe(false);
  expect(await cashier.find(presented, terms)).toEqual(settlement);
  // Once more comes to the same transaction; who is served for it is the ledger's to know.
  expect(await cashier.settle(presented, terms, told())).toEqual(settlement);
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
});

test('the hash is told before the transaction is sent, and nothing is sent when that fails', async () => {
  const payer = await chain.payer();
  const terms = someTerms();
  const presented = await presentedPayment(payer, terms);
  let before: unknown;
  const settlement = cashier.settle(presented, terms, {
    async broadcast(hash) {
      before = await chain.client.getTransaction({ hash }).catch((error: Error) => error.name);
      throw new Error('The ledger is gone.');
    },
  });
  await expect(settlement).rejects.toThrow('The ledger is gone.');
  expect(before).toBe('TransactionNotFoundError');
  expect(await cashier.isOpen(presented, terms)).toBe(true);
  await cashier.settle(presented, terms, told());
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
});

const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => 'taken',
    (error: unknown) => {
      if (error instanceof PaymentRefused) return error.reason;
      throw error;
    },
  );

test('a payment that would not go through is refused with the cause, and nothing moves', async () => {
  const terms = someTerms();
  const payer = await chain.payer();
  const poor = await chain.payer(9_999n);
  const refused = async (presented: Awaited<ReturnType<typeof presentedPayment>>) => {
    const reason = await reasonOf(cashier.verify(presented, terms));
    // Nor does settling, which nothing of this would come to.
    expect(await reasonOf(cashier.settle(presented, terms, told()))).not.toBe('taken');
    return reason;
  };
  expect(await refused(await presentedPayment(poor, terms))).toBe('invalid_exact_evm_insufficient_balance');
  const signature = 'invalid_exact_evm_signature';
  expect(await refused(await presentedPayment(payer, terms, { tampered: { nonce: `0x${'11'.repeat(32)}` } }))).toBe(
    signature,
  );
  expect(await refused(await presentedPayment(payer, terms, { signed: { from: poor.address } }))).toBe(signature);
  expect(await refused(await presentedPayment(payer, terms, { suffix: '0x00' }))).toBe(signature);
  const early = await presentedPayment(payer, terms, { signed: { validAfter: 4_000_000_000n } });
  expect(await refused(early)).toBe('invalid_exact_evm_payload_authorization_valid_after');
  const late = await presentedPayment(payer, terms, { signed: { validBefore: 1n } });
  expect(await refused(late)).toBe('invalid_exact_evm_payload_authorization_valid_before');
  expect(await cashier.isOpen(late, terms)).toBe(false);

  const cancelled = await presentedPayment(payer, terms);
  await chain.send(chain.usdc, await cancellationOf(payer, cancelled));
  expect(await refused(cancelled)).toBe('invalid_exact_evm_nonce_already_used');
  expect(await cashier.isOpen(cancelled, terms)).toBe(false);
  expect(await chain.balanceOf(terms.payTo)).toBe(0n);
});

test('50 payments at once from one settling account all settle, by two nodes that take turns', async () => {
  const other = cashierOn(chain, { turns });
  const terms = someTerms();
  const payers = await Promise.all(Array.from({ length: 50 }, () => chain.payer(10_000n)));
  const settled = await Promise.all(
    payers.map(async (payer, index) => {
      const presented = await presentedPayment(payer, terms);
      const node = index % 2 === 0 ? cashier : other;
      await node.verify(presented, terms);
      return node.settle(presented, terms, told());
    }),
  );
  expect(new Set(settled.map(({ transaction }) => transaction)).size).toBe(50);
  expect(await chain.balanceOf(terms.payTo)).toBe(500_000n);
});

test('of three copies at once one settles, and the others come to the same transaction', async () => {
  const terms = someTerms();
  const presented = await presentedPayment(await chain.payer(), terms);
  const settled = await Promise.all([0, 1, 2].map(() => cashier.settle(presented, terms, told())));
  expect(new Set(settled.map(({ transaction }) => transaction)).size).toBe(1);
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
});

test('the test network is a chain of its own, with its own token', async () => {
  const sepolia = await startOther({ chainId: 84532 });
  const both = createPaymentProcessor({
    settlerKey: sepolia.settlerKey,
    rpcUrls: { base: chain.rpcUrl, 'base-sepolia': sepolia.rpcUrl },
    turns: memoryTurns(),
    ...patient,
  });
  const terms = someTerms({ network: 'base-sepolia' });
  const presented = await presentedPayment(await sepolia.payer(), terms);
  await both.verify(presented, terms);
  expect(await both.settle(presented, terms, told())).toMatchObject({ network: 'base-sepolia', chainId: 84532 });
  expect(await sepolia.balanceOf(terms.payTo)).toBe(10_000n);
  expect(await both.health()).toEqual({ rpc: 'ok', facilitator: 'unconfigured' });

  // What was signed for one chain is nothing on the other.
  const elsewhere = await presentedPayment(await sepolia.payer(), { ...terms, network: 'base' });
  expect(await reasonOf(both.verify(elsewhere, terms))).toBe('invalid_exact_evm_signature');
});

test('with blocks that come later, a payment is pending for as long, and then found', async () => {
  const slow = await startOther();
  const till = cashierOn(slow, { settleMs: 50 });
  const terms = someTerms();
  const presented = await presentedPayment(await slow.payer(), terms);
  await slow.automine(false);
  await till.verify(presented, terms);
  const { hashes, broadcast } = told();
  const pending = await till.settle(presented, terms, { broadcast }).catch((error: unknown) => error);
  expect(pending).toBeInstanceOf(PaymentPending);
  expect(pending).toMatchObject({ transaction: hashes[0] });
  expect(await till.find(presented, terms, { transaction: hashes[0] as never })).toBeUndefined();
  expect(await till.isOpen(presented, terms)).toBe(true);

  // Once more waits for the transaction that is on its way, and sends no other.
  const previous = hashes[0] as `0x${string}`;
  const again = told();
  await expect(till.settle(presented, terms, { ...again, previous })).rejects.toBeInstanceOf(PaymentPending);
  expect(again.hashes).toEqual([]);
  expect(await slow.waiting()).toBe(1);

  await slow.mine();
  expect(await cashierOn(slow).settle(presented, terms, { ...again, previous })).toMatchObject({
    transaction: previous,
  });
  expect(again.hashes).toEqual([]);
  expect(await till.find(presented, terms)).toMatchObject({ transaction: previous });
  expect(await slow.balanceOf(terms.payTo)).toBe(10_000n);
});

test('30 payments settle in one block that comes later', async () => {
  const slow = await startOther();
  const till = cashierOn(slow);
  const terms = someTerms();
  const payers = await Promise.all(Array.from({ length: 30 }, () => slow.payer(10_000n)));
  await slow.automine(false);
  const settling = Promise.all(
    payers.map(async (payer) => till.settle(await presentedPayment(payer, terms), terms, told())),
  );
  await expect.poll(() => slow.waiting()).toBe(30);
  await slow.mine();
  const settled = await settling;
  expect(new Set(settled.map(({ logIndex }) => logIndex)).size).toBe(30);
  expect(await slow.balanceOf(terms.payTo)).toBe(300_000n);
});

test('terms may ask for more blocks than one', async () => {
  const other = await startOther();
  const confirmations = { base: 3 };
  const till = cashierOn(other, { confirmations, settleMs: 50 });
  const terms = someTerms({ confirmed: true });
  const presented = await presentedPayment(await other.payer(), terms);
  const { hashes, broadcast } = told();
  await expect(till.settle(presented, terms, { broadcast })).rejects.toBeInstanceOf(PaymentPending);
  await expect.poll(() => other.balanceOf(terms.payTo)).toBe(10_000n);
  await other.mine(2);
  const previous = hashes[0] as `0x${string}`;
  const settled = await cashierOn(other, { confirmations }).settle(presented, terms, { broadcast, previous });
  expect(settled).toMatchObject({ transaction: previous });
  expect(hashes).toEqual([previous]);
});

test('a settling account without gas takes no payment', async () => {
  const other = await startOther();
  const till = cashierOn(other);
  const terms = someTerms();
  const presented = await presentedPayment(await other.payer(), terms);
  const { privateKeyToAccount } = await import('viem/accounts');
  const { address } = privateKeyToAccount(other.settlerKey);
  await other.client.setBalance({ address, value: 0n });
  const { hashes, broadcast } = told();
  const settling = till.settle(presented, terms, { broadcast });
  await expect(settling).rejects.toThrow('The settling account has no gas left on base.');
  // No transaction was made, so whoever asked for this may give the payment back.
  expect(hashes).toEqual([]);
  await other.fund(address);
  await till.settle(presented, terms, told());
  expect(await other.balanceOf(terms.payTo)).toBe(10_000n);
});

test.each([
  ['another chain', { chainId: 84532 }],
  ['a chain without the token', { usdc: false }],
])('payments on %s are refused', async (_case, options) => {
  const other = await startOther(options);
  const terms = someTerms();
  const presented = await presentedPayment(await chain.payer(), terms);
  expect(await reasonOf(cashierOn(other).verify(presented, terms))).toBe('asset_not_deployed_contract');
});

test('a token that payments are not signed for stops them before they are looked at', async () => {
  const other = await startOther({ usdc: false });
  const { address } = networks.base.usdc;
  await other.installToken(address, { name: 'USDC', version: '2', symbol: 'USDC', decimals: 6 });
  const terms = someTerms();
  const presented = await presentedPayment(await other.payer(), terms);
  await expect(cashierOn(other).verify(presented, terms)).rejects.toThrow(
    'The token of base is not the one that payments are signed for.',
  );
});

test('without a key or an endpoint nothing crashes, and nothing is taken', async () => {
  const terms = someTerms();
  const presented = await presentedPayment(await chain.payer(), terms);
  for (const options of [
    { rpcUrls: {} },
    { rpcUrls: { base: chain.rpcUrl } },
    { rpcUrls: {}, settlerKey: chain.settlerKey },
  ]) {
    const till = createPaymentProcessor({ ...options, turns: memoryTurns() });
    expect(till.mode).toBe('unavailable');
    await expect(till.verify(presented, terms)).rejects.toBeInstanceOf(PaymentsUnavailable);
    await expect(till.settle(presented, terms, told())).rejects.toBeInstanceOf(PaymentsUnavailable);
  }
  const sepoliaOnly = createPaymentProcessor({
    settlerKey: chain.settlerKey,
    rpcUrls: { 'base-sepolia': chain.rpcUrl },
    turns: memoryTurns(),
  });
  expect(sepoliaOnly.mode).toBe('self');
  await expect(sepoliaOnly.verify(presented, terms)).rejects.toThrow('No chain is configured for base.');
});
