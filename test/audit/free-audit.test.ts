import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { docs, news, shop } from './fixture-sites.ts';

/** Lets the answer to a held page go. */
let release: () => void = () => undefined;
const held = new Promise<void>((open) => {
  release = open;
});
const sites = await startSites({
  'shop.audit-sites.net': shop,
  'docs.audit-sites.net': docs,
  'news.audit-sites.net': news,
  'example.com': { '/': '<title>Example</title>' },
  'held.audit-sites.net': async (request, response) => {
    if (request.url === '/') await held;
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Held</title>');
  },
  'leads.audit-sites.net': (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1/' }).end(),
  'packed.audit-sites.net': (_request, response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end('x'),
  // Leaves HTTP, which nobody asked for.
  'leaving.audit-sites.net': (request) =>
    void request.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
});
// Each node remembers and limits by itself, so there is one.
const service = await startService({
  auditTrial: sites.trial,
  nodes: 1,
  env: { TRUSTED_PROXIES: '127.0.0.1/32' },
});
afterAll(async () => {
  await service.stop();
  sites.close();
});

const { nobody } = service.actors;
let last = 0;
/** Every call as of another client, so that none uses up what another may. */
const from = () => {
  last += 1;
  return { 'x-forwarded-for': `203.0.${Math.floor(last / 250)}.${(last % 250) + 1}` };
};
interface Audit {
  readonly ok: boolean;
  readonly domain: string;
  readonly code?: string;
  readonly preview: { readonly checks: { readonly id: string }[]; readonly checks_shown: number };
  readonly telemetry: { readonly cached: boolean };
}
const get = (url: string, headers = from()) =>
  service.call<Audit>(nobody, 'GET', `/api/audit?url=${encodeURIComponent(url)}`, { headers });
const post = (body: unknown, headers = from()) => service.call<Audit>(nobody, 'POST', '/api/audit', { body, headers });

test('anyone may have a site audited, and gets its scores and the beginning of the rest', async () => {
  const { status, body } = await get('shop.audit-sites.net/shoes');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    ok: true,
    domain: 'shop.audit-sites.net',
    target_url: 'https://shop.audit-sites.net/shoes',
    geo_score: 82,
    schema_score: 90,
    llms_txt_score: 0,
    has_jsonld: true,
    has_llms_txt: false,
    allows_ai_bots: false,
    tier: 'free',
    preview: { checks_shown: 6, checks_total: 43, redacted: true },
    telemetry: {
      final_url: 'https://shop.audit-sites.net/shoes',
      http_status: 200,
      redirects: 0,
      truncated: false,
      robots_status: 200,
      rubric: '2026.1',
      token_table: '2026-11-01',
      cached: false,
    },
  });
  expect(body.preview.checks[0]).toEqual({
    id: 'a1',
    title: 'The page answers 200 over HTTPS',
    points: 10,
    max: 10,
    evidence: 'final status 200',
  });
  expect(body).toMatchObject({
    generated_llms_txt: expect.stringMatching(/^# Fell & Ridge\n\n> .*\n\[redacted, \d+ more lines\]$/),
    generated_jsonld: expect.stringMatching(/\n\[redacted, \d+ more lines\]$/),
  });
});

test('POST says the same, and a site that was just audited is not fetched again', async () => {
  const first = await post({ url: 'https://docs.audit-sites.net' });
  expect(first.status).toBe(200);
  const reached = sites.reached.length;
  const again = await get('DOCS.audit-sites.net/#top');
  expect(again.body.telemetry.cached).toBe(true);
  expect({ ...again.body, telemetry: 0 }).toEqual({ ...first.body, telemetry: 0 });
  expect(sites.reached.length).toBe(reached);
});

test('a POST names the site in its body, or else in its query, as the one that is paid for does', async () => {
  for (const [search, body, domain] of [
    ['?url=docs.audit-sites.net', {}, 'docs.audit-sites.net'],
    ['?url=docs.audit-sites.net', { url: 'shop.audit-sites.net/shoes' }, 'shop.audit-sites.net'],
  ] as const) {
    const answer = await service.call<Audit>(nobody, 'POST', `/api/audit${search}`, { body, headers: from() });
    expect([answer.status, answer.body.domain]).toEqual([200, domain]);
  }
});

test('what is audited when nothing is named is example.com', async () => {
  const asked = await service.call<Audit>(nobody, 'GET', '/api/audit', { headers: from() });
  expect(asked.body).toMatchObject({ ok: true, domain: 'example.com', target_url: 'https://example.com/' });
  const { data } = await service.graphql(nobody, '{ audit { domain } }', {}, from());
  expect(data).toEqual({ audit: { domain: 'example.com' } });
});

test('a hundred callers at once have a site fetched once', async () => {
  const calls = Array.from({ length: 100 }, () => get('held.audit-sites.net'));
  await expect.poll(() => sites.reached.filter((one) => one === 'held.audit-sites.net /').length).toBe(1);
  release();
  const answers = await Promise.all(calls);
  expect(answers.map(({ status }) => status)).toEqual(Array<number>(100).fill(200));
  expect(answers.filter(({ body }) => !body.telemetry.cached)).toHaveLength(1);
  expect(sites.reached.filter((one) => one === 'held.audit-sites.net /')).toHaveLength(1);
});

test('GraphQL offers the same as a query and as a mutation', async () => {
  const fields = `domain targetUrl geoScore schemaScore llmsTxtScore hasJsonLd hasLlmsTxt allowsAiBots generatedJsonLd
    generatedLlmsTxt findingsTotal findings { check part title points max evidence }
    telemetry { finalUrl httpStatus redirects fetchedBytes truncated flags totalMs robotsStatus rubric tokenTable auditedAt }`;
  const url = 'news.audit-sites.net';
  const ran = await service.graphql(
    nobody,
    `mutation ($url: String) { auditRun(input: { url: $url }) { ${fields} telemetry { cached } } }`,
    { url },
    from(),
  );
  expect(ran.errors).toBeUndefined();
  expect(ran.data.auditRun).toMatchObject({
    domain: url,
    schemaScore: 67,
    findingsTotal: 43,
    telemetry: { robotsStatus: 503, cached: false },
  });
  expect(ran.data.auditRun.findings).toHaveLength(6);
  const { cached: _cached, ...telemetry } = ran.data.auditRun.telemetry;
  const asked = await service.graphql(
    nobody,
    `query ($url: String) { audit(url: $url) { ${fields} } }`,
    { url },
    from(),
  );
  expect(asked.data.audit).toEqual({ ...ran.data.auditRun, telemetry });
});

test.each([
  ['', 'invalid_url'],
  ['https://user@shop.audit-sites.net', 'invalid_url'],
  ['https://shop.audit-sites.net:8443', 'invalid_url'],
  ['http://shop.audit-sites.net', 'scheme_not_allowed'],
  ['file:///etc/passwd', 'scheme_not_allowed'],
  ['https://127.0.0.1', 'ip_literal'],
  ['https://[::1]', 'ip_literal'],
  ['https://2130706433', 'ip_literal'],
  ['https://localhost', 'restricted_host'],
  ['https://metadata.google.internal', 'restricted_host'],
  ['leads.audit-sites.net', 'redirect_not_https'],
])('%j is refused with 400 %s, over REST and GraphQL', async (url, code) => {
  for (const { status, body } of [await get(url), await post({ url })]) {
    expect([status, body.code, body.ok]).toEqual([400, code, false]);
  }
  const { data, errors } = await service.graphql(
    nobody,
    'query ($url: String) { audit(url: $url) { domain } }',
    { url },
    from(),
  );
  expect(data).toEqual({ audit: null });
  expect(errors?.[0]?.extensions).toMatchObject({ code: code.toUpperCase() });
});

test.each([
  ['nowhere.audit-sites.net', 'dns_failure'],
  ['packed.audit-sites.net', 'bad_encoding'],
  ['leaving.audit-sites.net', 'connect_failure'],
])('%s, which cannot be had, is 502 %s', async (url, code) => {
  const { status, body, text } = await get(url);
  expect([status, body.code]).toEqual([502, code]);
  // Nothing of the target's, and no address.
  expect(text).not.toMatch(/127\.0\.0\.1|zstd/);
});

test.each([[{ url: 1 }], [{ url: ['a.com'] }], [{ url: { host: 'a.com' } }]])('%j is no input', async (body) => {
  const { status, body: refused } = await post(body);
  expect([status, refused.code]).toEqual([400, 'invalid_request']);
});

test('a client may have ten audits a minute, whatever becomes of them', async () => {
  const headers = from();
  const codes: string[] = [];
  for (let count = 0; count < 11; count += 1) codes.push((await get('https://localhost', headers)).body.code!);
  expect(codes).toEqual([...Array<string>(10).fill('restricted_host'), 'rate_limited']);
  const refused = await get('shop.audit-sites.net/shoes', headers);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});
