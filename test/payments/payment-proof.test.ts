import { randomBytes } from 'node:crypto';
import { getAddress, type Hex } from 'viem';
import { afterAll, expect, test } from 'vitest';
import { readPresented } from '../../engines/x402/presented.ts';
import { startChain } from '../helpers/chain.ts';
import { broadcastOf } from '../helpers/payments.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { books, challengeOf, decoded, paying, sign, statesOf } from './shop.ts';

const payTo = getAddress(`0x${randomBytes(20).toString('hex')}`);
const chain = await startChain();
const names = Array.from({ length: 40 }, (_one, at) => `p${at}.audit-sites.net`);
let down = true;
const sites = await startSites({
  'shaky.audit-sites.net': (request, response) => {
    if (down) request.socket.destroy();
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Up again</title>');
  },
  ...Object.fromEntries(names.map((name) => [name, { '/': `<title>${name}</title>` }])),
});
const service = await startService({
  auditTrial: sites.trial,
  nodes: 1,
  env: {
    SETTLEMENT_ADDRESS: payTo,
    X402_SETTLER_KEY: chain.settlerKey,
    RPC_URL_BASE: chain.rpcUrl,
    CONFIRMATIONS_BASE: '3',
    TRUSTED_PROXIES: '127.0.0.1/32',
  },
});
afterAll(async () => {
  await service.stop();
  sites.close();
  await chain.stop();
});

const { nobody } = service.actors;
const fresh = () => names.pop()!;
const pathOf = (host: string) => `/api/x402-audit?url=${host}`;
let last = 0;
/** Each proof comes from another client, so that none uses up what another may, unless a test says from which. */
const prove = (proof: string, host = fresh(), from = `198.18.0.${++last}`) =>
  service.call<Record<string, unknown>>(nobody, 'GET', `${pathOf(host)}&payment_proof=${encodeURIComponent(proof)}`, {
    headers: { 'x-forwarded-for': from },
  });

/** A transfer to the gateway, deep enough to count. */
async function transferred(value = 10_000n, to = payTo, token = chain.usdc): Promise<Hex> {
  const payer = await chain.payer(0n);
  await chain.mint(payer.address, value, token);
  const { transactionHash } = await chain.transfer(payer, to, value, token);
  await chain.mine(3);
  return transactionHash;
}

test.each([
  ['base64', (text: string) => text],
  ['base64url without padding', (text: string) => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')],
  ['base64 in which a form has decoded the pluses', (text: string) => text.replaceAll('+', ' ')],
] as const)('a payment in %s pays as a header does', async (_name, spell) => {
  const payer = await chain.payer();
  const host = fresh();
  const challenge = challengeOf(await service.call(nobody, 'GET', pathOf(host)));
  const header = await sign(payer, challenge.accepts[0]);
  const answer = await prove(spell(header), host);
  expect(answer.status).toBe(200);
  expect(decoded(answer.headers.get('payment-response'))).toMatchObject({ success: true });
  expect(await chain.balanceOf(payer.address)).toBe(999_990_000n);
  const posted = await service.call<object>(nobody, 'POST', '/api/x402-audit', {
    body: { url: host, payment_proof: spell(header) },
  });
  expect(posted.status).toBe(402);
});

test('a header goes before a proof', async () => {
  const payer = await chain.payer();
  const host = fresh();
  const challenge = challengeOf(await service.call(nobody, 'GET', pathOf(host)));
  const path = `${pathOf(host)}&payment_proof=nonsense`;
  const headers = paying(await sign(payer, challenge.accepts[0]));
  expect((await service.call(nobody, 'GET', path, { headers })).status).toBe(200);
});

test('the hash of a transfer buys once, and more than the price is taken', async () => {
  const hash = await transferred(25_000n);
  const host = fresh();
  const answer = await prove(hash, host);
  expect([answer.status, answer.body]).toMatchObject([200, { ok: true, domain: host }]);
  for (const [header, network] of [
    ['payment-response', 'eip155:8453'],
    ['x-payment-response', 'base'],
  ] as const)
    expect(decoded(answer.headers.get(header))).toMatchObject({ success: true, transaction: hash, network });
  for (const again of [await prove(hash, host), await prove(hash), await prove(hash.toUpperCase().replace('0X', '0x'))])
    expect([again.status, again.body.error]).toEqual([402, 'tx_already_used']);
  const { received, revenue } = await books(chain, service.control, payTo);
  expect(revenue).toBe(received);
});

test('of many who present one hash at once, one is served', async () => {
  const hash = await transferred();
  const answers = await Promise.all(Array.from({ length: 5 }, () => prove(hash)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ body }) => body.error === 'tx_already_used')).toHaveLength(4);
});

test('a transaction that this service settled proves nothing more', async () => {
  const payer = await chain.payer();
  const host = fresh();
  const challenge = challengeOf(await service.call(nobody, 'GET', pathOf(host)));
  const headers = paying(await sign(payer, challenge.accepts[0]));
  const bought = await service.call(nobody, 'GET', pathOf(host), { headers });
  await chain.mine(3);
  const again = await prove(decoded(bought.headers.get('payment-response')).transaction);
  expect([again.status, again.body.error]).toEqual([402, 'tx_already_used']);
});

test('the hash of a signed payment is nobody’s proof, whoever brought it onto the chain; the payment itself stays good', async () => {
  const payer = await chain.payer();
  const host = fresh();
  const challenge = challengeOf(await service.call(nobody, 'GET', pathOf(host)));
  const header = await sign(payer, challenge.accepts[0]);
  const { transactionHash } = await chain.send(chain.usdc, broadcastOf(readPresented(header)));
  await chain.mine(3);
  const stranger = await prove(transactionHash);
  expect([stranger.status, stranger.body.error]).toEqual([402, 'tx_already_used']);
  expect((await service.call(nobody, 'GET', pathOf(host), { headers: paying(header) })).status).toBe(200);
  expect(await chain.balanceOf(payer.address)).toBe(999_990_000n);
});

test('what pays for a licence is not spent on an audit, one millionth of a dollar less is', async () => {
  const hash = await transferred(3_000_000n);
  const answer = await prove(hash);
  expect([answer.status, answer.body.error]).toEqual([402, 'use_verify_tx']);
  const licence = await service.call<object>(nobody, 'POST', '/api/verify-tx', { body: { tx_hash: hash } });
  expect(licence.body).toMatchObject({ verified: true, plan: 'starter' });
  expect((await prove(await transferred(2_999_999n))).status).toBe(200);
});

test('an audit that fails leaves the transfer good, for whatever it is presented next', async () => {
  const [same, other] = [await transferred(), await transferred()];
  down = true;
  expect((await prove(same, 'shaky.audit-sites.net')).status).toBe(502);
  expect((await prove(other, 'shaky.audit-sites.net')).status).toBe(502);
  down = false;
  expect((await prove(same, 'shaky.audit-sites.net')).status).toBe(200);
  expect((await prove(other)).status).toBe(200);
  for (const hash of [same, other]) expect((await prove(hash)).body.error).toBe('tx_already_used');
  const { received, revenue } = await books(chain, service.control, payTo);
  expect(revenue).toBeLessThanOrEqual(received);
});

test('looks at hashes count among the looks that a client may have a minute', async () => {
  const unknown = `0x${randomBytes(32).toString('hex')}`;
  const host = fresh();
  const first = await prove(unknown, host, '198.19.0.1');
  expect([first.status, first.headers.get('ratelimit-limit')]).toEqual([402, '20']);
  await expect
    .poll(async () => {
      const answers = await Promise.all(Array.from({ length: 40 }, () => prove(unknown, host, '198.19.0.1')));
      return answers.find(({ status }) => status === 429)?.headers.get('ratelimit-limit');
    })
    .toBe('20');
  // The same looks are had by the other door.
  const looked = await service.call(nobody, 'POST', '/api/verify-tx', {
    body: { tx_hash: unknown },
    headers: { 'x-forwarded-for': '198.19.0.1' },
  });
  expect(Number(looked.headers.get('ratelimit-remaining'))).toBeLessThan(19);
  expect((await prove(unknown, host, '198.19.0.2')).status).toBe(402);
});

const other = getAddress(`0x${'cd'.repeat(20)}`);
const elsewhere = getAddress(`0x${'ef'.repeat(20)}`);
test.each([
  ['a transaction that there is not', async () => `0x${randomBytes(32).toString('hex')}`, 'tx_not_found'],
  ['too little', () => transferred(9_999n), 'amount_too_low'],
  ['another receiver', () => transferred(10_000n, other), 'no_payment_found'],
  [
    'another token',
    async () => {
      const facts = { name: 'USD Coin', version: '2', symbol: 'USDC', decimals: 6 };
      await chain.installToken(elsewhere, facts);
      return transferred(10_000n, payTo, elsewhere);
    },
    'no_payment_found',
  ],
  [
    'tokens out of nothing',
    async () => {
      const { transactionHash } = await chain.mint(payTo, 10_000n);
      await chain.mine(3);
      return transactionHash;
    },
    'no_payment_found',
  ],
] as const)('%s is no proof', async (_name, made, reason) => {
  const hash = await made();
  const host = fresh();
  const answer = await prove(hash, host);
  expect([answer.status, answer.body.error]).toEqual([402, reason]);
  expect(challengeOf(answer).error).toBe(reason);
  expect(sites.reached.some((one) => one.startsWith(host))).toBe(false);
});

test('a transfer counts once it is deep enough', async () => {
  const payer = await chain.payer(10_000n);
  const { transactionHash } = await chain.transfer(payer, payTo, 10_000n);
  const waiting = await prove(transactionHash);
  expect([waiting.status, waiting.body.error]).toEqual([402, 'awaiting_confirmations']);
  expect(waiting.headers.get('retry-after')).toBe('2');
  await chain.mine(2);
  expect((await prove(transactionHash)).status).toBe(200);
});

test('what was paid before this installation served pays for nothing here', async () => {
  const hash = await transferred();
  const later = `to_jsonb(now() + interval '1 hour')`;
  await service.control.sql(`update platform_facts set value = ${later} where key = 'launched_at'`);
  const answer = await prove(hash);
  expect([answer.status, answer.body.error]).toEqual([402, 'tx_too_old']);
  await service.control.sql(
    `update platform_facts set value = to_jsonb(now() - interval '1 day') where key = 'launched_at'`,
  );
  expect((await prove(hash)).status).toBe(200);
});

test('a transfer of two days ago pays for nothing', async () => {
  const hash = await transferred();
  // The chain's clock goes on without ours.
  await chain.client.increaseTime({ seconds: 1 });
  const { now } = service.app.services;
  Object.assign(service.app.services, { now: () => new Date(Date.now() + 2 * 86_400_000) });
  try {
    const answer = await prove(hash);
    expect([answer.status, answer.body.error]).toEqual([402, 'tx_too_old']);
  } finally {
    Object.assign(service.app.services, { now });
  }
  expect(await statesOf(service.control, payTo)).toEqual([]);
});
