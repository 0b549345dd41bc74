import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { getAddress } from 'viem';
import { afterAll, expect, test, vi } from 'vitest';
import { readPresented } from '../../engines/x402/presented.ts';
import { encodeHeader } from '../../engines/x402/terms.ts';
import { startCallGate } from '../helpers/call-gate.ts';
import { startChain } from '../helpers/chain.ts';
import { startFacilitator } from '../helpers/facilitator-process.ts';
import { broadcastOf } from '../helpers/payments.ts';
import { type Service, startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { books, challengeOf, decoded, paying, served, sign, statesOf } from './shop.ts';

const payTo = getAddress(`0x${randomBytes(20).toString('hex')}`);
const chain = await startChain();
const node = await startCallGate(chain.rpcUrl);
const facilitator = await startFacilitator(chain);
const hosts = Array.from({ length: 60 }, (_one, at) => `r${at}.audit-sites.net`);
const sites = await startSites(Object.fromEntries(hosts.map((host) => [host, { '/': `<title>${host}</title>` }])));
const own = { SETTLEMENT_ADDRESS: payTo, X402_SETTLER_KEY: chain.settlerKey, RPC_URL_BASE: node.url };
const service = await startService({ auditTrial: sites.trial, nodes: 2, env: own });
const byFacilitator = await startService({
  auditTrial: sites.trial,
  nodes: 1,
  env: { SETTLEMENT_ADDRESS: payTo, X402_FACILITATOR_URL: facilitator.url, RPC_URL_BASE: chain.rpcUrl },
});
afterAll(async () => {
  await Promise.all([service.stop(), byFacilitator.stop()]);
  await facilitator.kill();
  node.close();
  sites.close();
  await chain.stop();
});

const get = (at: Service, path: string, headers: Record<string, string> = {}) =>
  at.call<Record<string, unknown>>(at.actors.nobody, 'GET', path, { headers });

async function ordered(at: Service) {
  const payer = await chain.payer();
  const path = `/api/x402-audit?url=${hosts.pop()}`;
  const header = await sign(payer, challengeOf(await get(at, path)).accepts[0]);
  return { payer, path, header, send: () => get(at, path, paying(header)) };
}

/** Sends a paid request whose client has gone when it is answered. */
async function loseAnswer({ path, header }: { readonly path: string; readonly header: string }): Promise<void> {
  const receipt = node.hold('eth_getTransactionReceipt', 'before');
  const gone = Promise.withResolvers<void>();
  const call = request(service.url + path, { headers: paying(header) });
  call.on('error', () => gone.resolve()).end();
  await receipt.reached;
  call.destroy();
  await gone.promise;
  receipt.release();
}

/** What both services sold together is what came in. */
async function expectEven(): Promise<void> {
  const all = await Promise.all([service, byFacilitator].map(({ control }) => books(chain, control, payTo)));
  expect(all[0]!.revenue + all[1]!.revenue).toBe(all[0]!.received);
}

test('two nodes share the key of one settler', async () => {
  const orders = await Promise.all(Array.from({ length: 16 }, () => ordered(service)));
  const answers = await Promise.all(orders.map(({ send }) => served(send)));
  expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200));
  await expectEven();
});

test('copies of a payment that reach two nodes at once buy once', async () => {
  const { payer, send } = await ordered(service);
  const answers = await Promise.all([send(), send(), send(), send()]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 402, 402, 402]);
  expect(await chain.balanceOf(payer.address)).toBe(999_990_000n);
});

test('while a process settles a payment, a copy of it is refused and changes nothing of it', async () => {
  const { payer, send } = await ordered(service);
  const receipt = node.hold('eth_getTransactionReceipt', 'before');
  const first = send();
  await receipt.reached;
  const held = () =>
    service.control.sql('select lease_token from payments where payer = $1', [payer.address.toLowerCase()]);
  const [before] = await held();
  const copy = await send();
  expect([copy.status, await held()]).toEqual([402, [before]]);
  receipt.release();
  expect((await first).status).toBe(200);
  expect(await chain.balanceOf(payer.address)).toBe(999_990_000n);
});

test('with the chain away nothing is claimed, and the same payment is good when it is back', async () => {
  const { payer, send } = await ordered(service);
  chain.freeze();
  let refused: Awaited<ReturnType<typeof send>>;
  try {
    refused = await send();
  } finally {
    chain.thaw();
  }
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(await statesOf(service.control, payer.address)).toEqual([]);
  expect((await send()).status).toBe(200);
});

test('an answer that was lost on its way is given once more, at the same address alone', async () => {
  const order = await ordered(service);
  const { payer, header, send } = order;
  await loseAnswer(order);
  await expect
    .poll(() => statesOf(service.control, payer.address))
    .toMatchObject([{ state: 'settled', outcome: expect.any(Buffer) }]);
  const elsewhere = await get(service, `/api/x402-audit?url=${hosts.pop()}`, paying(header));
  expect([elsewhere.status, elsewhere.body.error]).toEqual([402, 'invalid_exact_evm_nonce_already_used']);
  // Everything but the signature can be read on the chain.
  const copied = decoded(header);
  copied.payload.signature = `0x${'1'.repeat(128)}1b`;
  const forged = await get(service, order.path, paying(encodeHeader(copied)));
  expect([forged.status, forged.body.error]).toEqual([402, 'invalid_exact_evm_nonce_already_used']);
  await expect.poll(async () => (await send()).status).toBe(200);
  await expect.poll(() => statesOf(service.control, payer.address)).toMatchObject([{ state: 'delivered' }]);
  expect((await send()).status).toBe(402);
  expect(await chain.balanceOf(payer.address)).toBe(999_990_000n);
  await expectEven();
});

test('what was settled is given after its signature has run out, and what was not is refused', async () => {
  const [order, unused] = [await ordered(service), await ordered(service)];
  await loseAnswer(order);
  await expect.poll(() => statesOf(service.control, order.payer.address)).toMatchObject([{ state: 'settled' }]);
  const real = Date.now.bind(Date);
  const later = vi.spyOn(Date, 'now').mockImplementation(() => real() + 600_000);
  try {
    const late = await unused.send();
    expect([late.status, late.body.error]).toEqual([402, 'invalid_exact_evm_payload_authorization_valid_before']);
    expect(await statesOf(service.control, unused.payer.address)).toEqual([]);
    await expect.poll(async () => (await order.send()).status).toBe(200);
  } finally {
    later.mockRestore();
  }
  expect(await chain.balanceOf(order.payer.address)).toBe(999_990_000n);
  await expectEven();
});

test('after a day what was settled and never fetched is no longer given', async () => {
  const order = await ordered(service);
  const { payer, send } = order;
  await loseAnswer(order);
  await expect.poll(() => statesOf(service.control, payer.address)).toMatchObject([{ state: 'settled' }]);
  await service.control.sql(`update payments set settled_at = now() - interval '25 hours' where payer = $1`, [
    payer.address.toLowerCase(),
  ]);
  await expect.poll(async () => (await send()).body.error).toBe('invalid_exact_evm_nonce_already_used');
});

test.each([
  ['settles and denies it', 'pay and deny', 200],
  ['settles and breaks', 'pay and break', 200],
] as const)('a facilitator that %s is held against the chain', async (_name, behaviour, status) => {
  const { payer, send } = await ordered(byFacilitator);
  await facilitator.behave(behaviour);
  const answer = await send();
  await facilitator.behave('honest');
  // Where it was not known yet, it is by the next time.
  if (answer.status !== status) await expect.poll(async () => (await send()).status).toBe(status);
  expect((await send()).status).toBe(402);
  expect(await chain.balanceOf(payer.address)).toBe(999_990_000n);
  await expectEven();
});

test('a facilitator that claims what it did not do sells nothing, until it is done', async () => {
  const { payer, send } = await ordered(byFacilitator);
  await facilitator.behave('claim without paying');
  const claimed = await send();
  await facilitator.behave('honest');
  expect(claimed.status).toBe(402);
  expect(decoded(claimed.headers.get('payment-response')).success).toBe(false);
  expect(await chain.balanceOf(payer.address)).toBe(1_000_000_000n);
  await expect.poll(async () => (await send()).status).toBe(200);
  expect(await chain.balanceOf(payer.address)).toBe(999_990_000n);
  await expectEven();
});

test('a facilitator that refuses costs nothing, and the payment is good at the next try', async () => {
  const { payer, send } = await ordered(byFacilitator);
  await facilitator.behave('refuse to settle');
  const refused = await send();
  await facilitator.behave('honest');
  expect(refused.status).toBe(402);
  expect(await chain.balanceOf(payer.address)).toBe(1_000_000_000n);
  await expect.poll(async () => (await send()).status).toBe(200);
  await expectEven();
});

test('a payment that was never handed over is good for something else', async () => {
  const { payer, header, send } = await ordered(byFacilitator);
  await facilitator.behave('turn away');
  const refused = await send();
  await facilitator.behave('honest');
  expect(refused.status).toBe(503);
  expect(await statesOf(byFacilitator.control, payer.address)).toMatchObject([{ state: 'released', tx_hash: null }]);
  const elsewhere = await get(byFacilitator, `/api/x402-audit?url=${hosts.pop()}`, paying(header));
  expect(elsewhere.status).toBe(200);
  expect(await chain.balanceOf(payer.address)).toBe(999_990_000n);
  await expectEven();
});

test('a payment that somebody sends after all is found by the job, and claimable', async () => {
  const { payer, header, send } = await ordered(byFacilitator);
  // Whoever holds the signature can send it.
  await facilitator.behave('refuse to settle');
  expect((await send()).status).toBe(402);
  await facilitator.behave('honest');
  await chain.send(chain.usdc, broadcastOf(readPresented(header)));
  await byFacilitator.control.sql(
    `update payments set created_at = created_at - interval '5 minutes', reconciled_at = null where state = 'failed'`,
  );
  await byFacilitator.control.sql(
    `select graphile_worker.add_job('reconcile-payments', job_key => 'reconcile-payments')`,
  );
  await expect
    .poll(() => statesOf(byFacilitator.control, payer.address))
    .toMatchObject([{ state: 'settled', outcome: null }]);
  expect((await send()).status).toBe(200);
  await expectEven();
});
