import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Hex } from '../../engines/x402/networks.ts';
import { createPaymentProcessor, type PaymentProcessorOptions } from '../../engines/x402/payment-processor.ts';
import { PaymentPending, PaymentRefused, PaymentsUnavailable } from '../../engines/x402/refusals.ts';
import { startChain } from '../helpers/chain.ts';
import { startFacilitator } from '../helpers/facilitator-process.ts';
import { broadcastOf, memoryTurns, presentedPayment, someTerms } from '../helpers/payments.ts';
import { startRpcGate } from '../helpers/rpc-gate.ts';

const chain = await startChain();
const gate = await startRpcGate(chain.rpcUrl);
const facilitator = await startFacilitator(chain);
const mortals: { kill: () => Promise<void> }[] = [facilitator];
afterAll(async () => {
  await Promise.all(mortals.map((one) => one.kill()));
  await Promise.all([chain.stop(), gate.stop()]);
});
beforeEach(async () => {
  gate.decide(() => 'pass');
  await facilitator.behave('honest');
});

const turns = memoryTurns();
const cashierWith = (more: Partial<PaymentProcessorOptions> = {}) =>
  createPaymentProcessor({
    facilitatorUrl: facilitator.url,
    rpcUrls: { base: gate.url },
    turns,
    settleMs: 120_000,
    ...more,
  });
/** One that looks at no chain, and has the facilitator's word alone. */
const blind = (more: Partial<PaymentProcessorOptions> = {}) => cashierWith({ rpcUrls: {}, ...more });
/** For outcomes that do not come: whether the facilitator was faster than this makes no difference. */
const impatient = { settleMs: 500 };

async function sale() {
  const terms = someTerms();
  const hashes: Hex[] = [];
  const presented = await presentedPayment(await chain.payer(), terms);
  return { terms, presented, hashes, told: { broadcast: async (hash: Hex) => void hashes.push(hash) } };
}

test.each([
  ['with a look at the chain', cashierWith],
  ['on its word alone', blind],
])('an honest facilitator in a process of its own settles, %s', async (_case, cashierOf) => {
  const cashier = cashierOf();
  expect(cashier.mode).toBe('facilitator');
  for (const version of [1, 2] as const) {
    const terms = someTerms();
    const presented = await presentedPayment(await chain.payer(), terms, { version });
    const hashes: Hex[] = [];
    await cashier.verify(presented, terms);
    const settlement = await cashier.settle(presented, terms, { broadcast: async (hash) => void hashes.push(hash) });
    expect(hashes).toEqual([settlement.transaction]);
    expect(settlement.logIndex).toBe(cashierOf === blind ? null : 1);
    expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
  }
  expect(await cashier.health()).toEqual({ rpc: cashierOf === blind ? 'unconfigured' : 'ok', facilitator: 'ok' });
});

test('its reasons pass unchanged', async () => {
  const { terms, presented, told } = await sale();
  const tampered = { ...presented, signature: `0x${'11'.repeat(65)}` as const };
  await expect(cashierWith().verify(tampered, terms)).rejects.toMatchObject({ reason: 'invalid_exact_evm_signature' });
  await facilitator.behave('refuse to settle');
  await expect(cashierWith().settle(presented, terms, told)).rejects.toMatchObject({
    name: 'PaymentRefused',
    reason: 'facilitator_says_no',
  });
  await expect(blind().settle(presented, terms, told)).rejects.toBeInstanceOf(PaymentRefused);
  expect(await chain.balanceOf(terms.payTo)).toBe(0n);
});

test('one that calls all payments valid does not make them so', async () => {
  const { terms, presented, told } = await sale();
  const forged = { ...presented, signature: `0x${'11'.repeat(65)}` as const };
  await facilitator.behave('call all valid');
  await cashierWith().verify(forged, terms);
  await expect(cashierWith().settle(forged, terms, told)).rejects.toBeInstanceOf(PaymentRefused);
  expect(await chain.balanceOf(terms.payTo)).toBe(0n);
});

test('a slow one is waited for', async () => {
  const { terms, presented, told } = await sale();
  await facilitator.behave({ kind: 'slow', ms: 300 });
  const cashier = cashierWith();
  await cashier.verify(presented, terms);
  await cashier.settle(presented, terms, told);
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
});

test.each(['pay and deny', 'pay and say pending', 'pay and break'] as const)(
  'one that would %s is seen through: the chain tells that it was paid',
  async (kind) => {
    const { terms, presented, told } = await sale();
    await facilitator.behave(kind);
    const { transaction } = await cashierWith().settle(presented, terms, told);
    expect((await chain.client.getTransactionReceipt({ hash: transaction })).status).toBe('success');
    expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
  },
);

test.each([
  ['with a look at the chain', cashierWith],
  ['without one', blind],
])('a payment that no answer comes to is pending, and found when it is tried again, %s', async (_case, cashierOf) => {
  const { terms, presented, told } = await sale();
  await facilitator.behave('pay and say no more');
  const outcome = await cashierOf(impatient)
    .settle(presented, terms, told)
    .catch((error: unknown) => error);
  // A look at the chain may have told more than the facilitator did.
  if (outcome instanceof Error) expect(outcome).toMatchObject({ name: 'PaymentPending', transaction: '' });
  else expect(cashierOf).toBe(cashierWith);
  await expect.poll(() => chain.balanceOf(terms.payTo)).toBe(10_000n);
  await facilitator.behave('honest');
  const again = await cashierWith().settle(presented, terms, told);
  expect(await cashierWith().find(presented, terms)).toEqual(again);
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
});

test('without a look at the chain a facilitator that breaks leaves a payment pending', async () => {
  const { terms, presented, told } = await sale();
  await facilitator.behave('pay and break');
  await expect(blind().settle(presented, terms, told)).rejects.toMatchObject({
    name: 'PaymentPending',
    transaction: '',
  });
});

test('a claim that the chain does not bear out is not believed, and the payment stays open', async () => {
  const { terms, presented, told } = await sale();
  const cashier = cashierWith(impatient);
  await facilitator.behave('claim without paying');
  await expect(cashier.settle(presented, terms, told)).rejects.toBeInstanceOf(PaymentPending);

  // Somebody else's payment, to the same receiver, of the same amount.
  const other = await presentedPayment(await chain.payer(), terms);
  const { transactionHash } = await chain.send(chain.usdc, broadcastOf(other));
  await facilitator.behave({ kind: 'claim another transaction', transaction: transactionHash });
  await expect(cashier.settle(presented, terms, told)).rejects.toBeInstanceOf(PaymentPending);
  expect(await cashier.isOpen(presented, terms)).toBe(true);
  expect(await cashier.find(presented, terms, { transaction: transactionHash })).toBeUndefined();
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);

  // It comes to its senses.
  await facilitator.behave('honest');
  await cashierWith().settle(presented, terms, told);
  expect(await chain.balanceOf(terms.payTo)).toBe(20_000n);
});

test('once a signature is of no more use, a false claim is a refusal', async () => {
  const { terms, presented, told } = await sale();
  const past = { ...presented, validBefore: 1n };
  await facilitator.behave({
    kind: 'claim another transaction',
    transaction: (await chain.mint(terms.payTo, 1n)).transactionHash,
  });
  await expect(cashierWith().settle(past, terms, told)).rejects.toMatchObject({
    name: 'PaymentRefused',
    reason: 'invalid_exact_evm_transfer_event_mismatch',
  });
});

test.each([
  ['die before broadcasting', false],
  ['die after broadcasting', true],
] as const)('one that would %s leaves nothing unknown for good', async (kind, paid) => {
  const mortal = await startFacilitator(chain);
  mortals.push(mortal);
  const { terms, presented, told } = await sale();
  const cashier = cashierWith({ facilitatorUrl: mortal.url });
  await cashier.verify(presented, terms);
  await mortal.behave(kind);
  if (paid) {
    expect(await cashier.settle(presented, terms, told)).toMatchObject({ amount: 10_000n });
  } else {
    const hasty = cashierWith({ facilitatorUrl: mortal.url, ...impatient });
    await expect(hasty.settle(presented, terms, told)).rejects.toBeInstanceOf(PaymentPending);
    // Nobody is there any more: nothing is handed over, and nothing can have happened.
    await expect.poll(() => mortal.running()).toBe(false);
    await expect(cashier.settle(presented, terms, told)).rejects.toBeInstanceOf(PaymentsUnavailable);
    await expect(cashierWith({ facilitatorUrl: mortal.url }).verify(presented, terms)).rejects.toBeInstanceOf(
      PaymentsUnavailable,
    );
    const again = await startFacilitator(chain, { port: Number(new URL(mortal.url).port) });
    mortals.push(again);
    await cashier.settle(presented, terms, told);
  }
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
});

test('one that does not support version 2 on the network takes no payments', async () => {
  await facilitator.behave('support version 1 alone');
  const { terms, presented } = await sale();
  const cashier = cashierWith();
  await expect(cashier.verify(presented, terms)).rejects.toThrow('The facilitator does not take payments on base.');
  const test_ = someTerms({ network: 'base-sepolia' });
  await facilitator.behave('honest');
  await expect(blind().verify(await presentedPayment(await chain.payer(), test_), test_)).rejects.toThrow(
    'The facilitator does not take payments on base-sepolia.',
  );
});

test('one that talks nonsense is no facilitator', async () => {
  const { terms, presented, told } = await sale();
  const cashier = cashierWith();
  await cashier.verify(presented, terms);
  await facilitator.behave('talk nonsense');
  await expect(cashier.verify(presented, terms)).rejects.toBeInstanceOf(PaymentsUnavailable);
  await expect(cashierWith(impatient).settle(presented, terms, told)).rejects.toBeInstanceOf(PaymentPending);
  await expect(cashierWith().verify(presented, terms)).rejects.toThrow('does not tell what it supports');
});

test('a payment that somebody else brought onto the chain is right, when its signature is', async () => {
  const { terms, presented, told } = await sale();
  const { transactionHash: transaction } = await chain.send(chain.usdc, broadcastOf(presented));
  const cashier = cashierWith();
  await cashier.verify(presented, terms);
  expect(await cashier.settle(presented, terms, told)).toMatchObject({ transaction });
  const forged = { ...presented, signature: `0x${'11'.repeat(65)}` as const };
  await expect(cashier.verify(forged, terms)).rejects.toBeInstanceOf(PaymentRefused);
});

test('credentials and keys of its address are sent along, and told to nobody', async () => {
  const secret = 'the-key-of-an-operator';
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url, request.headers.authorization);
    if (request.url?.includes('/supported')) {
      response.end(JSON.stringify({ kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }, null] }));
    } else response.end(JSON.stringify({ isValid: false, invalidReason: `see https://x.example/?key=${secret}` }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const { terms, presented } = await sale();
    const facilitatorUrl = `http://user:${secret}@127.0.0.1:${port}/x402/?key=${secret}`;
    const cashier = blind({ facilitatorUrl });
    // A reason is a word; a sentence of a stranger's, with whatever is in it, goes no further.
    await expect(cashier.verify(presented, terms)).rejects.toMatchObject({ reason: 'unexpected_verify_error' });
    const authorization = `Basic ${Buffer.from(`user:${secret}`).toString('base64')}`;
    expect(seen).toEqual([
      ...[`/x402/supported?key=${secret}`, authorization],
      ...[`/x402/verify?key=${secret}`, authorization],
    ]);
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    const gone = (await cashier.verify(presented, terms).catch((error: unknown) => error)) as Error;
    expect(gone).toBeInstanceOf(PaymentsUnavailable);
    expect(`${gone.stack} ${String(gone.cause)}`).not.toContain(secret);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
