import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { getAddress } from 'viem';
import { afterAll, expect, test } from 'vitest';
import { startChain } from '../helpers/chain.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { challengeOf, decoded, sign } from './shop.ts';

const payTo = getAddress(`0x${randomBytes(20).toString('hex')}`);
const chain = await startChain();
const sites = await startSites({ 'm.audit-sites.net': { '/': '<title>m</title>' } });
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

const path = '/api/x402-audit?url=m.audit-sites.net';
const present = (name: string, value: string) => fetch(service.url + path, { headers: { [name]: value } });
const names = fc.constantFrom('payment-signature', 'x-payment');
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

async function expectAsked(response: Response): Promise<void> {
  expect([response.status, challengeOf(response).accepts.length]).toEqual([402, 1]);
  expect(await response.json()).toMatchObject({ x402Version: 1, accepts: [{ payTo }] });
}

test('a thousand headers that are no payment are each asked for one', async () => {
  const text = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 1,
  });
  const value = fc.oneof(
    text,
    fc.json().map((json) => Buffer.from(json).toString('base64')),
    fc.object().map(base64),
  );
  await fc.assert(
    fc.asyncProperty(names, value, async (name, header) => expectAsked(await present(name, header))),
    { numRuns: 1_000 },
  );
});

test('a payment that was signed and then bent anywhere is asked for again, a thousand times', async () => {
  const payer = await chain.payer();
  const [offer] = challengeOf(await fetch(service.url + path)).accepts;
  const good = decoded(await sign(payer, offer));
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('', '0x', '-1', '1e9', '00010001', '0x0', 'NaN', '9'.repeat(78), '9'.repeat(79), ' ', '\u0000'),
    fc.bigInt({ min: 0n, max: 2n ** 256n }).map(String),
    fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
    fc.uint8Array({ minLength: 32, maxLength: 65 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
  );
  const places = [
    ['x402Version'],
    ['accepted'],
    ...Object.keys(offer).map((key) => ['accepted', key]),
    ['payload'],
    ['payload', 'signature'],
    ['payload', 'authorization'],
    ...Object.keys(good.payload.authorization).map((key) => ['payload', 'authorization', key]),
    ['extensions'],
    ['resource'],
  ];
  await fc.assert(
    fc.asyncProperty(names, fc.constantFrom(...places), odd, async (name, place, value) => {
      const bent = structuredClone(good);
      const holder = place.slice(0, -1).reduce((at, key) => at[key], bent);
      // Only what differs is bent, and what nobody has signed or needs may be anything of its kind.
      fc.pre(JSON.stringify(holder[place.at(-1)!]) !== JSON.stringify(value));
      fc.pre(
        !['extensions', 'resource'].includes(place[0]!) ||
          value === null ||
          typeof value !== 'object' ||
          Array.isArray(value),
      );
      fc.pre(!(place.length === 1 && ['extensions', 'resource'].includes(place[0]!) && value === null));
      fc.pre(place.at(-1) !== 'extra');
      holder[place.at(-1)!] = value;
      const header = base64(bent);
      // What no header can hold is Node's to refuse.
      fc.pre(header.length < 16_000);
      await expectAsked(await present(name, header));
    }),
    { numRuns: 1_000 },
  );
  expect(await chain.balanceOf(payer.address)).toBe(1_000_000_000n);
  expect(await service.control.sql('select 1 from payments')).toEqual([]);
});
