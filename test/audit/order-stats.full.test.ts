import { randomBytes } from 'node:crypto';
import { getAddress } from 'viem';
import { afterAll, expect, test } from 'vitest';
import { startChain } from '../helpers/chain.ts';
import { documentedCalls } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { challengeOf, paying, sign } from '../payments/shop.ts';

const chain = await startChain();
const hosts = ['a.audit-sites.net', 'b.audit-sites.net', 'c.audit-sites.net'];
const sites = await startSites(Object.fromEntries(hosts.map((host) => [host, { '/': `<title>${host}</title>` }])));
const service = await startService({
  auditTrial: sites.trial,
  nodes: 1,
  env: {
    SETTLEMENT_ADDRESS: getAddress(`0x${randomBytes(20).toString('hex')}`),
    X402_SETTLER_KEY: chain.settlerKey,
    RPC_URL_BASE: chain.rpcUrl,
  },
});
afterAll(async () => {
  await service.stop();
  sites.close();
  await chain.stop();
});
const { nobody } = service.actors;
const call = documentedCalls(service);

test('what was sold is counted by what it was, to the cent, and its audits beside the free ones', async () => {
  const payer = await chain.payer(2_000_000_000n);
  for (const path of [
    '/api/x402-audit?url=a.audit-sites.net',
    '/api/x402-audit?url=b.audit-sites.net',
    '/api/x402-pro?url=b.audit-sites.net',
    '/api/x402-buyout?buyer_domain=c.audit-sites.net',
    // Whose site cannot be audited: it is sold all the same.
    '/api/x402-source-bundle?buyer_domain=nowhere.audit-sites.net',
  ]) {
    const [offer] = challengeOf(await call(nobody, 'GET', path)).accepts;
    const bought = await call(nobody, 'GET', path, { headers: paying(await sign(payer, offer)) });
    expect([path, bought.status]).toEqual([path, 200]);
  }
  await call(nobody, 'GET', '/api/audit?url=c.audit-sites.net/free');
  // A price that was asked for and not paid is no order.
  await call(nobody, 'GET', '/api/x402-pro?url=a.audit-sites.net');
  const stats = async () => (await call(nobody, 'GET', '/api/stats')).body;
  const last24h = { total: 5, free: 1, paid: 4, last_24h: 5, unique_domains: 3 };
  await expect.poll(stats).toMatchObject({ audits: last24h });
  expect((await stats()).orders).toEqual({
    total: 5,
    revenue_usd: '1901.02',
    by_tier: {
      audit: { count: 2, usd: '0.02' },
      pro: { count: 1, usd: '1.00' },
      buyout: { count: 2, usd: '1900.00' },
    },
    verified_transactions: 0,
  });
  const { data } = await service.graphql(
    nobody,
    '{ auditStats { orders revenueUsd ordersByTier { tier count usd } } }',
  );
  expect(data.auditStats).toEqual({
    orders: 5,
    revenueUsd: '1901.02',
    ordersByTier: [
      { tier: 'audit', count: 2, usd: '0.02' },
      { tier: 'pro', count: 1, usd: '1.00' },
      { tier: 'buyout', count: 2, usd: '1900.00' },
    ],
  });
});
