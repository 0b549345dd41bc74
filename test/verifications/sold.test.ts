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

test('a transaction that is used for both at once is used for one', async () => {
  for (let turn = 0; turn < 3; turn++) {
    const { hash } = await base.pay(rig.settlement, 29);
    const [licence, audit] = await Promise.all([verify(hash), get(`${path}&payment_proof=${hash}`)]);
    expect([licence.verified, audit.status === 200].filter(Boolean)).toHaveLength(1);
  }
});
