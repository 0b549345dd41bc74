import { isIP } from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, expect, test } from 'vitest';
import { networkOf } from '../../core/network-of.ts';
import { addressRate } from '../../kernel/limits/limits.ts';
import { ipv4Of } from '../../server/client-address.ts';
import { startService } from '../helpers/service.ts';

const behindProxies = await startService({ env: { TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,2001:db8:1::/48' } });
const direct = await startService();
afterAll(async () => {
  await behindProxies.stop();
  await direct.stop();
});

const client = '203.0.113.7';
const debt = 1e9;
const charge = (tokens: number) => {
  for (const { app } of [behindProxies, direct]) {
    app.services.rateLimiter.charge(`address:${client}`, addressRate, tokens);
  }
};
afterEach(() => charge(-2 * debt));

/** Whether a request counts as one of {@link client}, whose address may send no more. */
async function isClient(service: typeof direct, forwarded: string): Promise<boolean> {
  charge(debt);
  const headers = { 'x-forwarded-for': forwarded };
  const { status } = await service.call(service.actors.nobody, 'GET', '/agent/v1/whoami', { headers });
  expect([401, 429]).toContain(status);
  return status === 429;
}

test.each([
  ['a hop', client, true],
  ['a hop with its port', `${client}:4711`, true],
  ['a hop as IPv6 writes it', `::ffff:${client}`, true],
  ['a hop behind trusted ones', `${client}, 10.1.2.3`, true],
  ['a hop behind trusted ones of both families', `${client}, [2001:db8:1::5]:80, 10.1.2.3`, true],
  ['the last hop, whatever the client wrote before it', `198.51.100.1, ${client}`, true],
  ['what the client wrote itself', `${client}, 198.51.100.1`, false],
  ['what stands before something that is no address', `${client}, unknown`, false],
  ['nothing', '', false],
])('behind a trusted proxy the client is %s', async (_case, forwarded, expected) => {
  expect(await isClient(behindProxies, forwarded)).toBe(expected);
});

test('an address of IPv4 is what the system takes for one', () => {
  const part = fc.oneof(
    fc.integer({ min: 0, max: 300 }).map(String),
    fc.string({ unit: fc.constantFrom(...'019.:x'), maxLength: 3 }),
  );
  const text = fc.array(part, { maxLength: 6 }).map((parts) => parts.join('.'));
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), text), (address) => {
      expect(ipv4Of(address) !== undefined).toBe(isIP(address) === 4);
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  ['0.0.0.0', 0],
  ['0.0.1.2', 258],
  ['127.0.0.1', 0x7f000001],
  ['255.255.255.255', -1],
])('the bits of %s are those of %i', (address, number) => {
  expect(ipv4Of(address)).toBe(number);
});

test('without trusted proxies nobody is believed', async () => {
  expect(await isClient(direct, client)).toBe(false);
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:1::9', '2001:db8:1:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['unknown', 'unknown'],
])('limits count %s as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
