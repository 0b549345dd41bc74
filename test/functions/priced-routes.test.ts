import { randomBytes, randomUUID } from 'node:crypto';
import { getAddress } from 'viem';
import { afterAll, expect, test } from 'vitest';
import { deploying, refOf } from '../deploys/deploying.ts';
import { withHeaders } from '../helpers/actors.ts';
import { startChain } from '../helpers/chain.ts';
import { startService } from '../helpers/service.ts';
import { hostCall } from '../hosted/host-call.ts';
import { challengeOf, decoded, paying, sign } from '../payments/shop.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

const earned = getAddress(`0x${randomBytes(20).toString('hex')}`);
const chain = await startChain({ chainId: 84532 });
const service = await startService({
  env: {
    SETTLEMENT_ADDRESS: getAddress(`0x${randomBytes(20).toString('hex')}`),
    X402_SETTLER_KEY: chain.settlerKey,
    RPC_URL_BASE_SEPOLIA: chain.rpcUrl,
  },
});
afterAll(async () => {
  await service.stop();
  await chain.stop();
});

const project = await service.project();
const { wallet, orgId } = project;
const theirs = deploying(service, wallet, project);
const api = `
import { getRoutedPaymentContext } from '@svc/functions';
let calls = 0;
export default async (request) => {
  calls += 1;
  const { searchParams } = new URL(request.url);
  if (searchParams.get('fails') !== null && request.headers.get('x-svc-payment-delivery') === 'first')
    return new Response('not now', { status: 503 });
  if (searchParams.get('throws') !== null && request.headers.get('x-svc-payment-delivery') === 'first') throw new Error('broken');
  return Response.json({ calls, method: request.method, body: await request.text(), headers: Object.fromEntries(request.headers), payment: getRoutedPaymentContext() },
    { headers: { 'cache-control': 'public, max-age=600' } });
};`;
const pricing = { mode: 'always', amount_usd_micros: 2_000, pay_to: 'org_default_payout', networks: ['testnet'] };
const routeOf = (pattern: string, more: object = {}) => ({
  pattern,
  target: { type: 'function', name: 'api' },
  ...more,
});
const slices = {
  functions: { replace: { api: { source: refOf(api) } } },
  routes: { replace: [routeOf('/paid', { pricing })] },
};

const setPayout = (address: string | null) =>
  service.call<Any>(wallet, 'PATCH', `/orgs/v1/${orgId}/payout-wallet`, { body: { wallet_address: address } });
expect((await setPayout(earned)).status).toBe(200);
expect(await theirs.deploy(slices, [api])).toMatchObject({ status: 'ready' });
const [row] = await service.control.sql<{ public_id: string }>('select public_id from projects where id = $1', [
  project.projectId,
]);
const call = hostCall(service, `p-${row!.public_id}.localhost`);

const calls = async () => {
  const answer = await service.call<Any>(withHeaders({ apikey: project.serviceKey }), 'POST', '/functions/v1/api');
  return answer.body.calls as number;
};

/** A payer with a payment that is signed for a path. */
async function signed(path = '/paid', more: Parameters<typeof sign>[2] = {}) {
  const payer = await chain.payer();
  const asked = await call('POST', path);
  expect(asked.status).toBe(402);
  const offer = challengeOf(asked).accepts[0];
  const header = await sign(payer, offer, more);
  return { payer, offer, header, again: () => sign(payer, offer, more) };
}

const pay = (path: string, header: string, headers: Record<string, string> = {}, json?: object) =>
  call('POST', path, { headers: { ...paying(header), ...headers }, json });

test('a call by a route with a price is answered once it is paid to the organization’s wallet, and told of its payment', async () => {
  const asked = await call('POST', '/paid?x=1');
  expect(asked.body).toMatchObject({ code: 'PAYMENT_REQUIRED' });
  expect(asked.headers.get('access-control-expose-headers')).toContain('payment-required');
  const challenge = challengeOf(asked);
  expect(challenge.resource.url).toMatch(/^http:\/\/p-.*\/paid\?x=1$/);
  expect(challenge.accepts).toMatchObject([{ network: 'eip155:84532', payTo: earned.toLowerCase(), amount: '2000' }]);
  const payer = await chain.payer();
  const header = await sign(payer, challenge.accepts[0]);
  const key = randomUUID();
  const more = { 'x-svc-payment-id': 'forged', 'idempotency-key': key };
  const answered = await pay('/paid?x=1', header, more, { a: 1 });
  expect(answered.status, answered.text).toBe(200);
  expect(answered.body).toMatchObject({
    method: 'POST',
    body: '{"a":1}',
    headers: {
      'x-svc-payment-scheme': 'x402',
      'x-svc-payment-id': expect.stringMatching(/^txp_/),
      'x-svc-payment-idempotency-key': key,
      'x-svc-payment-deduplicated': 'false',
      'x-svc-payment-delivery': 'first',
      'x-svc-payment-amount-usd-micros': '2000',
      'x-svc-payment-payer': expect.stringMatching(new RegExp(payer.address, 'i')),
      'x-svc-payment-network': 'eip155:84532',
      'x-svc-payment-pay-to': earned.toLowerCase(),
      'x-svc-payment-transaction': expect.stringMatching(/^0x[0-9a-f]{64}$/),
      'x-svc-payment-settled-at': expect.stringMatching(/Z$/),
    },
  });
  expect(answered.body.payment).toMatchObject({
    scheme: 'x402',
    paymentId: answered.body.headers['x-svc-payment-id'],
    idempotencyKey: key,
    deduplicated: false,
    delivery: 'first',
    amountUsdMicros: 2_000,
    network: 'eip155:84532',
  });
  expect(answered.body.headers).not.toHaveProperty('payment-signature');
  expect(decoded(answered.headers.get('payment-response'))).toMatchObject({ success: true });
  expect(answered.headers.get('x-svc-payment-delivery')).toBe('first');
  expect(answered.headers.get('cache-control')).toBe('private, no-store');
  expect(await chain.balanceOf(earned)).toBe(2_000n);

  // Under its key the same payment has the same answer once more, and costs nothing more.
  const repeated = await pay('/paid?x=1', header, more, { a: 1 });
  expect(repeated.body).toEqual(answered.body);
  expect(repeated.headers.get('x-svc-payment-delivery')).toBe('replay');
  expect(await chain.balanceOf(earned)).toBe(2_000n);
});

test('whoever has not paid has no answer: by HEAD, by OPTIONS, by the anon key, by the payment of another call', async () => {
  const before = await calls();
  expect((await call('HEAD', '/paid')).status).toBe(402);
  const preflight = await call('OPTIONS', '/paid', { headers: { 'access-control-request-method': 'POST' } });
  expect([preflight.status, preflight.text]).toEqual([204, '']);
  const direct = await service.call<Any>(withHeaders({ apikey: project.anonKey }), 'POST', '/functions/v1/api');
  expect([direct.status, direct.body.code]).toEqual([403, 'FORBIDDEN']);
  const { header } = await signed();
  expect((await pay('/paid?other=1', header)).status).toBe(200);
  expect((await pay('/paid', header)).body.code).toBe('PAYMENT_PROOF_MISMATCH');
  // Everybody can read on the chain what was signed: without its key it has nothing more.
  expect((await pay('/paid?other=1', header)).status).toBe(402);
  const little = await signed('/paid', { value: 1_999n });
  expect((await pay('/paid', little.header)).status).toBe(402);
  const elsewhere = await signed('/paid', { to: getAddress(`0x${'1'.repeat(40)}`) });
  expect((await pay('/paid', elsewhere.header)).status).toBe(402);
  expect(await calls()).toBe(before + 2);
});

test('two payments under one key of a payer are one, and another payer’s key is another', async () => {
  const { header, again } = await signed();
  const key = { 'idempotency-key': randomUUID() };
  expect((await pay('/paid', header, key)).status).toBe(200);
  const second = await pay('/paid', await again(), key);
  expect([second.status, second.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
  expect((await pay('/paid', (await signed()).header, key)).status).toBe(200);
});

test.each(['fails', 'throws'])(
  'who has paid a function that %s is charged once, and answered when it is asked again',
  async (what) => {
    const path = `/paid?${what}`;
    const { header, payer } = await signed(path);
    const before = await chain.balanceOf(payer.address);
    const failed = await pay(path, header);
    expect(failed.status).toBe(503);
    if (what === 'throws') expect(failed.body).toMatchObject({ code: 'PAYMENT_RECOVERY_PENDING', funds_moved: true });
    const answered = await pay(path, header);
    expect(answered.status, answered.text).toBe(200);
    expect(answered.body.headers).toMatchObject({
      'x-svc-payment-delivery': 'replay',
      'x-svc-payment-deduplicated': 'true',
    });
    expect(before - (await chain.balanceOf(payer.address))).toBe(2_000n);
  },
);

test('eight that present one payment at once have one call of the function between them', async () => {
  const { header, payer } = await signed();
  const key = { 'idempotency-key': randomUUID() };
  const before = await calls();
  const answers = await Promise.all(Array.from({ length: 8 }, () => pay('/paid', header, key)));
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  for (const { status, body } of answers)
    if (status !== 200) expect([status, body.code]).toEqual([409, 'PAYMENT_INTENT_PENDING']);
  expect(await chain.balanceOf(payer.address)).toBe(999_998_000n);
  expect(await calls()).toBe(before + 2);
});

test('a price that nobody could be paid is refused at the commit', async () => {
  const members = [await service.owner(), await service.owner()];
  for (const { wallet: member } of members) {
    const { principal } = (await service.call<Any>(member, 'GET', '/agent/v1/whoami')).body;
    await service.actors.member(orgId, principal.id, 'owner');
  }
  await setPayout(null);
  const { body } = await theirs.plan({
    routes: { replace: [routeOf('/paid', { pricing }), routeOf('/also', { pricing })] },
  });
  expect(await theirs.commit(body.plan_id)).toMatchObject({
    status: 409,
    body: { code: 'PAYOUT_WALLET_AMBIGUOUS', details: { route: expect.any(String) } },
  });
  // What is live takes nothing meanwhile.
  expect((await call('POST', '/paid')).body.code).toBe('PAYOUT_WALLET_UNRESOLVED');
  await setPayout(earned);
  expect((await call('POST', '/paid')).status).toBe(402);
});
