import { createWalletClient, http } from 'viem';
import { base } from 'viem/chains';
import { afterAll, expect, test } from 'vitest';
import { decodeXPaymentResponse, wrapFetchWithPayment } from 'x402-fetch';
import { startChain } from '../helpers/chain.ts';
import { freshAddress } from '../helpers/payments.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { books } from './shop.ts';

const payTo = freshAddress();
const chain = await startChain();
const host = 'legacy.audit-sites.net';
const sites = await startSites({ [host]: { '/': '<title>Legacy</title>' } });
const service = await startService({
  auditTrial: sites.trial,
  nodes: 1,
  env: { SETTLEMENT_ADDRESS: payTo, X402_SETTLER_KEY: chain.settlerKey, RPC_URL_BASE: chain.rpcUrl },
});
afterAll(async () => {
  await service.stop();
  sites.close();
  await chain.stop();
});

/** The client of version 1, as it was published; it signs, and asks no chain. */
async function buyer(maxValue?: bigint) {
  const account = await chain.payer();
  const wallet = createWalletClient({ account, chain: base, transport: http(chain.rpcUrl) });
  return { account, fetchAndPay: wrapFetchWithPayment(fetch, wallet as never, maxValue) };
}

test('x402-fetch, which speaks version 1 alone, buys an audit as it comes', async () => {
  const { account, fetchAndPay } = await buyer();
  for (const [method, path, body] of [
    ['GET', `/api/x402-audit?url=${host}`, undefined],
    ['POST', '/api/x402-audit', JSON.stringify({ url: host })],
  ] as const) {
    const answer = await fetchAndPay(service.url + path, {
      method,
      ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([200, { ok: true, domain: host, tier: 'audit' }]);
    expect(decodeXPaymentResponse(answer.headers.get('x-payment-response')!)).toMatchObject({
      success: true,
      network: 'base',
      payer: expect.stringMatching(new RegExp(account.address, 'i')),
    });
  }
  expect(await chain.balanceOf(account.address)).toBe(1_000_000_000n - 20_000n);
  const { received, revenue } = await books(chain, service.control, payTo);
  expect(received).toBe(20_000n);
  expect(revenue).toBe(received);
});

test('it refuses by itself what costs more than it may spend, and nothing moves', async () => {
  const { account, fetchAndPay } = await buyer(9_999n);
  await expect(fetchAndPay(`${service.url}/api/x402-audit?url=${host}`)).rejects.toThrow(/exceeds maximum/i);
  expect(await chain.balanceOf(account.address)).toBe(1_000_000_000n);
});
