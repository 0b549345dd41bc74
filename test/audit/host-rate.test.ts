import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { type Answerer, startSites } from '../helpers/site-server.ts';
import { docs, shop } from './fixture-sites.ts';

const victim = 'victim.audit-sites.net';
const page: Answerer = (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('x');
const leading = Array.from({ length: 12 }, (_one, at) => `hop${at}.audit-sites.net`);
const sites = await startSites({
  'many.audit-sites.net': page,
  [victim]: page,
  'shop.audit-sites.net': shop,
  'docs.audit-sites.net': docs,
  // Its own page is fine; what stands beside it leads to somebody else.
  'beside.audit-sites.net': (request, response) =>
    request.url === '/robots.txt'
      ? response.writeHead(302, { location: `https://${victim}/robots.txt` }).end()
      : page(request, response),
  ...Object.fromEntries(
    leading.map((host): [string, Answerer] => [
      host,
      (request, response) => response.writeHead(302, { location: `https://${victim}/${host}${request.url}` }).end(),
    ]),
  ),
});
const service = await startService({
  auditTrial: sites.trial,
  nodes: 2,
  env: { TRUSTED_PROXIES: '127.0.0.1/32' },
});
afterAll(async () => {
  await service.stop();
  sites.close();
});

let last = 0;
/** Every call goes to the other node, and is another client's. */
async function audit(url: string) {
  last += 1;
  const headers = { 'x-forwarded-for': `203.1.${Math.floor(last / 250)}.${(last % 250) + 1}` };
  const answer = await fetch(`${service.nodes[last % 2]!.url}/api/audit?url=${encodeURIComponent(url)}`, { headers });
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() };
}
/** What a host grants, on a machine that takes so long: its allowance comes back one by one, every ten seconds. */
async function expectGranted(answers: () => Promise<readonly { status: number; retryAfter: string | null }[]>) {
  const startedAt = performance.now();
  const all = await answers();
  const most = 6 + Math.floor((performance.now() - startedAt) / 10_000);
  const granted = all.filter(({ status }) => status === 200);
  const refused = all.filter(({ status }) => status === 429);
  expect(granted.length + refused.length).toBe(all.length);
  expect(granted.length).toBeGreaterThanOrEqual(6);
  expect(granted.length).toBeLessThanOrEqual(most);
  for (const { retryAfter } of refused) {
    expect(Number(retryAfter)).toBeGreaterThan(0);
    expect(Number(retryAfter)).toBeLessThanOrEqual(10);
  }
  return granted.length;
}

test('a host is fetched from for six audits a minute, over all nodes, clients and pages', async () => {
  const granted = await expectGranted(() =>
    Promise.all(Array.from({ length: 20 }, (_one, at) => audit(`many.audit-sites.net/${at}`))),
  );
  expect(sites.reached.filter((one) => /^many\.audit-sites\.net \/\d+$/.test(one))).toHaveLength(granted);
});

test('redirects spend what the host may be asked for that they lead to', async () => {
  const granted = await expectGranted(() => Promise.all(leading.map((host) => audit(host))));
  expect(sites.reached.filter((one) => one.startsWith(`${victim} /hop`))).toHaveLength(granted);
});

test('whether a site’s robots.txt could be read does not depend on what others ask for', async () => {
  await service.control.sql(
    `insert into audit_hosts (host, full_at) values ('${victim}', now() + interval '1 hour')
     on conflict (host) do update set full_at = excluded.full_at`,
  );
  expect((await audit('beside.audit-sites.net')).status).toBe(429);
  await service.control.sql(`delete from audit_hosts where host = '${victim}'`);
  expect((await audit('beside.audit-sites.net')).status).toBe(200);
});

test.each(['shop.audit-sites.net/shoes', 'docs.audit-sites.net'])(
  'what two nodes say of %s, which each of them fetched, differs in when and how fast alone',
  async (url) => {
    const [one, other] = [await audit(url), await audit(url)];
    const untimed = (text: string) =>
      text.replace(/"timings_ms":\{[^}]*\}/, '"timings_ms":{}').replace(/"audited_at":"[^"]*"/, '"audited_at":""');
    expect(untimed(other.text)).toBe(untimed(one.text));
    expect(JSON.parse(other.text).telemetry.cached).toBe(false);
    expect(JSON.parse(other.text).telemetry.audited_at).toMatch(/^\d{4}-\d\d-\d\dT/);
  },
);
