import { concat, encodeAbiParameters, encodeFunctionData, type Hex, parseAbi } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import type { Address } from '../../engines/x402/networks.ts';
import { createPaymentProcessor } from '../../engines/x402/payment-processor.ts';
import { readPresented } from '../../engines/x402/presented.ts';
import { encodeHeader, type Terms } from '../../engines/x402/terms.ts';
import { startChain, walletFactoryAbi } from '../helpers/chain.ts';
import { freshAddress, memoryTurns, presentedPayment, someTerms } from '../helpers/payments.ts';

const chain = await startChain();
afterAll(() => chain.stop());

const factory = freshAddress();
await chain.install(factory, 'WalletFactory');
const createData = (owner: Address) =>
  encodeFunctionData({ abi: walletFactoryAbi, functionName: 'create', args: [owner] });

const cashierWith = (allowedFactories: readonly Address[] = []) =>
  createPaymentProcessor({
    settlerKey: chain.settlerKey,
    rpcUrls: { base: chain.rpcUrl },
    turns: memoryTurns(),
    settleMs: 120_000,
    allowedFactories,
  });
const cashier = cashierWith();
const told = { broadcast: async () => {} };
const refusal = (reason: string) => ({ name: 'PaymentRefused', reason });

/** A wallet that is a contract and lies at an address, with its owner's key. */
async function contractWallet(deployed: boolean) {
  const owner = privateKeyToAccount(generatePrivateKey());
  const address = await chain.client.readContract({
    address: factory,
    abi: walletFactoryAbi,
    functionName: 'addressOf',
    args: [owner.address],
  });
  if (deployed) await chain.send(factory, createData(owner.address));
  await chain.mint(address, 1_000_000n);
  return { owner, address };
}

/** What a wallet's owner signs for it, wrapped as one signs for a wallet that is not there yet (ERC-6492). */
async function wrappedPayment(owner: PrivateKeyAccount, address: Address, terms: Terms, from: Address = factory) {
  const presented = await presentedPayment(owner, terms, { signed: { from: address } });
  const wrapped = encodeAbiParameters(
    [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
    [from, createData(owner.address), presented.signature],
  );
  const signature = concat([wrapped, magic]);
  const raw = presented.raw as { payload: object };
  return readPresented(encodeHeader({ ...raw, payload: { ...raw.payload, signature } }));
}

const magic: Hex = `0x${'6492'.repeat(16)}`;

test.each([
  ['65 bytes', '0x'],
  ['more than 65 bytes', '0x0102'],
] as const)('a wallet that is a contract pays with a signature of %s', async (_case, suffix) => {
  const { owner, address } = await contractWallet(true);
  const terms = someTerms();
  const presented = await presentedPayment(owner, terms, { signed: { from: address }, suffix });
  await cashier.verify(presented, terms);
  expect(await cashier.settle(presented, terms, told)).toMatchObject({ payer: address.toLowerCase() });
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
});

test('nobody but its owner signs for it', async () => {
  const { address } = await contractWallet(true);
  const terms = someTerms();
  const stranger = privateKeyToAccount(generatePrivateKey());
  const presented = await presentedPayment(stranger, terms, { signed: { from: address } });
  await expect(cashier.verify(presented, terms)).rejects.toMatchObject(refusal('invalid_exact_evm_signature'));
});

test('an account with code is asked, however well its key has signed', async () => {
  const payer = await chain.payer();
  await chain.install(payer.address, 'ContractWallet');
  await chain.send(
    payer.address,
    encodeFunctionData({
      abi: parseAbi(['function initialize(address owner)']),
      functionName: 'initialize',
      args: [freshAddress()],
    }),
  );
  const terms = someTerms();
  const presented = await presentedPayment(payer, terms);
  await expect(cashier.verify(presented, terms)).rejects.toMatchObject(refusal('invalid_exact_evm_signature'));
});

test('a wallet that is not there yet is refused, and its factory is not called', async () => {
  const { owner, address } = await contractWallet(false);
  const terms = someTerms();
  const presented = await wrappedPayment(owner, address, terms);
  await expect(cashier.verify(presented, terms)).rejects.toMatchObject(refusal('eip6492_factory_not_allowed'));
  await expect(cashier.settle(presented, terms, told)).rejects.toMatchObject(refusal('eip6492_factory_not_allowed'));
  const other = cashierWith([freshAddress()]);
  await expect(other.verify(presented, terms)).rejects.toMatchObject(refusal('eip6492_factory_not_allowed'));
  expect(await chain.client.getCode({ address })).toBeUndefined();
});

test('with its factory on the list it is made, and pays', async () => {
  const { owner, address } = await contractWallet(false);
  const terms = someTerms();
  const allowing = cashierWith([factory]);
  const presented = await wrappedPayment(owner, address, terms);
  await allowing.verify(presented, terms);
  expect(await allowing.settle(presented, terms, told)).toMatchObject({ payer: address.toLowerCase() });
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
});

test('one that was made in the meantime pays with what was signed for it before', async () => {
  const { owner, address } = await contractWallet(true);
  const terms = someTerms();
  const presented = await wrappedPayment(owner, address, terms);
  await cashier.verify(presented, terms);
  await cashier.settle(presented, terms, told);
  expect(await chain.balanceOf(terms.payTo)).toBe(10_000n);
});

test('a wrapper with nothing in it is refused as a signature', async () => {
  const payer = await chain.payer();
  const terms = someTerms();
  const presented = await presentedPayment(payer, terms, { suffix: magic });
  await expect(cashier.verify(presented, terms)).rejects.toMatchObject({ name: 'PaymentRefused' });
  await expect(cashier.settle(presented, terms, told)).rejects.toMatchObject({ name: 'PaymentRefused' });
});
