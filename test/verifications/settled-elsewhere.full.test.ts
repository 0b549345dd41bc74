import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import { shop } from '../audit/fixture-sites.ts';
import { startCallGate } from '../helpers/call-gate.ts';
import { startChain } from '../helpers/chain.ts';
import { startFacilitator } from '../helpers/facilitator-process.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { challengeOf, decoded, paying, sign } from '../payments/shop.ts';
import { codeOf, type VerifyAnswer } from './rig.ts';

const chain = await startChain();
const facilitator = await startFacilitator(chain);
const office = await startCallGate(facilitator.url);
const sites = await startSites({ 'shop.audit-sites.net': shop });
const service = await startService({
  auditTrial: sites.trial,
  nodes: 1,
  env: {
    SETTLEMENT_ADDRESS: privateKeyToAddress(generatePrivateKey()),
    X402_FACILITATOR_URL: office.url,
    RPC_URL_BASE: chain.rpcUrl,
    CONFIRMATIONS_BASE: '1',
  },
});
afterAll(async () => {
  await service.stop();
  office.close();
  await facilitator.kill();
  sites.close();
  await chain.stop();
});

const { nobody } = service.actors;
const audit = '/api/x402-audit?url=https%3A%2F%2Fshop.audit-sites.net%2Fshoes';
const source = '/api/x402-buyout?buyer_domain=shop.audit-sites.net';
const get = (path: string, headers: Record<string, string> = {}) =>
  service.call<{ error?: string; licence?: { license_key: string } }>(nobody, 'GET', path, { headers });
const verify = async (tx_hash: string, url?: string) =>
  (await service.call<VerifyAnswer>(nobody, 'POST', '/api/verify-tx', { body: { tx_hash, url } })).body;

/** A purchase that the facilitator has settled, and of which the gateway does not know yet; all the world sees the transfer. */
async function settledUnknown(path: string) {
  const payer = await chain.payer();
  const header = await sign(payer, challengeOf(await get(path)).accepts[0]);
  const settled = office.hold('/settle', 'after');
  const answered = get(path, paying(header));
  await settled.reached;
  const { transactions } = await chain.client.getBlock();
  return {
    transaction: transactions[0]!,
    async finish() {
      settled.release();
      return answered;
    },
  };
}

test('while a facilitator has yet to answer, the hash of its transfer gets a stranger neither an audit nor a licence', async () => {
  const { transaction, finish } = await settledUnknown(audit);
  try {
    const stolen = await get(`${audit}&payment_proof=${transaction}`);
    expect([stolen.status, stolen.body.error]).toEqual([402, 'tx_already_used']);
    expect(codeOf(await verify(transaction))).toBe('tx_already_used');
  } finally {
    const bought = await finish();
    expect(bought.status).toBe(200);
    expect(decoded(bought.headers.get('payment-response')).transaction).toBe(transaction);
  }
});

test('the licence of the source waits for its order, and is the buyer’s', async () => {
  const { transaction, finish } = await settledUnknown(source);
  let bought: Awaited<ReturnType<typeof finish>>;
  try {
    const early = await verify(transaction, 'stranger.audit-sites.net');
    expect(early).toMatchObject({ verified: false, pending: true, tx_hash: transaction });
    expect(codeOf(early)).toBe('order_pending');
  } finally {
    bought = await finish();
  }
  expect(bought.status).toBe(200);
  expect(await verify(transaction, 'stranger.audit-sites.net')).toMatchObject({
    verified: true,
    plan: 'buyout',
    license_key: bought.body.licence!.license_key,
    domain: 'shop.audit-sites.net',
  });
});
