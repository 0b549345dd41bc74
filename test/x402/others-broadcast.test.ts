import { encodeFunctionData } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import { createPaymentProcessor } from '../../engines/x402/payment-processor.ts';
import { PaymentRefused } from '../../engines/x402/refusals.ts';
import { batchAbi, startChain, tokenAbi } from '../helpers/chain.ts';
import { broadcastOf, freshAddress, memoryTurns, presentedPayment, someTerms } from '../helpers/payments.ts';
import { startRpcGate } from '../helpers/rpc-gate.ts';

const chain = await startChain();
const gate = await startRpcGate(chain.rpcUrl);
afterAll(() => Promise.all([chain.stop(), gate.stop()]));

const cashier = createPaymentProcessor({
  settlerKey: chain.settlerKey,
  rpcUrls: { base: gate.url },
  turns: memoryTurns(),
  settleMs: 120_000,
});
const told = { broadcast: async () => {} };

test('a payment that somebody else brought onto the chain first is taken as settled by theirs', async () => {
  const terms = someTerms();
  const presented = await presentedPayment(await chain.payer(), terms);
  const { transactionHash: transaction } = await chain.send(chain.usdc, broadcastOf(presented));
  await cashier.verify(presented, terms);
  expect(await cashier.settle(presented, terms, told)).toMatchObject({ transaction, amount: 10_000n });
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
});

test('so is one that they brought there between the service’s look and its own broadcast', async () => {
  const terms = someTerms();
  const presented = await presentedPayment(await chain.payer(), terms);
  await cashier.verify(presented, terms);
  let theirs: string | undefined;
  const settlement = await cashier.settle(presented, terms, {
    // The service's own transaction is made and signed by now.
    async broadcast() {
      theirs ??= (await chain.send(chain.usdc, broadcastOf(presented))).transactionHash;
    },
  });
  expect(settlement.transaction).toBe(theirs);
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
});

test('who knows a used nonce and cannot sign for its payer gets nothing by it', async () => {
  const terms = someTerms();
  const payer = await chain.payer();
  const presented = await presentedPayment(payer, terms);
  await chain.send(chain.usdc, broadcastOf(presented));
  const thief = privateKeyToAccount(generatePrivateKey());
  const { nonce, validBefore } = presented;
  const forged = await presentedPayment(thief, terms, { signed: { nonce, validBefore, from: payer.address } });
  expect(forged).toMatchObject({ payer: presented.payer, nonce });
  await expect(cashier.verify(forged, terms)).rejects.toMatchObject({ reason: 'invalid_exact_evm_signature' });
});

test('each of several payments in one transaction has a transfer of its own, and no transfer pays twice', async () => {
  const terms = someTerms();
  const [one, other] = [await chain.payer(), await chain.payer()];
  const first = await presentedPayment(one, terms);
  const second = await presentedPayment(other, terms);
  // The same payer, the same amount: but this authorization pays somebody else.
  const away = { ...terms, payTo: freshAddress() };
  const third = await presentedPayment(one, away);
  const calls = [third, first, second].map((payment) => ({ target: chain.usdc, callData: broadcastOf(payment) }));
  const data = encodeFunctionData({ abi: batchAbi, functionName: 'tryAggregate', args: [true, calls] });
  const batch = '0xcA11bde05977b3631167028862bE2a173976CA11';
  const { transactionHash: transaction } = await chain.send(batch, data);

  const found = [await cashier.settle(first, terms, told), await cashier.settle(second, terms, told)];
  expect(found.map((settlement) => settlement.transaction)).toEqual([transaction, transaction]);
  expect(found.map(({ logIndex }) => logIndex)).toEqual([3, 5]);
  // Its nonce is used in that transaction, which holds the transfer that the terms ask; it is another payment's.
  const claim = { ...third, payTo: terms.payTo.toLowerCase() as `0x${string}` };
  expect(await cashier.find(claim, terms, { transaction })).toBeUndefined();
  expect(await chain.balanceOf(terms.payTo)).toBe(20_000n);
});

test('an old payment is looked for as far back as it may lie, by requests of a size that endpoints take', async () => {
  const old = await startChain();
  const long = await startRpcGate(old.rpcUrl);
  try {
    const terms = someTerms();
    const presented = await presentedPayment(await old.payer(), terms);
    const { transactionHash: transaction } = await old.send(old.usdc, broadcastOf(presented));
    await old.client.mine({ blocks: 25, interval: 3_600 });
    const ranges: bigint[] = [];
    long.decide((method, [filter]) => {
      const { fromBlock, toBlock } = (method === 'eth_getLogs' ? filter : {}) as Record<string, string>;
      if (fromBlock !== undefined && toBlock !== undefined) ranges.push(BigInt(toBlock) - BigInt(fromBlock) + 1n);
      return 'pass';
    });
    const till = createPaymentProcessor({
      settlerKey: old.settlerKey,
      rpcUrls: { base: long.url },
      turns: memoryTurns(),
      logBlocksMax: 10,
    });
    // A block an hour: the chain's clock is a day ahead of ours.
    const now = Number((await old.client.getBlock()).timestamp) * 1000;
    const since = (hours: number) => ({ since: new Date(now - hours * 3_600_000) });
    expect(await till.find(presented, terms, since(48))).toMatchObject({ transaction });
    expect(ranges.length).toBe(3);
    expect(ranges.every((blocks) => blocks <= 10n)).toBe(true);
    expect(await till.find(presented, terms, since(1))).toBeUndefined();
    expect(await till.find(presented, terms, { ...since(1), transaction })).toMatchObject({ transaction });
  } finally {
    await Promise.all([old.stop(), long.stop()]);
  }
});

test('a proof is told with its depth, its time and what it brought, by the token’s own logs alone', async () => {
  const payTo = freshAddress();
  const payer = await chain.payer();
  // A token of somebody else's that says the same.
  const impostor = freshAddress();
  await chain.installToken(impostor, { name: 'USD Coin', version: '2', symbol: 'USDC', decimals: 6 });
  const lie = await chain.mint(payTo, 5_000_000n, impostor);
  expect(await cashier.incoming('base', lie.transactionHash, payTo)).toMatchObject({
    status: 'success',
    transfers: [],
  });

  const paid = await chain.transfer(payer, payTo, 20_000n);
  await chain.mine(2);
  const { timestamp } = await chain.client.getBlock({ blockNumber: paid.blockNumber });
  expect(await cashier.incoming('base', paid.transactionHash, payTo)).toEqual({
    status: 'success',
    depth: 3,
    blockTime: new Date(Number(timestamp) * 1000),
    transfers: [
      {
        logIndex: 0,
        from: payer.address.toLowerCase(),
        to: payTo.toLowerCase(),
        value: 20_000n,
        isAuthorized: false,
      },
    ],
  });
  // The head is asked each time.
  await chain.mine(10);
  expect(await cashier.incoming('base', paid.transactionHash, payTo)).toMatchObject({ depth: 13 });

  const signed = await presentedPayment(payer, someTerms({ payTo }));
  const byOther = await chain.send(chain.usdc, broadcastOf(signed));
  expect(await cashier.incoming('base', byOther.transactionHash, payTo)).toMatchObject({
    transfers: [{ from: payer.address.toLowerCase(), value: 10_000n, isAuthorized: true }],
  });

  expect(await cashier.incoming('base', `0x${'12'.repeat(32)}`, payTo)).toEqual({ status: 'absent' });
  await chain.fund(payer.address);
  const reverted = await chain.client.sendTransaction({
    account: payer,
    to: chain.usdc,
    data: encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [payTo, 10n ** 18n] }),
    gas: 200_000n,
  });
  await chain.client.waitForTransactionReceipt({ hash: reverted });
  expect(await cashier.incoming('base', reverted, payTo)).toEqual({ status: 'reverted' });
});

test('a payment that was refused on the chain names its transaction', async () => {
  const terms = someTerms();
  const payer = await chain.payer(10_000n);
  const presented = await presentedPayment(payer, terms);
  await cashier.verify(presented, terms);
  let sent = '';
  const refused = await cashier
    .settle(presented, terms, {
      // The money goes elsewhere while the transaction is on its way.
      async broadcast(transaction) {
        sent = transaction;
        await chain.transfer(payer, freshAddress(), 10_000n);
      },
    })
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(PaymentRefused);
  expect(refused).toMatchObject({ reason: 'invalid_exact_evm_transaction_failed', transaction: sent });
  expect(await cashier.isOpen(presented, terms)).toBe(true);
});
