import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { startChain } from '../helpers/chain.ts';
import { startFacilitator } from '../helpers/facilitator-process.ts';
import { startService } from '../helpers/service.ts';

// What `GET /api/health` says of payments. Contract 00, section 6.4.

const payTo = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1';
const chain = await startChain();
const facilitator = await startFacilitator(chain);
/** The way to the chain, which counts what is asked and can be closed. */
let asked = 0;
const way = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', async () => {
    asked += 1;
    const answer = await fetch(chain.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.concat(parts),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
});
way.listen(0, '127.0.0.1');
await once(way, 'listening');
const secret = 'key-in-the-address';
const rpcUrl = `http://127.0.0.1:${(way.address() as AddressInfo).port}/${secret}`;
const common = { SETTLEMENT_ADDRESS: payTo.toLowerCase(), RPC_URL_BASE: rpcUrl };
const selling = await startService({ nodes: 1, env: { ...common, X402_SETTLER_KEY: chain.settlerKey } });
const delegating = await startService({ nodes: 1, env: { ...common, X402_FACILITATOR_URL: facilitator.url } });
afterAll(async () => {
  await Promise.all([selling.stop(), delegating.stop()]);
  way.closeAllConnections();
  way.close();
  await facilitator.kill();
  await chain.stop();
});

interface Health {
  readonly status: string;
  readonly settlement: { readonly mode: string };
  readonly checks: Readonly<Record<string, string>>;
}
const health = (service: typeof selling) => service.call<Health>(service.actors.nobody, 'GET', '/api/health');

test('who settles by itself says so, with its wallet and the state of its chain', async () => {
  const { status, body } = await health(selling);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    ok: true,
    status: 'ok',
    settlement: {
      network: 'base',
      caip2: 'eip155:8453',
      chain_id: 8453,
      pay_to: payTo,
      asset: { symbol: 'USDC', address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6 },
      mode: 'self',
    },
    checks: { database: 'ok', rpc: 'ok', facilitator: 'unconfigured' },
  });
});

test('who has payments settled elsewhere tells of that, too', async () => {
  const { body } = await health(delegating);
  expect(body.settlement.mode).toBe('facilitator');
  expect(body.checks).toEqual({ database: 'ok', rpc: 'ok', facilitator: 'ok' });
});

test('a check is believed for a while: a hundred who ask have the chain asked as often as one', async () => {
  const fresh = await startService({ nodes: 1, env: { ...common, X402_SETTLER_KEY: chain.settlerKey } });
  try {
    const [before, since] = [asked, performance.now()];
    await health(fresh);
    const one = asked - before;
    expect(one).toBeGreaterThan(0);
    await Promise.all(Array.from({ length: 100 }, () => health(fresh)));
    // A slow machine may take longer than a look is believed.
    const looks = Math.floor((performance.now() - since) / 10_000) + 1;
    expect(asked - before).toBeLessThanOrEqual(looks * one);
  } finally {
    await fresh.stop();
  }
});

test('with the chain away it still answers, degraded, and tells neither addresses nor keys', async () => {
  way.closeAllConnections();
  way.close();
  await expect
    .poll(async () => (await health(selling)).body, { interval: 200 })
    .toMatchObject({ ok: true, status: 'degraded', checks: { database: 'ok', rpc: 'down' } });
  const { status, text } = await health(selling);
  expect(status).toBe(200);
  expect(text).not.toContain(secret);
  expect(text).not.toContain(chain.settlerKey);
  expect(text).not.toMatch(/127\.0\.0\.1/);
});
