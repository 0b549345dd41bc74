import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
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

test('what was presented as the proof of a payment brings no licence, however much it paid', async () => {
  const { hash } = await base.pay(rig.settlement, 29);
  expect((await get(`${path}&payment_proof=${hash}`)).status).toBe(200);
  expect(codeOf(await verify(hash))).toBe('tx_already_used');
});

test('what brought a licence is the proof of no other payment', async () => {
  const { hash } = await base.pay(rig.settlement, 29);
  expect((await verify(hash)).verified).toBe(true);
  const { status, body } = await get(`${path}&payment_proof=${hash}`);
  expect(status).toBe(402);
  expect(body.error).toBe('tx_already_used');
});

test('a transaction that is used for both at once is never used for both', async () => {
  // A site is read six times a minute at most.
  const other = '/api/x402-audit?url=docs.audit-sites.net';
  for (let turn = 0; turn < 3; turn++) {
    const { hash } = await base.pay(rig.settlement, 29);
    const [licence, audit] = await Promise.all([verify(hash), get(`${other}&payment_proof=${hash}`)]);
    expect([licence.verified, audit.status === 200].filter(Boolean).length).toBeLessThan(2);
  }
});
