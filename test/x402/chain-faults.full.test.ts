import { resetAssetContractCache } from '@x402/evm';
import { afterAll, expect, test } from 'vitest';
import type { Hex } from '../../engines/x402/networks.ts';
import { createPaymentProcessor, type PaymentProcessorOptions } from '../../engines/x402/payment-processor.ts';
import { PaymentPending, PaymentsUnavailable } from '../../engines/x402/refusals.ts';
import { startChain } from '../helpers/chain.ts';
import { memoryTurns, presentedPayment, someTerms } from '../helpers/payments.ts';
import { rpcKey, startRpcGate } from '../helpers/rpc-gate.ts';

const chain = await startChain();
const gate = await startRpcGate(chain.rpcUrl);
afterAll(() => Promise.all([chain.stop(), gate.stop()]));

const turns = memoryTurns();
const cashierWith = (more: Partial<PaymentProcessorOptions> = {}) =>
  createPaymentProcessor({
    settlerKey: chain.settlerKey,
    rpcUrls: { base: gate.url },
    turns,
    settleMs: 120_000,
    ...more,
  });

async function sale(more: Parameters<typeof presentedPayment>[2] = {}) {
  gate.decide(() => 'pass');
  const terms = someTerms();
  const hashes: Hex[] = [];
  return {
    terms,
    hashes,
    presented: await presentedPayment(await chain.payer(), terms, more),
    told: { broadcast: async (hash: Hex) => void hashes.push(hash) },
  };
}

/** What a work is refused with; never anything that tells of the endpoint. */
async function faultOf(work: Promise<unknown>): Promise<Error> {
  const error = (await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as Error;
  expect(error).toBeInstanceOf(Error);
  expect(error.cause).toBeUndefined();
  expect(`${error.message} ${error.stack}`).not.toMatch(new RegExp(`${rpcKey}|127\\.0\\.0\\.1`));
  return error;
}

test('while the chain cannot be asked nothing is taken, and afterwards the same payment is', async () => {
  const { terms, presented, told } = await sale();
  const cashier = cashierWith();
  await cashier.verify(presented, terms);
  expect(await cashier.health()).toEqual({ rpc: 'ok', facilitator: 'unconfigured' });

  gate.decide(() => 'drop');
  for (const work of [
    () => cashier.verify(presented, terms),
    () => cashier.settle(presented, terms, told),
    () => cashier.find(presented, terms),
    () => cashier.isOpen(presented, terms),
    () => cashier.incoming('base', `0x${'12'.repeat(32)}`, terms.payTo),
    () => cashierWith().verify(presented, terms),
  ])
    expect(await faultOf(work())).toBeInstanceOf(PaymentsUnavailable);
  expect(await cashier.health()).toMatchObject({ rpc: 'down' });

  gate.decide(() => 'pass');
  await cashier.verify(presented, terms);
  await cashier.settle(presented, terms, told);
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
});

// The library takes an endpoint's failure for the payment's: each question fails once, alone.
test.each(['eth_chainId', 'eth_getCode', 'eth_call'])(
  'a payment is not refused because %s found nobody',
  async (method) => {
    const { terms, presented } = await sale();
    const cashier = cashierWith();
    gate.decide((asked) => (asked === method ? 'drop' : 'pass'));
    expect(await faultOf(cashier.verify(presented, terms))).toBeInstanceOf(PaymentsUnavailable);
    gate.decide(() => 'pass');
    await cashier.verify(presented, terms);
  },
);

test('an endpoint that is gone when the library has forgotten the token’s code is no end of the process', async () => {
  const { terms, presented } = await sale();
  const cashier = cashierWith();
  await cashier.verify(presented, terms);
  // As after a quarter of an hour. A question in the background whose failure nobody awaits would end the process.
  resetAssetContractCache();
  gate.decide((method) => (method === 'eth_getCode' ? 'drop' : 'pass'));
  expect(await faultOf(cashier.verify(presented, terms))).toBeInstanceOf(PaymentsUnavailable);
});

test.each(['eth_getCode', 'eth_estimateGas', 'eth_getTransactionCount'])(
  'nothing is sent when %s finds nobody, and the payment can be made later',
  async (method) => {
    const { terms, presented, told, hashes } = await sale();
    const cashier = cashierWith();
    // What the chain is has been looked at; who this payer is has not.
    const other = await sale();
    await cashier.verify(other.presented, other.terms);
    gate.decide((asked) => (asked === method ? 'drop' : 'pass'));
    expect(await faultOf(cashier.settle(presented, terms, told))).toBeInstanceOf(PaymentsUnavailable);
    expect(hashes).toEqual([]);
    gate.decide(() => 'pass');
    await cashier.settle(presented, terms, told);
    expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
  },
);

test('nothing is sent before the payment is noted as handed over, nor when it cannot be noted', async () => {
  const { terms, presented, told, hashes } = await sale();
  const cashier = cashierWith();
  let asked = (_method: string): void => undefined;
  const priced = new Promise<void>((resolve) => {
    asked = (method) => method === 'eth_estimateGas' && resolve();
  });
  const sent: string[] = [];
  gate.decide((method) => {
    asked(method);
    if (method === 'eth_sendRawTransaction') sent.push(method);
    return 'pass';
  });
  let fail = (_error: Error): void => undefined;
  const noted = new Promise<void>((_resolve, reject) => {
    fail = reject;
  });
  const settling = cashier.settle(presented, terms, { ...told, noted });
  await priced;
  fail(new Error('Somebody else has taken it over.'));
  await expect(settling).rejects.toThrow('Somebody else has taken it over.');
  expect([...hashes, ...sent]).toEqual([]);

  await cashier.settle(presented, terms, { ...told, noted: Promise.resolve() });
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
});

test('a transaction whose sending was not answered for counts as sent', async () => {
  const { terms, presented, told, hashes } = await sale();
  gate.decide((method) => (method === 'eth_sendRawTransaction' ? 'lose the answer' : 'pass'));
  expect(await cashierWith().settle(presented, terms, told)).toMatchObject({ transaction: hashes[0] });
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
});

test('one that never arrived is pending, never failed, and is sent again when the payment is tried again', async () => {
  const { terms, presented, told, hashes } = await sale();
  const cashier = cashierWith({ settleMs: 50 });
  gate.decide((method) => (method === 'eth_sendRawTransaction' ? 'drop' : 'pass'));
  const fault = await faultOf(cashier.settle(presented, terms, told));
  expect(fault).toBeInstanceOf(PaymentPending);
  expect(fault).toMatchObject({ transaction: hashes[0] });
  expect(await cashier.isOpen(presented, terms)).toBe(true);

  gate.decide(() => 'pass');
  const settled = await cashierWith().settle(presented, terms, { ...told, previous: hashes[0] });
  expect(hashes.at(-1)).toBe(settled.transaction);
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
  // Its number was left to the next, so that nothing waits behind a gap.
  const next = await sale();
  await cashierWith().settle(next.presented, next.terms, next.told);
});

const withoutTimes = (receipt: { readonly logs: readonly object[] } | null) =>
  receipt === null ? null : { ...receipt, logs: receipt.logs.map((log) => ({ ...log, blockTimestamp: undefined })) };

test.each(['eth_getTransactionReceipt', 'eth_getBlockByNumber'])(
  'a payment that was made is pending while %s finds nobody, and then found',
  async (method) => {
    const { terms, presented, told, hashes } = await sale();
    const cashier = cashierWith({ settleMs: 50 });
    let sent = false;
    gate.decide((asked) => {
      sent ||= asked === 'eth_sendRawTransaction';
      if (sent && asked === method) return 'drop';
      // Not every node tells of a block's time beside what was logged in it.
      return asked === 'eth_getTransactionReceipt' ? { amend: withoutTimes } : 'pass';
    });
    const fault = await faultOf(cashier.settle(presented, terms, told));
    expect(fault).toBeInstanceOf(PaymentPending);
    expect(fault).toMatchObject({ transaction: hashes[0] });
    gate.decide(() => 'pass');
    await expect.poll(() => cashier.find(presented, terms)).toMatchObject({ transaction: hashes[0] });
  },
);

test('a number that is taken already is passed over', async () => {
  const { terms, presented, told, hashes } = await sale();
  // The endpoint lags: it tells the number of a transaction that was sent before.
  let lag = 2;
  gate.decide((method) => (method === 'eth_getTransactionCount' && lag-- > 0 ? { result: '0x0' } : 'pass'));
  await cashierWith({ turns: memoryTurns() }).settle(presented, terms, told);
  expect(hashes.length).toBeGreaterThan(1);
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
});

test('an endpoint that lags behind what was sent does not lead to a number twice', async () => {
  const cashier = cashierWith();
  const first = await sale();
  await cashier.settle(first.presented, first.terms, first.told);
  const second = await sale();
  gate.decide((method) => (method === 'eth_getTransactionCount' ? { result: '0x0' } : 'pass'));
  await cashier.settle(second.presented, second.terms, second.told);
  expect(second.hashes).toHaveLength(1);
});

test('a transaction that the chain lost leaves no gap for ever', async () => {
  const own = memoryTurns();
  const cashier = cashierWith({ turns: own, lostAfterMs: 0 });
  const { terms, presented, told } = await sale();
  const { privateKeyToAccount } = await import('viem/accounts');
  const { address } = privateKeyToAccount(chain.settlerKey);
  const lower = address.toLowerCase() as Hex;
  const count = BigInt(await chain.client.getTransactionCount({ address }));
  // Numbers were given to transactions that nobody has any more.
  await own.take(8453, lower, async () => ({ next: count + 3n, value: undefined }));
  await cashier.settle(presented, terms, told);
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
});

test('a transaction stays sent when its number could not be stored', async () => {
  const { terms, presented, told, hashes } = await sale();
  const forgetful = cashierWith({
    turns: {
      async take(_chainId, _sender, work) {
        await work(undefined);
        throw new Error('The database is gone.');
      },
    },
  });
  expect(await forgetful.settle(presented, terms, told)).toMatchObject({ transaction: hashes[0] });
});

test('a node that stands still ends in a pending payment', async () => {
  const still = await startChain();
  const cashier = createPaymentProcessor({
    settlerKey: still.settlerKey,
    rpcUrls: { base: still.rpcUrl },
    turns: memoryTurns(),
    settleMs: 50,
  });
  try {
    const terms = someTerms();
    const presented = await presentedPayment(await still.payer(), terms);
    await still.automine(false);
    const settling = cashier.settle(presented, terms, { broadcast: async () => {} });
    const outcome = expect(settling).rejects.toBeInstanceOf(PaymentPending);
    await expect.poll(() => still.waiting()).toBe(1);
    still.freeze();
    await outcome.finally(still.thaw);
    await still.mine();
    await expect.poll(() => cashier.find(presented, terms).catch(() => undefined)).toBeDefined();
  } finally {
    await still.stop();
  }
});
