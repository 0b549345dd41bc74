import { type Address, encodeFunctionData } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { evmNetworks } from '../../engines/chains/networks.ts';
import { batchAbi, tokenAbi } from '../helpers/chain.ts';
import { codeOf, startRig, units } from './rig.ts';

const rig = await startRig({
  networks: ['base', 'bsc'],
  ton: true,
  nodes: 1,
  env: { CONFIRMATIONS_BSC: '2' },
});
afterAll(() => rig.stop());
afterEach(() => base.proxy.honest());
const base = rig.networks.base;
const bsc = rig.networks.bsc;
const usdc = evmNetworks.base.assets[0]!.address as Address;
const batchAddress: Address = '0xcA11bde05977b3631167028862bE2a173976CA11';

const verify = async (tx_hash: string, more: object = {}) => (await rig.verify({ tx_hash, ...more })).body;

test('a payment that the chain takes back while it waits brings no licence', async () => {
  const before = await bsc.client.snapshot();
  const { hash } = await bsc.pay(rig.settlement, 29);
  expect((await verify(hash, { network: 'bsc' })).reason).toMatch(/^awaiting_confirmations 1\/2\b/);
  await bsc.client.revert({ id: before });
  await bsc.mine(3);
  expect(codeOf(await verify(hash, { network: 'bsc' }))).toBe('tx_not_found');
});

test('a payment that moves to another block counts from there', async () => {
  const payer = privateKeyToAccount(generatePrivateKey());
  const token = evmNetworks.bsc.assets[0]!.address as Address;
  await bsc.mint(payer.address, units(29, 18), token);
  await bsc.fund(payer.address);
  const before = await bsc.client.snapshot();
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [rig.settlement, units(29, 18)] });
  const signed = await bsc.client.prepareTransactionRequest({ account: payer, to: token, data, nonce: 0 });
  const raw = await payer.signTransaction(signed as Parameters<typeof payer.signTransaction>[0]);
  const hash = await bsc.client.sendRawTransaction({ serializedTransaction: raw });
  const first = await bsc.client.waitForTransactionReceipt({ hash });
  await bsc.client.revert({ id: before });
  await bsc.mine(4);
  await bsc.client.sendRawTransaction({ serializedTransaction: raw });
  const second = await bsc.client.waitForTransactionReceipt({ hash });
  expect(second.blockHash).not.toBe(first.blockHash);
  expect((await verify(hash, { network: 'bsc' })).reason).toMatch(/^awaiting_confirmations 1\/2\b/);
  await bsc.mine();
  expect(await verify(hash, { network: 'bsc' })).toMatchObject({ verified: true, block: Number(second.blockNumber) });
});

test('a transaction with hundreds of transfers is added up', async () => {
  const count = 250;
  const each = 116_000n;
  await base.mint(batchAddress, BigInt(count) * each, usdc);
  const callData = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [rig.settlement, each] });
  const calls = Array.from({ length: count }, () => ({ target: usdc, callData }));
  const data = encodeFunctionData({ abi: batchAbi, functionName: 'tryAggregate', args: [true, calls] });
  const { transactionHash } = await base.send(batchAddress, data);
  expect(await verify(transactionHash)).toMatchObject({ verified: true, plan: 'pro', amount: '29000000' });
});

test('a node that answers with more than a block holds is not available', async () => {
  const { hash } = await base.pay(rig.settlement, 29);
  base.proxy.tell('eth_getTransactionReceipt', (receipt) => ({ ...receipt, logsBloom: 'f'.repeat(40 * 1024 * 1024) }));
  expect(codeOf(await verify(hash))).toBe('network_unavailable');
});

test('what was sent to oneself, and what a token minted, count as what they are', async () => {
  const minted = await base.mint(rig.settlement, units(29), usdc);
  const sender = await base.client.getTransaction({ hash: minted.transactionHash });
  const answer = await verify(minted.transactionHash);
  expect(answer).toMatchObject({ verified: true, amount: '29000000' });
  expect(answer.payer?.toLowerCase()).toBe(sender.from.toLowerCase());
  await base.client.impersonateAccount({ address: rig.settlement });
  await base.fund(rig.settlement);
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [rig.settlement, units(29)] });
  const hash = await base.client.sendTransaction({ account: rig.settlement, to: usdc, data });
  await base.client.waitForTransactionReceipt({ hash });
  expect(codeOf(await verify(hash))).toBe('no_payment_found');
});

/** Lets as many as that come, each as far as the chain, before the first of them looks. */
function together(count: number): void {
  const { chains } = rig.service.app.services;
  const read = chains.read;
  let come = 0;
  let open: () => void = () => undefined;
  const all = new Promise<void>((done) => {
    open = done;
  });
  const spy = vi.spyOn(chains, 'read').mockImplementation(async (...asked) => {
    come += 1;
    if (come === count) {
      spy.mockRestore();
      open();
    }
    await all;
    return read(...asked);
  });
}

test('a hundred who ask for one transaction at once have it read once', async () => {
  const { hash } = await base.pay(rig.settlement, 29);
  base.proxy.forget();
  together(100);
  const answers = await Promise.all(Array.from({ length: 100 }, () => verify(hash)));
  expect(new Set(answers.map(({ license_key }) => license_key)).size).toBe(1);
  expect(base.proxy.count('eth_getTransactionByHash')).toBe(1);
});

test('of very many transactions at once, so many are read and the others are told to come again', async () => {
  base.proxy.forget();
  const hashOf = (count: number) => `0x${count.toString(16).padStart(64, '0')}`;
  together(50);
  const codes = (await Promise.all(Array.from({ length: 50 }, (_one, count) => verify(hashOf(count))))).map(codeOf);
  expect(codes.filter((code) => code === 'tx_not_found')).toHaveLength(32);
  expect(codes.filter((code) => code === 'network_unavailable')).toHaveLength(18);
  expect(base.proxy.count('eth_getTransactionByHash')).toBe(32);
  // Nothing is left of it.
  expect(codeOf(await verify(hashOf(49)))).toBe('tx_not_found');
});
