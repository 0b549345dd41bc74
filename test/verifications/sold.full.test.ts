import { type Address, encodeFunctionData } from 'viem';
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import { evmNetworks } from '../../engines/chains/networks.ts';
import { batchAbi, tokenAbi } from '../helpers/chain.ts';
import { challengeOf, decoded, paying, sign } from '../payments/shop.ts';
import { codeOf, startRig, units } from './rig.ts';

/** Key of an account that settles payments here, and of nothing else. */
const settlerKey = `0x${'5e'.repeat(31)}01` as const;
const rig = await startRig({ networks: ['base'], nodes: 1, env: { X402_SETTLER_KEY: settlerKey } });
afterAll(() => rig.stop());
const { base } = rig.networks;
const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
await base.fund(privateKeyToAddress(settlerKey));

const { nobody } = rig.service.actors;
const path = '/api/x402-audit?url=https%3A%2F%2Fshop.audit-sites.net%2Fshoes';
const get = (query: string, headers: Record<string, string> = {}) =>
  rig.service.call<{ ok?: boolean; error?: string }>(nobody, 'GET', query, { headers });
const verify = async (tx_hash: string) => (await rig.verify({ tx_hash })).body;

/** A transaction of two transfers: one of USDT that is enough for a licence, one of USDC that is enough for an audit. */
async function paidTwice() {
  const batch = '0xcA11bde05977b3631167028862bE2a173976CA11';
  const usdt = evmNetworks.base.assets.find(({ symbol }) => symbol === 'USDT')!.address as Address;
  const transfers = [
    { target: usdt, value: units(3) },
    { target: usdc, value: 10_000n },
  ] as const;
  for (const { target, value } of transfers) await base.mint(batch, value, target);
  const calls = transfers.map(({ target, value }) => ({
    target,
    callData: encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [rig.settlement, value] }),
  }));
  const data = encodeFunctionData({ abi: batchAbi, functionName: 'tryAggregate', args: [true, calls] });
  return (await base.send(batch, data)).transactionHash;
}

test('what settled a sale by x402 brings no licence', async () => {
  const payer = privateKeyToAccount(generatePrivateKey());
  await base.mint(payer.address, units(1), usdc);
  const [offer] = challengeOf(await get(path)).accepts;
  const answer = await get(path, paying(await sign(payer, offer), 2));
  expect(answer.status).toBe(200);
  const { transaction } = decoded(answer.headers.get('payment-response')) as { transaction: string };
  const refused = await verify(transaction);
  expect(refused).toMatchObject({ verified: false, pending: false, tx_hash: transaction });
  expect(codeOf(refused)).toBe('tx_already_used');
});

test('what paid for the source by x402 has the licence of that order', async () => {
  const payer = privateKeyToAccount(generatePrivateKey());
  await base.mint(payer.address, units(950), usdc);
  const order = '/api/x402-buyout?buyer_domain=shop.audit-sites.net';
  const [offer] = challengeOf(await get(order)).accepts;
  const answer = await rig.service.call<{ licence: { license_key: string } }>(nobody, 'GET', order, {
    headers: paying(await sign(payer, offer), 2),
  });
  expect(answer.status).toBe(200);
  const { transaction } = decoded(answer.headers.get('payment-response')) as { transaction: string };
  const first = await verify(transaction);
  expect(first).toMatchObject({
    verified: true,
    license_key: answer.body.licence.license_key,
    plan: 'buyout',
    plan_price: 950,
    payer: payer.address,
    amount: '950000000',
    domain: 'shop.audit-sites.net',
  });
  // The same however often, and for whatever price.
  for (const more of [{}, { plan_price: 3 }, { url: 'docs.audit-sites.net' }])
    expect((await rig.verify({ tx_hash: transaction, ...more })).body).toEqual(first);
});

test('what was presented as the proof of a payment brings no licence', async () => {
  const hash = await paidTwice();
  expect((await get(`${path}&payment_proof=${hash}`)).status).toBe(200);
  expect(codeOf(await verify(hash))).toBe('tx_already_used');
});

test.each([3, 29, 950])(
  'a payment of %i dollars cannot be burnt for an audit by whoever sees its hash',
  async (sum) => {
    const { hash } = await base.pay(rig.settlement, sum);
    const { status, body } = await get(`${path}&payment_proof=${hash}`);
    expect([status, body.error]).toEqual([402, 'use_verify_tx']);
    expect(await verify(hash)).toMatchObject({ verified: true, plan_price: sum });
  },
);

test('what brought a licence is the proof of no other payment', async () => {
  const hash = await paidTwice();
  expect((await verify(hash)).verified).toBe(true);
  const { status, body } = await get(`${path}&payment_proof=${hash}`);
  expect(status).toBe(402);
  expect(body.error).toBe('tx_already_used');
});

test('a transaction that is used for both at once is never used for both', async () => {
  // A site is read six times a minute at most.
  const other = '/api/x402-audit?url=docs.audit-sites.net';
  for (let turn = 0; turn < 3; turn++) {
    const hash = await paidTwice();
    const [licence, audit] = await Promise.all([verify(hash), get(`${other}&payment_proof=${hash}`)]);
    expect([licence.verified, audit.status === 200].filter(Boolean).length).toBeLessThan(2);
  }
});
