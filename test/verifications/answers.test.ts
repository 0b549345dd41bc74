import { type Address, encodeFunctionData, type Hash, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, expect, test } from 'vitest';
import { evmNetworks } from '../../engines/chains/networks.ts';
import { batchAbi, tokenAbi } from '../helpers/chain.ts';
import { codeOf, startRig, units } from './rig.ts';

const rig = await startRig({
  networks: ['base', 'polygon'],
  nodes: 1,
  env: { CONFIRMATIONS_POLYGON: '5', RPC_URL_BSC: 'http://127.0.0.1:1/nobody-listens', RPC_URL_ETHEREUM: '' },
});
afterAll(() => rig.stop());
const base = rig.networks.base;
const polygon = rig.networks.polygon;
const [usdc, usdt] = evmNetworks.base.assets.map(({ address }) => address as Address) as [Address, Address];
afterEach(() => base.proxy.honest());

const unknown = `0x${'ab'.repeat(32)}`;
const newAddress = () => privateKeyToAccount(generatePrivateKey()).address;

/** What is answered for a transaction on base. */
const answerTo = async (tx_hash: string, more: object = {}) => (await rig.verify({ tx_hash, ...more })).body;

test('a hash that the node does not know is pending', async () => {
  const body = await answerTo(unknown);
  expect(body).toMatchObject({ ok: false, verified: false, pending: true, network: 'base', tx_hash: unknown });
  expect(codeOf(body)).toBe('tx_not_found');
});

test('a transaction waits for its block, then for blocks on top of it', async () => {
  const payer = privateKeyToAccount(generatePrivateKey());
  const token = evmNetworks.polygon.assets[0]!.address as Address;
  await polygon.mint(payer.address, units(29), token);
  await polygon.fund(payer.address);
  await polygon.automine(false);
  try {
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [rig.settlement, units(29)] });
    const hash = await polygon.client.sendTransaction({ account: payer, to: token, data });
    expect(codeOf(await answerTo(hash, { network: 'polygon' }))).toBe('tx_unconfirmed');
    await polygon.mine();
    for (const reached of [1, 2, 3, 4]) {
      const body = await answerTo(hash, { network: 'polygon' });
      expect(body.reason).toMatch(new RegExp(`^awaiting_confirmations ${reached}/5\\b`));
      expect(body.pending).toBe(true);
      await polygon.mine();
    }
    expect(await answerTo(hash, { network: 'polygon' })).toMatchObject({ verified: true, confirmations: 5 });
  } finally {
    await polygon.automine(true);
  }
});

test('what the chain calls final needs no more blocks', async () => {
  const { hash, receipt } = await polygon.pay(rig.settlement, 3);
  expect(codeOf(await answerTo(hash, { network: 'polygon' }))).toBe('awaiting_confirmations');
  const block = await polygon.client.getBlock({ blockNumber: receipt.blockNumber });
  polygon.proxy.tell('eth_getBlockByNumber', (result, { params }) =>
    params[0] === 'finalized' ? asRpc(block) : result,
  );
  expect(await answerTo(hash, { network: 'polygon' })).toMatchObject({ verified: true, confirmations: 1 });
  polygon.proxy.honest();
});

/** As a node spells a block; only what is looked at. */
const asRpc = ({ number, hash, timestamp }: { number: bigint; hash: Hash; timestamp: bigint }) => ({
  number: `0x${number.toString(16)}`,
  hash,
  timestamp: `0x${timestamp.toString(16)}`,
});

test.each([
  ['a node that cannot be reached', 'bsc', 'network_unavailable'],
  ['a network without a node', 'ethereum', 'network_not_enabled'],
] as const)('%s is pending', async (_case, network, code) => {
  const body = await answerTo(unknown, { network });
  expect(body).toMatchObject({ verified: false, pending: true });
  expect(codeOf(body)).toBe(code);
});

test('a node of another chain is not believed, until it is of the right one', async () => {
  // A gateway of its own: what a node was is asked once.
  const other = await startRig({ networks: ['base'], nodes: 1 });
  try {
    const { hash } = await other.networks.base.pay(other.settlement, 29);
    other.networks.base.proxy.tell('eth_chainId', () => '0x1');
    const wrong = await other.verify({ tx_hash: hash });
    expect(codeOf(wrong.body)).toBe('network_unavailable');
    other.networks.base.proxy.honest();
    expect((await other.verify({ tx_hash: hash })).body.verified).toBe(true);
  } finally {
    await other.stop();
  }
});

test.each([
  ['a block that is no number', 'eth_getTransactionByHash', () => ({ blockNumber: 'soon' })],
  ['a receipt without logs', 'eth_getTransactionReceipt', (receipt: object) => ({ ...receipt, logs: null })],
  ['a head that is no number', 'eth_blockNumber', () => 'high'],
] as const)('a node that answers %s is not available', async (_case, method, lie) => {
  const { hash } = await base.pay(rig.settlement, 29);
  base.proxy.tell(method, lie);
  const body = await answerTo(hash);
  expect(body).toMatchObject({ verified: false, pending: true });
  expect(codeOf(body)).toBe('network_unavailable');
  base.proxy.honest();
  expect((await answerTo(hash)).verified).toBe(true);
});

test('a transaction that was reverted is refused', async () => {
  const payer = privateKeyToAccount(generatePrivateKey());
  await base.fund(payer.address);
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [rig.settlement, units(29)] });
  const hash = await base.client.sendTransaction({ account: payer, to: usdc, data, gas: 200_000n });
  const body = await answerTo(hash);
  expect(body).toMatchObject({ verified: false, pending: false });
  expect(codeOf(body)).toBe('tx_failed');
});

test('what was paid to somebody else is no payment', async () => {
  const { hash } = await base.pay(newAddress(), 29);
  const body = await answerTo(hash);
  expect(body).toMatchObject({ verified: false, pending: false });
  expect(codeOf(body)).toBe('no_payment_found');
});

test('a token that is not on the list, though it calls itself USDC, is not accepted', async () => {
  const fake = newAddress();
  await base.installToken(fake, { name: 'USD Coin', version: '2', symbol: 'USDC', decimals: 6 });
  const receipt = await base.mint(rig.settlement, units(950), fake);
  const body = await answerTo(receipt.transactionHash);
  expect(body).toMatchObject({ verified: false, pending: false });
  expect(codeOf(body)).toBe('unsupported_asset');
});

test('coins of the chain itself are not accepted', async () => {
  const payer = privateKeyToAccount(generatePrivateKey());
  await base.fund(payer.address);
  const hash = await base.client.sendTransaction({ account: payer, to: rig.settlement, value: parseEther('1') });
  await base.client.waitForTransactionReceipt({ hash });
  expect(codeOf(await answerTo(hash))).toBe('unsupported_asset');
});

test.each([
  ['less than the cheapest plan', 2, {}],
  ['less than the plan that is named', 28, { plan_price: 29 }],
] as const)('%s is too low', async (_case, dollars, more) => {
  const { hash } = await base.pay(rig.settlement, dollars);
  const body = await answerTo(hash, more);
  expect(body).toMatchObject({ verified: false, pending: false });
  expect(codeOf(body)).toBe('amount_too_low');
});

/** Several transfers in one transaction: the batch holds the tokens and sends them. */
async function batch(calls: readonly { readonly target: Address; readonly to: Address; readonly value: bigint }[]) {
  const sender = '0xcA11bde05977b3631167028862bE2a173976CA11';
  for (const { target, value } of calls) await base.mint(sender, value, target);
  const data = encodeFunctionData({
    abi: batchAbi,
    functionName: 'tryAggregate',
    args: [
      true,
      calls.map(({ target, to, value }) => ({
        target,
        callData: encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to, value] }),
      })),
    ],
  });
  return (await base.send(sender, data)).transactionHash;
}

test('several transfers of one asset add up, those of two do not', async () => {
  const to = rig.settlement;
  const twice = await batch([
    { target: usdc, to, value: units(20) },
    { target: usdc, to, value: units(9) },
    { target: usdc, to: newAddress(), value: units(900) },
  ]);
  expect(await answerTo(twice)).toMatchObject({ verified: true, plan: 'pro', amount: '29000000' });
  const mixed = await batch([
    { target: usdc, to, value: units(20) },
    { target: usdt, to, value: units(25) },
  ]);
  expect(codeOf(await answerTo(mixed, { plan_price: 29 }))).toBe('amount_too_low');
  expect(await answerTo(mixed)).toMatchObject({ verified: true, plan: 'starter', asset: 'USDT', amount: '25000000' });
});

test('logs of a block that was taken back do not count', async () => {
  const { hash } = await base.pay(rig.settlement, 29);
  base.proxy.tell('eth_getTransactionReceipt', (receipt) => ({
    ...receipt,
    logs: receipt.logs.map((log: object) => ({ ...log, removed: true })),
  }));
  expect(codeOf(await answerTo(hash))).toBe('no_payment_found');
});

test('a transaction whose block is no longer of the chain waits', async () => {
  const { hash } = await base.pay(rig.settlement, 29);
  base.proxy.tell('eth_getTransactionReceipt', (receipt) => ({ ...receipt, blockHash: `0x${'cd'.repeat(32)}` }));
  const body = await answerTo(hash);
  expect(body.pending).toBe(true);
  expect(codeOf(body)).toBe('tx_unconfirmed');
});

test('a token whose decimals are not those of the list is not accepted', async () => {
  const other = await startRig({ networks: ['base'], nodes: 1 });
  try {
    const token = { name: 'USD Coin', version: '2', symbol: 'USDC' };
    await other.networks.base.installToken(usdc, { ...token, decimals: 18 });
    const { hash } = await other.networks.base.pay(other.settlement, 29);
    const body = (await other.verify({ tx_hash: hash })).body;
    expect(codeOf(body)).toBe('unsupported_asset');
    // The other token of the network is what it was.
    const paid = await other.networks.base.pay(other.settlement, 29, 'USDT');
    expect((await other.verify({ tx_hash: paid.hash })).body.verified).toBe(true);
    expect(other.service.logged()).toContainEqual(expect.objectContaining({ asset: 'USDC', listed: 6, said: 18 }));
  } finally {
    await other.stop();
  }
});
