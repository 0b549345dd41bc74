import { afterAll, expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';

// What one client may have. Contract 00, section 6.3.

// Each node grants its own, so there is one.
const service = await startService({ env: { TRUSTED_PROXIES: '127.0.0.1/32' }, nodes: 1 });
afterAll(() => service.stop());
const { nobody, admin } = service.actors;

let last = 0;
const at = (address: string) => ({ 'x-forwarded-for': address });
/** Refused for its target, which costs as much as any. */
const audit = (headers: Record<string, string>, actor = nobody) =>
  service.call<{ code: string }>(actor, 'GET', '/api/audit?url=https://localhost', { headers });
const told = ({ headers }: { readonly headers: Headers }) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`ratelimit-${name}`) ?? Number.NaN));

test('every answer tells what is left, and the eleventh audit of a minute is refused', async () => {
  const headers = at('203.0.113.1');
  for (let left = 9; left >= 0; left -= 1) {
    const answer = await audit(headers);
    const [limit, remaining, reset] = told(answer);
    expect([answer.status, limit]).toEqual([400, 10]);
    // On a slow machine some of it may be there again.
    expect(remaining).toBeGreaterThanOrEqual(left);
    expect(reset).toBeGreaterThan(0);
    expect(reset).toBeLessThanOrEqual(60);
  }
  await expect.poll(async () => (await audit(headers)).status, { interval: 1 }).toBe(429);
  const refused = await audit(headers);
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
  expect(told(refused).slice(0, 2)).toEqual([10, 0]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('the network of an IPv6 client counts as one, and other clients are not held up', async () => {
  await expect.poll(async () => (await audit(at(`2001:db8:1:2::${(last += 1)}`))).status, { interval: 1 }).toBe(429);
  expect((await audit(at('2001:db8:1:3::1'))).status).toBe(400);
});

test('a day has a hundred, also when none of its minutes has more than ten', async () => {
  const headers = at('203.0.113.2');
  await audit(headers);
  const { rateLimiter } = service.app.services;
  // As after a day of asking: the minute's are there again and again.
  rateLimiter.charge('audits-of-86400:203.0.113.2', { perSecond: 0, burst: 100 }, 97);
  const [limit, remaining, reset] = told(await audit(headers));
  expect([limit, remaining]).toEqual([100, 1]);
  expect(reset).toBeGreaterThan(3_600);
  await audit(headers);
  const refused = await audit(headers);
  expect([refused.status, ...told(refused).slice(0, 2)]).toEqual([429, 100, 0]);
});

test('GraphQL takes from the same, and tells it in the same headers', async () => {
  const headers = { ...at('203.0.113.3'), 'content-type': 'application/json' };
  const query = '{ audit(url: "https://localhost") { domain } }';
  const ask = () => service.call(nobody, 'POST', '/graphql', { body: { query }, headers });
  expect(told(await ask()).slice(0, 2)).toEqual([10, 9]);
  const [limit, remaining] = told(await audit(headers));
  expect(limit).toBe(10);
  expect(remaining).toBeLessThan(10);
  await expect.poll(async () => (await ask()).text, { interval: 1 }).toContain('RATE_LIMITED');
});

test('a credential makes no difference, but for the platform admin', async () => {
  const headers = at('203.0.113.4');
  const wallet = service.actors.wallet();
  await expect.poll(async () => (await audit(headers, wallet)).status, { interval: 1 }).toBe(429);
  for (let count = 0; count < 15; count += 1) expect((await audit(headers, admin)).status).toBe(400);
});

test('five inquiries a minute may be left', async () => {
  const inquire = () =>
    service.call<{ code: string }>(nobody, 'POST', '/api/inquiry', {
      body: { email: 'ada@shop.example.org' },
      headers: at('203.0.113.5'),
    });
  const first = await inquire();
  expect([first.status, ...told(first).slice(0, 2)]).toEqual([200, 5, 4]);
  await expect.poll(async () => (await inquire()).status, { interval: 1 }).toBe(429);
});

test('what has no budget tells of none', async () => {
  for (const path of ['/api/health', '/api/stats', '/openapi.json'])
    expect((await service.call(nobody, 'GET', path)).headers.get('ratelimit-limit')).toBeNull();
});
