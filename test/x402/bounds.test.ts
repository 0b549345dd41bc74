import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import { createPaymentProcessor } from '../../engines/x402/payment-processor.ts';
import { startChain } from '../helpers/chain.ts';
import {
  broadcastOf,
  cancellationOf,
  freshAddress,
  memoryTurns,
  presentedPayment,
  slowWallet,
  someTerms,
} from '../helpers/payments.ts';
import { startRpcGate } from '../helpers/rpc-gate.ts';

const chain = await startChain();
const gate = await startRpcGate(chain.rpcUrl);
afterAll(() => Promise.all([chain.stop(), gate.stop()]));

const cashier = createPaymentProcessor({
  settlerKey: chain.settlerKey,
  rpcUrls: { base: gate.url },
  turns: memoryTurns(),
  settleMs: 120_000,
  logBlocksMax: 1,
});

/** A payment from a wallet that is a contract with that code. */
async function paymentOf(rounds: number) {
  const terms = someTerms();
  const address = freshAddress();
  await chain.client.setCode({ address, bytecode: slowWallet(rounds) });
  await chain.mint(address, 1_000_000n);
  const anybody = privateKeyToAccount(generatePrivateKey());
  return { terms, address, presented: await presentedPayment(anybody, terms, { signed: { from: address } }) };
}

test('a wallet whose check takes its time pays', async () => {
  const { terms, presented } = await paymentOf(5_000);
  await cashier.verify(presented, terms);
  await cashier.settle(presented, terms, { broadcast: async () => {} });
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
});

test('one that would have the settling account pay for a million of gas is refused, and nothing is sent', async () => {
  const { terms, presented, address } = await paymentOf(40_000);
  const settler = privateKeyToAccount(chain.settlerKey).address;
  const before = await chain.client.getBalance({ address: settler });
  const hashes: Hex[] = [];
  const settling = cashier.settle(presented, terms, { broadcast: async (hash) => void hashes.push(hash) });
  await expect(settling).rejects.toMatchObject({
    name: 'PaymentRefused',
    reason: 'invalid_exact_evm_transaction_simulation_failed',
  });
  expect(hashes).toEqual([]);
  expect(await chain.client.getBalance({ address: settler })).toBe(before);
  expect(await chain.balanceOf(address)).toBe(1_000_000n);
});

/** How many requests for logs it takes to look for a payment, however long ago it may have been made. */
async function searched(...[presented, terms]: Parameters<typeof cashier.find>) {
  let requests = 0;
  gate.decide((method) => {
    if (method === 'eth_getLogs') requests++;
    return 'pass';
  });
  const found = await cashier.find(presented, terms, { since: new Date(0) });
  gate.decide(() => 'pass');
  return { found, requests };
}

test('a payment that was cancelled is looked for no farther back than that', async () => {
  const terms = someTerms();
  const payer = await chain.payer();
  const presented = await presentedPayment(payer, terms);
  await chain.send(chain.usdc, await cancellationOf(payer, presented));
  await chain.mine(3);
  expect(await searched(presented, terms)).toEqual({ found: undefined, requests: 4 });
});

test('no search takes more than fifteen requests for logs', async () => {
  const terms = someTerms();
  const payer = await chain.payer();
  const presented = await presentedPayment(payer, terms);
  const { transactionHash: transaction } = await chain.send(chain.usdc, broadcastOf(presented));
  await chain.mine(14);
  expect(await searched(presented, terms)).toMatchObject({ found: { transaction }, requests: 15 });
  await chain.mine(20);
  expect(await searched(presented, terms)).toEqual({ found: undefined, requests: 15 });
  expect(await cashier.find(presented, terms, { transaction })).toMatchObject({ transaction });
});
