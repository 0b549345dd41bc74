import { afterAll, expect, test } from 'vitest';
import { documentedCalls } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { docs, news, shop } from './fixture-sites.ts';

const page = { '/': '<title>x</title>', '/b': '<title>y</title>' };
const refusing = { ...page, '/robots.txt': 'User-agent: SvcAudit\nDisallow: /\n' };
const numbered = Array.from({ length: 22 }, (_one, at) => `n${at}.audit-sites.net`);
const sites = await startSites({
  'shop.audit-sites.net': shop,
  'docs.audit-sites.net': docs,
  // Its robots.txt cannot be had, so that nothing is allowed.
  'news.audit-sites.net': news,
  'private.audit-sites.net': refusing,
  'everybody.audit-sites.net': { ...page, '/robots.txt': 'User-agent: *\nDisallow: /\n' },
  'twice.audit-sites.net': page,
  ...Object.fromEntries(numbered.map((host) => [host, page])),
});
const service = await startService({ auditTrial: sites.trial, nodes: 1, env: { TRUSTED_PROXIES: '127.0.0.1/32' } });
afterAll(async () => {
  await service.stop();
  sites.close();
});
const { nobody } = service.actors;
const { sql } = service.control;
const call = documentedCalls(service);

let last = 0;
const from = () => {
  last += 1;
  return { 'x-forwarded-for': `203.0.113.${last}` };
};
async function audit(url: string, cached = false) {
  const { status, body } = await call(nobody, 'GET', `/api/audit?url=${url}`, { headers: from() });
  expect([status, body.telemetry.cached]).toEqual([200, cached]);
  return body;
}
/** Counted anew: what was counted a moment ago may be told again. */
const stats = async () => {
  const asked = new Date().toISOString();
  let body = (await call(nobody, 'GET', '/api/stats')).body;
  await expect
    .poll(
      async () => {
        body = (await call(nobody, 'GET', '/api/stats')).body;
        return body.generated_at >= asked;
      },
      { timeout: 20_000 },
    )
    .toBe(true);
  return body;
};

test('before the first audit everything is zero', async () => {
  expect(await stats()).toEqual({
    ok: true,
    audits: { total: 0, free: 0, paid: 0, last_24h: 0, unique_domains: 0, average_geo_score: null },
    orders: {
      total: 0,
      revenue_usd: '0.00',
      by_tier: {
        audit: { count: 0, usd: '0.00' },
        pro: { count: 0, usd: '0.00' },
        buyout: { count: 0, usd: '0.00' },
      },
      verified_transactions: 0,
    },
    recent_domains: [],
    generated_at: expect.any(String),
  });
});

test('every audit that was carried out is counted, and shown unless the site keeps the gateway out', async () => {
  const shopAudit = await audit('shop.audit-sites.net/shoes');
  const docsAudit = await audit('docs.audit-sites.net');
  const rest = [
    await audit('news.audit-sites.net'),
    await audit('private.audit-sites.net'),
    await audit('everybody.audit-sites.net'),
    await audit('twice.audit-sites.net'),
  ];
  const again = await audit('twice.audit-sites.net/b');
  // Out of memory, which is no audit; and one that did not come about.
  await audit('docs.audit-sites.net', true);
  expect((await call(nobody, 'GET', '/api/audit?url=nowhere.audit-sites.net', { headers: from() })).status).toBe(502);
  const { audits, recent_domains: recent } = await stats();
  const points = [shopAudit, docsAudit, ...rest, again].reduce((sum, { geo_score }) => sum + geo_score, 0);
  expect(audits).toEqual({
    total: 7,
    free: 7,
    paid: 0,
    last_24h: 7,
    unique_domains: 6,
    average_geo_score: Math.round((points / 7) * 10) / 10,
  });
  expect(recent).toEqual([
    { domain: 'twice.audit-sites.net', geo_score: again.geo_score, audited_at: again.telemetry.audited_at },
    { domain: 'docs.audit-sites.net', geo_score: docsAudit.geo_score, audited_at: docsAudit.telemetry.audited_at },
    { domain: 'shop.audit-sites.net', geo_score: shopAudit.geo_score, audited_at: shopAudit.telemetry.audited_at },
  ]);
  expect(await sql(`select * from audits where domain = 'shop.audit-sites.net'`)).toEqual([
    {
      id: expect.stringMatching(/^adt_/),
      domain: 'shop.audit-sites.net',
      target_url: 'https://shop.audit-sites.net/shoes',
      geo_score: shopAudit.geo_score,
      schema_score: shopAudit.schema_score,
      llms_txt_score: shopAudit.llms_txt_score,
      has_jsonld: true,
      has_llms_txt: false,
      allows_ai_bots: false,
      tier: 'free',
      rubric: '2026.1',
      created_at: new Date(shopAudit.telemetry.audited_at),
    },
  ]);
});

test('a site that keeps the gateway out from now on is shown no more', async () => {
  await sql(`update audited_domains set listed = false where domain = 'twice.audit-sites.net'`);
  await audit('twice.audit-sites.net/?again');
  expect((await stats()).recent_domains[0].domain).toBe('twice.audit-sites.net');
});

test('the graph tells the same', async () => {
  const { audits, orders, recent_domains: recent } = await stats();
  const { data, errors } = await service.graphql(
    nobody,
    `{ auditStats { total free paid last24h uniqueDomains averageGeoScore orders revenueUsd verifiedTransactions
      ordersByTier { tier count usd } recentDomains { domain geoScore auditedAt } generatedAt } }`,
  );
  expect(errors).toBeUndefined();
  expect(data.auditStats).toMatchObject({
    total: audits.total,
    free: audits.free,
    paid: 0,
    last24h: audits.last_24h,
    uniqueDomains: audits.unique_domains,
    averageGeoScore: audits.average_geo_score,
    orders: 0,
    revenueUsd: '0.00',
    verifiedTransactions: 0,
    ordersByTier: [
      { tier: 'audit', ...orders.by_tier.audit },
      { tier: 'pro', ...orders.by_tier.pro },
      { tier: 'buyout', ...orders.by_tier.buyout },
    ],
  });
  expect(data.auditStats.recentDomains).toHaveLength(recent.length);
});

test('twenty sites are shown, the newest first, and all are counted', async () => {
  for (const host of numbered) await audit(host);
  const { audits, recent_domains: recent } = await stats();
  expect(recent.map(({ domain }: { domain: string }) => domain)).toEqual(numbered.toReversed().slice(0, 20));
  expect(audits.unique_domains).toBe(6 + numbered.length);
});

test('who asks for an audit gets it also while the statistics cannot be kept', async () => {
  const before = (await stats()).audits.total;
  await sql('alter table audit_days rename to audit_days_away');
  try {
    await audit('shop.audit-sites.net/?away');
  } finally {
    await sql('alter table audit_days_away rename to audit_days');
  }
  expect((await stats()).audits.total).toBe(before);
  expect(service.logged().some(({ msg }) => msg === 'An audit is missing from the statistics.')).toBe(true);
});
