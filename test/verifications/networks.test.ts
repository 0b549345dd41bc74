import { compactVerify, createLocalJWKSet } from 'jose';
import { afterAll, expect, test } from 'vitest';
import { startRig, units } from './rig.ts';

const rig = await startRig({ networks: ['base', 'ethereum', 'polygon', 'bsc'], nodes: 1 });
afterAll(() => rig.stop());

test.each([
  ['base', 'USDC', 6],
  ['base', 'USDT', 6],
  ['ethereum', 'USDC', 6],
  ['ethereum', 'USDT', 6],
  ['polygon', 'USDC', 6],
  ['polygon', 'USDC.e', 6],
  ['polygon', 'USDT', 6],
  ['bsc', 'USDC', 18],
  ['bsc', 'USDT', 18],
] as const)('29 dollars on %s in %s, of %i decimals, are a pro licence', async (network, asset, decimals) => {
  const { hash, payer, receipt } = await rig.networks[network].pay(rig.settlement, 29, asset);
  const { status, body } = await rig.verify({ tx_hash: hash, network });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    ok: true,
    verified: true,
    plan: 'pro',
    plan_price: 29,
    network,
    tx_hash: hash,
    payer,
    asset,
    amount: units(29, decimals).toString(),
    amount_usd: '29.00',
    block: Number(receipt.blockNumber),
    confirmations: 1,
    domain: null,
    report: null,
    report_error: null,
  });
  const block = await rig.networks[network].client.getBlock({ blockNumber: receipt.blockNumber });
  expect(body.issued_at).toBe(new Date(Number(block.timestamp) * 1000).toISOString());
});

test('the licence can be checked offline, with the published keys alone', async () => {
  const { hash, payer } = await rig.networks.bsc.pay(rig.settlement, 950);
  const { body } = await rig.verify({ tx_hash: hash, network: 'bsc', plan_price: 950 });
  const keys = await rig.service.call<never>(rig.service.actors.nobody, 'GET', '/.well-known/jwks.json');
  const { payload, protectedHeader } = await compactVerify(body.license_key!, createLocalJWKSet(keys.body), {
    algorithms: ['EdDSA'],
  });
  expect(protectedHeader.typ).toBe('license+jwt');
  expect(JSON.parse(new TextDecoder().decode(payload))).toMatchObject({
    sub: payer,
    plan: 'buyout',
    price_usd: '950.00',
    net: 'eip155:56',
    tx: hash,
    dom: null,
  });
});

test('a transaction is looked for on base unless another network is named', async () => {
  const { hash } = await rig.networks.base.pay(rig.settlement, 3);
  expect((await rig.verify({ tx_hash: hash })).body).toMatchObject({
    verified: true,
    network: 'base',
    plan: 'starter',
  });
  // On a network that has not seen it, it is none.
  const elsewhere = await rig.verify({ tx_hash: hash, network: 'polygon' });
  expect(elsewhere.body).toMatchObject({ verified: false, pending: true, network: 'polygon' });
  expect(elsewhere.body.reason).toMatch(/^tx_not_found\b/);
});

test('six decimals of a token of eighteen pay next to nothing', async () => {
  const { bsc } = rig.networks;
  const usdc = '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d';
  const receipt = await bsc.mint(rig.settlement, 950_000_000n, usdc);
  const { body } = await rig.verify({ tx_hash: receipt.transactionHash, network: 'bsc' });
  expect(body.reason).toMatch(/^amount_too_low\b/);
});
