import { randomBytes } from 'node:crypto';
import { getAddress } from 'viem';
import { afterAll, expect, test } from 'vitest';
import { readPresented } from '../../engines/x402/presented.ts';
import { docs, shop } from '../audit/fixture-sites.ts';
import { startChain } from '../helpers/chain.ts';
import { broadcastOf } from '../helpers/payments.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { books, challengeOf, decoded, paying, type Signing, served, sign, statesOf } from './shop.ts';

const payTo = getAddress(`0x${randomBytes(20).toString('hex')}`);
const chain = await startChain();
/** Every sale reads a host of its own: one may be fetched from six times a minute. */
const names = Array.from({ length: 120 }, (_one, at) => `s${at}.audit-sites.net`);
let down = true;
const sites = await startSites({
  'shop.audit-sites.net': shop,
  'docs.audit-sites.net': docs,
  'example.com': { '/': '<title>Example</title>' },
  'shaky.audit-sites.net': (request, response) => {
    if (down) request.socket.destroy();
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Up again</title>');
  },
  ...Object.fromEntries(names.map((name) => [name, { '/': `<title>${name}</title>` }])),
});
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

const { nobody } = service.actors;
const fresh = () => names.pop()!;
const pathOf = (url: string) => `/api/x402-audit?url=${encodeURIComponent(url)}`;
const get = (path: string, headers: Record<string, string> = {}) =>
  service.call<Record<string, unknown>>(nobody, 'GET', path, { headers });

/** Buys at a path with a signature of one's own. */
async function buy(path: string, { version = 2, ...signing }: Signing = {}) {
  const payer = await chain.payer();
  const [offer] = challengeOf(await get(path)).accepts;
  const header = await sign(payer, offer, { version, ...signing });
  return { payer, header, answer: await get(path, paying(header, version)) };
}

test('whoever brings no payment is told the price in both versions, whatever the request holds', async () => {
  const v1 = (resource: string) => ({
    x402Version: 1,
    error: 'Payment required',
    accepts: [
      {
        scheme: 'exact',
        network: 'base',
        maxAmountRequired: '10000',
        asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        payTo,
        resource,
        description: expect.any(String),
        mimeType: 'application/json',
        maxTimeoutSeconds: 120,
        extra: { name: 'USD Coin', version: '2' },
      },
    ],
  });
  const v2 = (resource: string) => ({
    x402Version: 2,
    error: 'Payment required',
    resource: { url: resource, description: expect.any(String), mimeType: 'application/json' },
    accepts: [
      {
        scheme: 'exact',
        network: 'eip155:8453',
        amount: '10000',
        asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        payTo,
        maxTimeoutSeconds: 120,
        extra: { name: 'USD Coin', version: '2' },
      },
    ],
    extensions: { 'payment-identifier': { info: { required: false }, schema: expect.any(Object) } },
  });
  for (const [method, path, body, resource = path] of [
    ['GET', '/api/x402-audit', undefined],
    ['GET', pathOf('shop.audit-sites.net/shoes'), undefined],
    ['GET', pathOf('http://127.0.0.1/'), undefined],
    ['GET', '/api/x402-audit?url=a&url=b', undefined],
    ['GET', '/api/x402-audit?payment_proof=&url=a', undefined, '/api/x402-audit?url=a'],
    ['POST', '/api/x402-audit', undefined],
    ['POST', '/api/x402-audit', '{"url":5}'],
    ['POST', '/api/x402-audit', '{"url":'],
  ] as const) {
    const answer = await service.call<object>(nobody, method, path, body === undefined ? {} : { body });
    expect(answer.status, `${method} ${path} ${body}`).toBe(402);
    expect(answer.body).toStrictEqual(v1(service.url + resource));
    expect(challengeOf(answer)).toEqual(v2(service.url + resource));
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
  for (const unlock of ['1', 'true']) {
    const path = `/api/audit?url=shop.audit-sites.net&unlock=${unlock}`;
    const answer = await get(path);
    expect(answer.status).toBe(402);
    expect(answer.body).toStrictEqual(challengeOf(answer));
    expect(answer.body).toEqual(v2(service.url + path));
  }
  const head = await fetch(`${service.url}/api/x402-audit`, { method: 'HEAD' });
  expect(head.status).toBe(402);
  expect(challengeOf(head).x402Version).toBe(2);
});

test.each([1, 2] as const)(
  'a payment of version %s buys the whole report, settled before it is given',
  async (version) => {
    const before = await books(chain, service.control, payTo);
    const { payer, answer } = await buy(pathOf('shop.audit-sites.net/shoes'), { version });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      ok: true,
      domain: 'shop.audit-sites.net',
      target_url: 'https://shop.audit-sites.net/shoes',
      geo_score: 82,
      has_jsonld: true,
      tier: 'audit',
      generated_jsonld: expect.stringContaining('@context'),
      generated_llms_txt: expect.stringContaining('# '),
      report: { checks: expect.any(Array) },
      order: { paid_at: expect.any(String), audited_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
    });
    // Beside its order it says what any audit of the same bytes says.
    const { order: _order, ...reproducible } = answer.body;
    expect(JSON.stringify(reproducible)).not.toMatch(/"\w+_at":/);
    expect((answer.body.report as { checks: unknown[] }).checks).toHaveLength(43);
    const settled = decoded(answer.headers.get(version === 1 ? 'x-payment-response' : 'payment-response'));
    expect(settled).toMatchObject({
      success: true,
      network: version === 1 ? 'base' : 'eip155:8453',
      payer: payer.address.toLowerCase(),
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect(answer.headers.get(version === 1 ? 'payment-response' : 'x-payment-response')).toBeNull();
    const receipt = await chain.client.getTransactionReceipt({ hash: settled.transaction });
    expect(receipt.status).toBe('success');
    const after = await books(chain, service.control, payTo);
    expect(after.received - before.received).toBe(10_000n);
    expect(after).toMatchObject({ orders: before.orders + 1, revenue: after.received });
    await expect
      .poll(() => statesOf(service.control, payer.address))
      .toMatchObject([{ state: 'delivered', tx_hash: settled.transaction }]);
  },
);

test('the unlocked audit is bought at its own address, and a body names the site as well as a query', async () => {
  const unlocked = await buy(`/api/audit?unlock=1&url=${fresh()}`);
  expect([unlocked.answer.status, unlocked.answer.body.tier]).toEqual([200, 'audit']);
  const payer = await chain.payer();
  const host = fresh();
  const post = (headers = {}) =>
    service.call<Record<string, unknown>>(nobody, 'POST', '/api/x402-audit', { body: { url: host }, headers });
  const header = await sign(payer, challengeOf(await post()).accepts[0]);
  expect((await post(paying(header))).body).toMatchObject({ ok: true, domain: host });
});

test('paid audits are fetched afresh', async () => {
  const host = fresh();
  const readings = () => sites.reached.filter((one) => one === `${host} /`).length;
  await get(`/api/audit?url=${host}`);
  expect((await buy(pathOf(host))).answer.status).toBe(200);
  expect((await buy(pathOf(host))).answer.status).toBe(200);
  expect(readings()).toBe(3);
});

test.each([
  ['a used payment', async () => (await buy(pathOf(fresh()))).header, 'invalid_exact_evm_nonce_already_used'],
] as const)('%s is refused at every address', async (_name, used, reason) => {
  const host = fresh();
  const path = pathOf(host);
  const bought = await buy(path);
  expect(bought.answer.status).toBe(200);
  for (const at of [path, pathOf(fresh()), `/api/audit?unlock=1&url=${host}`]) {
    const again = await get(at, paying(bought.header));
    expect([again.status, again.body.error]).toEqual([402, reason]);
    expect(challengeOf(again).error).toBe(reason);
    expect(again.headers.get('payment-response')).toBeNull();
  }
  expect((await get(path, paying(await used()))).status).toBe(402);
});

const far = getAddress(`0x${'ab'.repeat(20)}`);
const now = () => BigInt(Math.floor(Date.now() / 1000));
test.each([
  ['one unit less', () => ({ value: 9_999n }), 'invalid_exact_evm_payload_authorization_value_mismatch'],
  ['one unit more', () => ({ value: 10_001n }), 'invalid_exact_evm_payload_authorization_value_mismatch'],
  ['another receiver', () => ({ to: far }), 'invalid_exact_evm_recipient_mismatch'],
  ['a changed payer', () => ({ tampered: { from: far } }), 'invalid_exact_evm_signature'],
  ['an expired signature', () => ({ validBefore: now() + 3n }), 'invalid_exact_evm_payload_authorization_valid_before'],
  [
    'one that is not valid yet',
    () => ({ validAfter: now() + 60n }),
    'invalid_exact_evm_payload_authorization_valid_after',
  ],
  ['another path', () => ({ resourceUrl: 'https://x.example/api/x402-pro' }), 'resource_mismatch'],
] as const)('a payment with %s is 402, and nothing is claimed or fetched', async (_name, signing, reason) => {
  const host = fresh();
  const { answer, payer } = await buy(pathOf(host), signing());
  expect([answer.status, answer.body.error]).toEqual([402, reason]);
  expect(await statesOf(service.control, payer.address)).toEqual([]);
  expect(sites.reached.some((one) => one.startsWith(host))).toBe(false);
});

test('whoever only looks, by HEAD, pays by no proof in the address either', async () => {
  const payer = await chain.payer();
  const path = pathOf(fresh());
  const header = await sign(payer, challengeOf(await get(path)).accepts[0]);
  const proven = `${path}&payment_proof=${encodeURIComponent(header)}`;
  const looked = await fetch(service.url + proven, { method: 'HEAD' });
  expect(looked.status).toBe(402);
  expect(await statesOf(service.control, payer.address)).toEqual([]);
  expect((await get(proven)).status).toBe(200);
  expect(await chain.balanceOf(payer.address)).toBe(999_990_000n);
});

test('an empty wallet cannot pay', async () => {
  const payer = await chain.payer(0n);
  const path = pathOf(fresh());
  const answer = await get(path, paying(await sign(payer, challengeOf(await get(path)).accepts[0])));
  expect([answer.status, answer.body.error]).toEqual([402, 'invalid_exact_evm_insufficient_balance']);
});

test.each([
  'nonsense',
  '',
  'AAAA',
  Buffer.from('{}').toString('base64'),
  Buffer.from('[1]').toString('base64'),
  'A'.repeat(9_000),
])('a header that is no payment is 402: %.20s', async (text) => {
  for (const name of ['payment-signature', 'x-payment']) {
    const answer = await get('/api/x402-audit', { [name]: text });
    expect(answer.status).toBe(402);
    expect(challengeOf(answer).accepts).toHaveLength(1);
  }
});

test('a bad target is refused once a payment is there, and the payment stays good', async () => {
  const payer = await chain.payer();
  const bad = pathOf('https://127.0.0.1/');
  const header = await sign(payer, challengeOf(await get(bad)).accepts[0]);
  expect((await get(bad, paying(header))).status).toBe(400);
  expect((await get('/api/x402-audit?url=a&url=b', paying(header))).status).toBe(400);
  expect(await chain.balanceOf(payer.address)).toBe(1_000_000_000n);
  expect((await get(pathOf(fresh()), paying(header))).status).toBe(200);
});

test('an audit that fails costs nothing, and the same payment buys it when the site is back', async () => {
  const path = pathOf('shaky.audit-sites.net');
  down = true;
  const { payer, header, answer } = await buy(path);
  expect(answer.status).toBe(502);
  expect(answer.headers.get('payment-response')).toBeNull();
  expect(await chain.balanceOf(payer.address)).toBe(1_000_000_000n);
  expect(await statesOf(service.control, payer.address)).toMatchObject([{ state: 'released', tx_hash: null }]);
  down = false;
  expect((await get(path, paying(header))).status).toBe(200);
  expect(await chain.balanceOf(payer.address)).toBe(999_990_000n);
});

test('of three copies at once one is served', async () => {
  const payer = await chain.payer();
  const path = pathOf(fresh());
  const header = await sign(payer, challengeOf(await get(path)).accepts[0]);
  const answers = await Promise.all([1, 2, 3].map(() => get(path, paying(header))));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 402, 402]);
  expect(await chain.balanceOf(payer.address)).toBe(999_990_000n);
});

test('thirty payers at once are all served', async () => {
  const before = await books(chain, service.control, payTo);
  const payers = await Promise.all(Array.from({ length: 30 }, () => chain.payer()));
  const orders = await Promise.all(
    payers.map(async (payer) => {
      const path = pathOf(fresh());
      return { path, header: await sign(payer, challengeOf(await get(path)).accepts[0]) };
    }),
  );
  const answers = await Promise.all(orders.map(({ path, header }) => served(() => get(path, paying(header)))));
  expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
  const after = await books(chain, service.control, payTo);
  expect(after.received - before.received).toBe(300_000n);
  expect(after.orders - before.orders).toBe(30);
  expect(after.revenue).toBe(after.received);
});

test('a payment that somebody else brought onto the chain first is served, once', async () => {
  const payer = await chain.payer();
  const path = pathOf(fresh());
  const header = await sign(payer, challengeOf(await get(path)).accepts[0]);
  const { transactionHash } = await chain.send(chain.usdc, broadcastOf(readPresented(header)));
  const answer = await get(path, paying(header));
  expect(answer.status).toBe(200);
  expect(decoded(answer.headers.get('payment-response')).transaction).toBe(transactionHash);
  expect((await get(path, paying(header))).status).toBe(402);
  const { received, revenue } = await books(chain, service.control, payTo);
  expect(revenue).toBe(received);
});

test('a client that names its payment gets its answer once more, and nobody else does', async () => {
  const identifier = `order_${randomBytes(12).toString('hex')}`;
  const path = pathOf(fresh());
  const { header, answer } = await buy(path, { identifier });
  expect(answer.status).toBe(200);
  await expect.poll(async () => (await get(path, paying(header))).status).toBe(200);
  const again = await get(path, paying(header));
  expect(again.body).toStrictEqual(answer.body);
  expect(again.headers.get('payment-response')).toBe(answer.headers.get('payment-response'));
  const other = await buy(path, { identifier });
  expect(other.answer.status).toBe(409);
  expect(await chain.balanceOf(other.payer.address)).toBe(1_000_000_000n);
  expect((await buy(path, { identifier: 'short' })).answer.status).toBe(402);
});

test('the graph sells the same, with the same headers', async () => {
  const host = fresh();
  const query = `mutation { auditBuy(input: { url: "${host}" }) { domain geoScore findings { check } } }`;
  const ask = (headers = {}) =>
    service.call<{ data: { auditBuy: unknown }; errors?: { extensions: Record<string, never> }[] }>(
      nobody,
      'POST',
      '/graphql',
      { body: { query }, headers },
    );
  const asked = await ask();
  expect(asked.status).toBe(402);
  expect(asked.body.errors).toMatchObject([
    {
      message: expect.stringMatching(/^Full GEO, schema and llms\.txt audit\. Sign the payment that PAYMENT-REQUIRED /),
      extensions: { code: 'PAYMENT_REQUIRED' },
    },
  ]);
  const challenge = challengeOf(asked);
  expect(asked.body.errors![0]!.extensions.details).toMatchObject({ challenge });
  const payer = await chain.payer();
  const bought = await ask(paying(await sign(payer, challenge.accepts[0])));
  expect(bought.status).toBe(200);
  expect(bought.body.data.auditBuy).toMatchObject({ domain: host });
  expect(decoded(bought.headers.get('payment-response')).success).toBe(true);
});
