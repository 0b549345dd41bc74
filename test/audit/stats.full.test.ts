import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { documentedCalls } from '../helpers/documented.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { docs, news, shop } from './fixture-sites.ts';

const page = { '/': '<title>x</title>', '/b': '<title>y</title>' };
const refusing = { ...page, '/robots.txt': 'User-agent: SvcAudit\nDisallow: /\n' };
const sites = await startSites({
  'shop.audit-sites.net': shop,
  'docs.audit-sites.net': docs,
  // Its robots.txt cannot be had, so that nothing is allowed.
  'news.audit-sites.net': news,
  'private.audit-sites.net': refusing,
  'everybody.audit-sites.net': { ...page, '/robots.txt': 'User-agent: *\nDisallow: /\n' },
  'twice.audit-sites.net': page,
  'example.com': page,
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
    .poll(async () => {
      body = (await call(nobody, 'GET', '/api/stats')).body;
      return body.generated_at >= asked;
    })
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
    await audit('example.com'),
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
    total: 8,
    free: 8,
    paid: 0,
    last_24h: 8,
    unique_domains: 7,
    average_geo_score: Math.round((points / 8) * 10) / 10,
  });
  expect(recent).toEqual([
    { domain: 'twice.audit-sites.net', geo_score: again.geo_score, audited_at: again.telemetry.audited_at },
    { domain: 'example.com', geo_score: rest[0].geo_score, audited_at: rest[0].telemetry.audited_at },
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

test('twenty sites are shown, the newest first, each by the name that was audited last', async () => {
  await sql('delete from audited_domains');
  // Many names of one domain do not crowd out the others.
  await sql(`insert into audited_domains (domain, geo_score, audited_at, listed)
    select name || n || '.example', n, now() - n * interval '1 minute' - later, true from generate_series(1, 25) n,
      (values ('www.n', interval '1 second'), ('n', interval '2 seconds')) as names (name, later)
    union all select 's' || n || '.n1.example', 0, now() - interval '59 seconds' + n * interval '1 millisecond', true
      from generate_series(1, 100) n`);
  const { recent_domains: recent } = await stats();
  expect(recent.map(({ domain }: { domain: string }) => domain)).toEqual([
    's100.n1.example',
    ...Array.from({ length: 19 }, (_one, at) => `www.n${at + 2}.example`),
  ]);
});

test('names that were not audited for 400 days are forgotten, and their audits are counted all the same', async () => {
  const before = (await stats()).audits;
  await sql(`insert into audited_domains (domain, geo_score, audited_at, listed) values
    ('old.example', 1, now() - interval '401 days', true), ('hidden.example', 1, now() - interval '401 days', false),
    ('kept.example', 1, now() - interval '399 days', true)`);
  await sql(`select graphile_worker.add_job('housekeeping')`);
  await expect
    .poll(
      async () =>
        await sql(
          `select domain from audited_domains where domain in ('old.example', 'hidden.example', 'kept.example')`,
        ),
    )
    .toEqual([{ domain: 'kept.example' }]);
  expect((await stats()).audits).toMatchObject({ total: before.total, unique_domains: before.unique_domains });
});

/** How long what was counted is told again, in milliseconds. */
const keptMs = 1_000;

test('while statistics are counted, whoever asks waits for the same count, however long it takes', async () => {
  await stats();
  const lock = new pg.Client({ connectionString: service.control.url });
  await lock.connect();
  try {
    await setTimeout(keptMs + 100);
    await lock.query('begin');
    await lock.query('lock table orders in access exclusive mode');
    const first = call(nobody, 'GET', '/api/stats');
    const counting = () =>
      sql(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    await expect.poll(counting).toHaveLength(1);
    // Longer than a count is kept.
    await setTimeout(keptMs + 500);
    const others = Array.from({ length: 5 }, () => call(nobody, 'GET', '/api/stats'));
    // By then the others are there as well.
    for (let round = 0; round < 5; round += 1) await service.call(nobody, 'GET', '/openapi.json');
    expect(await counting()).toHaveLength(1);
    await lock.query('rollback');
    const answers = await Promise.all([first, ...others]);
    expect(new Set(answers.map(({ body }) => body.generated_at)).size).toBe(1);
  } finally {
    await lock.end();
  }
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
