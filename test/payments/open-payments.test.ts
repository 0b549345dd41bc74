import { randomBytes } from 'node:crypto';
import { getAddress, type Hex } from 'viem';
import { afterAll, expect, test } from 'vitest';
import { readPresented } from '../../engines/x402/presented.ts';
import type { TaskContext } from '../../kernel/run/task.ts';
import { reconcilePayments } from '../../resolvers/payments/reconcile-payments.ts';
import { jobContext } from '../../server/workers.ts';
import { startChain } from '../helpers/chain.ts';
import { startFacilitator } from '../helpers/facilitator-process.ts';
import { broadcastOf } from '../helpers/payments.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { challengeOf, paying, sign, statesOf } from './shop.ts';

const payTo = getAddress(`0x${randomBytes(20).toString('hex')}`);
const chain = await startChain();
const facilitator = await startFacilitator(chain);
const hosts = Array.from({ length: 10 }, (_one, at) => `o${at}.audit-sites.net`);
const sites = await startSites(Object.fromEntries(hosts.map((host) => [host, { '/': `<title>${host}</title>` }])));
const service = await startService({
  auditTrial: sites.trial,
  jobs: false,
  nodes: 1,
  env: { SETTLEMENT_ADDRESS: payTo, X402_FACILITATOR_URL: facilitator.url, RPC_URL_BASE: chain.rpcUrl },
});
afterAll(async () => {
  await service.stop();
  await facilitator.kill();
  sites.close();
  await chain.stop();
});

const { sql } = service.control;
const get = (path: string, headers: Record<string, string> = {}) =>
  service.call<Record<string, unknown>>(service.actors.nobody, 'GET', path, { headers });

/** An order with its payment; whose header can be another of the same meaning. */
async function ordered(rewrite: (json: string) => string = (json) => json) {
  const payer = await chain.payer();
  const path = `/api/x402-audit?url=${hosts.pop()}`;
  const signed = await sign(payer, challengeOf(await get(path)).accepts[0]);
  const header = Buffer.from(rewrite(Buffer.from(signed, 'base64').toString())).toString('base64');
  const send = () => get(path, paying(header));
  /** Whoever holds the signature can send it. */
  const broadcast = () => chain.send(chain.usdc, broadcastOf(readPresented(header)));
  return { payer: payer.address.toLowerCase(), path, send, broadcast };
}

/** A payment that was handed over, and whose node ended before it knew what came of it. */
async function handedOver({ send, payer }: Awaited<ReturnType<typeof ordered>>) {
  await facilitator.behave('refuse to settle');
  try {
    expect((await send()).status).toBe(402);
  } finally {
    await facilitator.behave('honest');
  }
  await sql(`update payments set state = 'settling' where payer = $1 and state = 'failed'`, [payer]);
}

/** One run of the job, which no timer starts here. */
async function reconcile() {
  const { services } = service.app;
  const ctx = jobContext(services, new AbortController().signal);
  await reconcilePayments({ ctx, log: services.log } as unknown as TaskContext, {});
}

/** Columns that a copy of a payment has as its original does. */
const copied = 'sku, operation, request_digest, network, chain_id, asset, payer, pay_to, amount, digest';

test('no number of refused payments keeps one that was handed over from being found', async () => {
  const order = await ordered();
  const { payer, send, broadcast } = order;
  await handedOver(order);
  expect(await statesOf(service.control, payer)).toMatchObject([{ state: 'settling' }]);
  // Others are older, and never expire.
  await sql(
    `insert into payments (id, state, ${copied}, version, nonce, valid_before, lease_until, created_at)
     select 'txp_other' || n, 'released', ${copied}, version, '0x' || lpad(to_hex(n), 64, '0'),
       now() + interval '9 years', now() - interval '1 minute', created_at - interval '1 hour'
     from payments, generate_series(1, 60) n where payer = $1`,
    [payer],
  );
  await broadcast();
  await reconcile();
  expect(await sql(`select state from payments where payer = $1 and id not like 'txp_other%'`, [payer])).toEqual([
    { state: 'settled' },
  ]);
  await sql(`delete from payments where id like 'txp_other%'`);
  expect((await send()).status).toBe(200);
});

test('a payment whose transfer something else was given for comes to rest', async () => {
  const order = await ordered();
  const { payer, broadcast } = order;
  await handedOver(order);
  const { transactionHash, logs } = await broadcast();
  await sql(
    `insert into payments (id, state, ${copied}, version, tx_hash, log_index, lease_until, settled_at)
     select 'txp_taker', 'delivered', ${copied}, 0, $2, $3, now(), now() from payments where payer = $1`,
    [payer, transactionHash, logs[1]!.logIndex],
  );
  await reconcile();
  expect(await sql(`select state, last_error from payments where payer = $1 and version <> 0`, [payer])).toEqual([
    { state: 'failed', last_error: 'tx_already_used' },
  ]);
});

test('a payment that grows when it is written again is found like any other', async () => {
  // A member that nobody asked for, in fewer letters than JSON.stringify has for it.
  const many = `,"x":[${Array(800).fill('1e20').join(',')}]}`;
  const order = await ordered((json) => json.replace(/\}$/, many));
  const { payer, send, broadcast } = order;
  await handedOver(order);
  await broadcast();
  await reconcile();
  expect(await statesOf(service.control, payer)).toMatchObject([{ state: 'settled' }]);
  expect((await send()).status).toBe(200);
});

test('what was bought is given to nobody for knowing the key of the request', async () => {
  const key = { 'idempotency-key': 'mine' };
  const payer = await chain.payer();
  const path = `/api/x402-audit?url=${hosts.pop()}`;
  const [offer] = challengeOf(await get(path)).accepts;
  const bought = await get(path, { ...paying(await sign(payer, offer)), ...key });
  expect(bought.status).toBe(200);
  // From the same address, by a payment that has everything but its payer's signature.
  const from: Hex = `0x${'ab'.repeat(20)}`;
  const forged = await sign(payer, offer, { tampered: { from } });
  const answer = await get(path, { ...paying(forged), ...key });
  expect([answer.status, answer.body.error]).toEqual([402, 'invalid_exact_evm_signature']);
  // Nor does the key keep the next from buying, or buy for nothing.
  const again = await get(path, { ...paying(await sign(payer, offer)), ...key });
  expect(again.status).toBe(200);
  expect(await chain.balanceOf(payer.address)).toBe(999_980_000n);
});
