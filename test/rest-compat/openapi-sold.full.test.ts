import { randomBytes } from 'node:crypto';
import { getAddress } from 'viem';
import { afterAll, expect, test } from 'vitest';
import { shop } from '../audit/fixture-sites.ts';
import { startChain } from '../helpers/chain.ts';
import { describedBy } from '../helpers/described.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { challengeOf, decoded, paying, sign } from '../payments/shop.ts';

// What is sold, held against its description: every path and status once, on a chain of the test's own.

const chain = await startChain();
const names = Array.from({ length: 40 }, (_one, at) => `s${at}.audit-sites.net`);
const sites = await startSites({
  'shop.audit-sites.net': shop,
  'much.audit-sites.net': { '/': '<title>Much asked for</title>' },
  'example.com': { '/': '<title>Example</title>' },
  ...Object.fromEntries(names.map((name) => [name, { '/': `<title>${name}</title>` }])),
});
const service = await startService({
  auditTrial: sites.trial,
  nodes: 1,
  env: {
    SETTLEMENT_ADDRESS: getAddress(`0x${randomBytes(20).toString('hex')}`),
    X402_SETTLER_KEY: chain.settlerKey,
    RPC_URL_BASE: chain.rpcUrl,
    TRUSTED_PROXIES: '127.0.0.1/32',
  },
});
let stopped = false;
const stopChain = async () => {
  if (!stopped) await chain.stop();
  stopped = true;
};
afterAll(async () => {
  await service.stop();
  sites.close();
  await stopChain();
});
const { nobody } = service.actors;

let last = 0;
const from = () => {
  last += 1;
  return { 'x-forwarded-for': `203.0.${Math.floor(last / 250)}.${(last % 250) + 1}` };
};

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by its keys.
const api = describedBy((await service.call<any>(nobody, 'GET', '/openapi.json')).body);
const sold = api.operations.filter((name) => name.includes('/api/x402-'));

/** A request of one of the paths, for a site or a domain. */
function requestOf(name: string, target?: string) {
  const [method, path] = name.split(' ') as [string, string];
  const field = /buyout|source/.test(path) ? 'buyer_domain' : 'url';
  const given = target === undefined ? {} : { [field]: target };
  const search = method === 'GET' && target !== undefined ? `?${new URLSearchParams(given)}` : '';
  return { method, path, search, body: method === 'POST' ? given : undefined };
}

async function ask(name: string, target?: string, headers: Record<string, string> = {}) {
  const { method, path, search, body } = requestOf(name, target);
  const options = { headers: { ...from(), ...headers }, ...(body === undefined ? {} : { body }) };
  const answer = await service.call<{ code?: string; bundle?: { download_url: string } }>(
    nobody,
    method,
    path + search,
    options,
  );
  api.expectDescribed(method, path, answer);
  return answer;
}

const payer = await chain.payer(20_000_000_000n);

/** The headers of a payment for exactly this request. */
async function paymentFor(name: string, target?: string): Promise<Record<string, string>> {
  const [offer] = challengeOf(await ask(name, target)).accepts;
  return paying(await sign(payer, offer));
}

test('without a payment each path names its price, as the description has it', async () => {
  expect(sold).toHaveLength(12);
  for (const name of sold) {
    const { method, path } = requestOf(name);
    const answer = await ask(name);
    expect([name, answer.status]).toEqual([name, 402]);
    const described = api.document.paths[path][method.toLowerCase()];
    const [offer] = challengeOf(answer).accepts;
    const { amount, asset, payTo } = described['x-payment-info'];
    expect([offer.amount, offer.asset, offer.payTo]).toEqual([amount, asset, payTo]);
    // The example is the challenge of an installation under another name.
    const example = described.responses['402'].headers['PAYMENT-REQUIRED'].example;
    expect(decoded(example).accepts).toEqual(challengeOf(answer).accepts);
  }
});

test('with one each path sells what is described', async () => {
  for (const name of sold) {
    const target = names.pop()!;
    const answer = await ask(name, target, await paymentFor(name, target));
    expect([name, answer.status, answer.text.slice(0, 300)]).toEqual([name, 200, expect.any(String)]);
    expect(decoded(answer.headers.get('payment-response'))).toMatchObject({ success: true });
  }
});

test('what was bought is downloaded as described', async () => {
  const name = 'GET /api/x402-pro';
  const target = names.pop()!;
  const { body } = await ask(name, target, await paymentFor(name, target));
  const { pathname } = new URL(body.bundle!.download_url, service.url);
  const path = '/api/downloads/{token}';
  for (const [asked, status] of [
    [pathname, 200],
    ['/api/downloads/nobodys', 404],
    ['/api/downloads/%zz', 400],
  ] as const) {
    const answer = await service.call(nobody, 'GET', asked);
    api.expectDescribed('GET', path, answer);
    expect([asked, answer.status]).toEqual([asked, status]);
  }
});

test('a bad target is refused once a payment is there', async () => {
  for (const name of sold) {
    const answer = await ask(name, 'https://localhost', await paymentFor(name));
    expect([name, answer.status, answer.body.code]).toEqual([name, 400, 'restricted_host']);
  }
});

test('a body that is too large is refused', async () => {
  for (const name of sold.filter((one) => one.startsWith('POST')))
    expect((await ask(name, 'x'.repeat(64 * 1024))).status).toBe(413);
});

test('what cannot be reached, and what is reached too often, is said', async () => {
  const audited = sold.filter((name) => !/buyout|source/.test(name));
  for (const name of audited) {
    // A host that is asked for too often is refused before it is looked for.
    const nowhere = `${name.replace(/\W+/g, '-').toLowerCase()}.audit-sites.net`;
    const lost = await ask(name, nowhere, await paymentFor(name, nowhere));
    expect([name, lost.status, lost.body.code]).toEqual([name, 502, 'dns_failure']);
    await expect
      .poll(
        async () => (await ask(name, 'much.audit-sites.net', await paymentFor(name, 'much.audit-sites.net'))).status,
        { interval: 1 },
      )
      .toBe(429);
  }
});

test('while the chain is away nothing is sold', async () => {
  const signed: [string, string | undefined, Record<string, string>][] = [];
  for (const name of sold) {
    const target = names.pop()!;
    signed.push([name, target, await paymentFor(name, target)]);
  }
  await stopChain();
  for (const [name, target, headers] of signed) {
    const answer = await ask(name, target, headers);
    expect([name, answer.status, answer.body.code]).toEqual([name, 503, 'payments_unavailable']);
  }
});

test('every status that is described was seen', () => {
  const shown = [...sold, 'GET /api/downloads/{token}'];
  expect(api.unseen().filter((one) => shown.some((name) => one.startsWith(`${name} `)))).toEqual([]);
});
