import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';
import { type Answerer, startSites } from '../helpers/site-server.ts';
import { docs, shop } from './fixture-sites.ts';

const victim = 'victim.audit-sites.net';
const page: Answerer = (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('x');
const leading = Array.from({ length: 8 }, (_one, at) => `hop${at}.audit-sites.net`);
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
const statusesOf = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).toSorted();

test('a host is fetched from for six audits a minute, over all nodes, clients and pages', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, (_one, at) => audit(`many.audit-sites.net/${at}`)));
  expect(statusesOf(answers)).toEqual([...Array<number>(6).fill(200), ...Array<number>(14).fill(429)]);
  expect(sites.reached.filter((one) => /^many\.audit-sites\.net \/\d+$/.test(one))).toHaveLength(6);
  for (const { retryAfter } of answers.filter(({ status }) => status === 429)) {
    expect(Number(retryAfter)).toBeGreaterThan(0);
    expect(Number(retryAfter)).toBeLessThanOrEqual(10);
  }
});

test('redirects spend what the host may be asked for that they lead to', async () => {
  const answers = await Promise.all(leading.map((host) => audit(host)));
  expect(statusesOf(answers)).toEqual([...Array<number>(6).fill(200), 429, 429]);
  const pages = () => sites.reached.filter((one) => one.startsWith(`${victim} /hop`));
  expect(pages()).toHaveLength(6);
  // Whether a site's robots.txt could be read must not depend on what others ask for.
  expect((await audit('beside.audit-sites.net')).status).toBe(429);
  expect(sites.reached).not.toContain(`${victim} /robots.txt?`);
  // The host is free again when the minute is over; here its clock is put forward.
  await service.control.sql(`update audit_hosts set full_at = full_at - interval '1 minute'`);
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
