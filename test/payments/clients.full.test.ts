import { randomBytes } from 'node:crypto';
import { wrapAxiosWithPaymentFromConfig } from '@x402/axios';
import { ExactEvmScheme } from '@x402/evm';
import { wrapFetchWithPaymentFromConfig } from '@x402/fetch';
import axios from 'axios';
import { getAddress } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import { startChain } from '../helpers/chain.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { books, decoded } from './shop.ts';

const payTo = getAddress(`0x${randomBytes(20).toString('hex')}`);
const chain = await startChain();
const names = Array.from({ length: 12 }, (_one, at) => `c${at}.audit-sites.net`);
const sites = await startSites(Object.fromEntries(names.map((name) => [name, { '/': `<title>${name}</title>` }])));
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

const schemes = (payer: PrivateKeyAccount) => ({
  schemes: [{ network: 'eip155:8453' as const, client: new ExactEvmScheme(payer) }],
});

/** What the same sale is asked for, whoever the client is. */
const requests = (host: string) =>
  [
    ['GET', `/api/x402-audit?url=${host}`, undefined],
    ['POST', '/api/x402-audit', { url: host }],
    ['GET', `/api/audit?unlock=1&url=${host}`, undefined],
  ] as const;

async function expectSold(payer: PrivateKeyAccount, before: bigint, sales: number): Promise<void> {
  expect(await chain.balanceOf(payer.address)).toBe(1_000_000_000n - BigInt(sales) * 10_000n);
  const { received, revenue } = await books(chain, service.control, payTo);
  expect(received - before).toBe(BigInt(sales) * 10_000n);
  expect(revenue).toBe(received);
}

test('@x402/fetch buys as it comes', async () => {
  const payer = await chain.payer();
  const before = await chain.balanceOf(payTo);
  const fetchAndPay = wrapFetchWithPaymentFromConfig(fetch, schemes(payer));
  const host = names.pop()!;
  for (const [method, path, body] of requests(host)) {
    const answer = await fetchAndPay(service.url + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([200, { ok: true, domain: host, tier: 'audit' }]);
    expect(decoded(answer.headers.get('payment-response'))).toMatchObject({ success: true, network: 'eip155:8453' });
  }
  await expectSold(payer, before, 3);
});

test('@x402/axios buys as it comes', async () => {
  const payer = await chain.payer();
  const before = await chain.balanceOf(payTo);
  const api = wrapAxiosWithPaymentFromConfig(axios.create({ baseURL: service.url }), schemes(payer));
  const host = names.pop()!;
  for (const [method, url, data] of requests(host)) {
    const answer = await api.request({ method, url, data });
    expect([answer.status, answer.data]).toMatchObject([200, { ok: true, domain: host, tier: 'audit' }]);
    expect(decoded(String(answer.headers['payment-response']))).toMatchObject({ success: true });
  }
  await expectSold(payer, before, 3);
});
