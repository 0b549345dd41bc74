import { randomBytes } from 'node:crypto';
import { ExactEvmScheme } from '@x402/evm';
import { wrapFetchWithPaymentFromConfig } from '@x402/fetch';
import { unzipSync } from 'fflate';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { getAddress } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, expect, test } from 'vitest';
import { sha256Of } from '../../engines/bundles/bundle-file.ts';
import { docs, shop } from '../audit/fixture-sites.ts';
import { startChain } from '../helpers/chain.ts';
import { startService } from '../helpers/service.ts';
import { startSites } from '../helpers/site-server.ts';
import { challengeOf, decoded, paying, sign } from '../payments/shop.ts';

const payTo = getAddress(`0x${randomBytes(20).toString('hex')}`);
const chain = await startChain();
const hostile = {
  '/': {
    body: `<title>=HYPERLINK("x") | a</title><script type="application/ld+json">{"@type":"=cmd"}</script>`,
  },
  '/robots.txt': 'User-agent: *\nDisallow: /\n',
};
const sites = await startSites({
  'shop.audit-sites.net': shop,
  'docs.audit-sites.net': docs,
  'hostile.audit-sites.net': hostile,
  'buyer.audit-sites.net': docs,
  'example.com': { '/': '<title>Example</title>' },
  'down.audit-sites.net': (request) => void request.socket.destroy(),
});
const service = await startService({
  auditTrial: sites.trial,
  nodes: 1,
  env: {
    SETTLEMENT_ADDRESS: payTo,
    X402_SETTLER_KEY: chain.settlerKey,
    RPC_URL_BASE: chain.rpcUrl,
    SELLER_NAME: 'Fell & Ridge | Tools Ltd',
    GOVERNING_LAW: 'Ireland',
  },
});
afterAll(async () => {
  await service.stop();
  sites.close();
  await chain.stop();
});

const packPaths = ['/api/x402-pro', '/api/x402-pro-pack', '/api/x402-joint-bundle'];
const sourcePaths = ['/api/x402-buyout', '/api/x402-source-bundle'];
const pro = 1_000_000n;
const buyout = 950_000_000n;

/** The published client as it comes; whoever spends more than a dollar has to say so. */
const paidFetch = (payer: PrivateKeyAccount, most?: string) =>
  wrapFetchWithPaymentFromConfig(fetch, {
    schemes: [{ network: 'eip155:8453', client: new ExactEvmScheme(payer) }],
    ...(most === undefined ? {} : { spendControls: { maxAmountPerPayment: most } }),
  });

const keySet = async () =>
  createLocalJWKSet((await (await fetch(`${service.url}/.well-known/jwks.json`)).json()) as JSONWebKeySet);

const ordersOf = (payer: PrivateKeyAccount) =>
  service.control.sql<{ tier: string; price_usd: string; domain: string; tx_hash: string; bundle_sha256: string }>(
    `select o.tier, o.price_usd::text, o.domain, o.tx_hash, o.bundle_sha256 from orders o
     join payments p on p.id = o.payment_id and p.state in ('settled', 'delivered') and p.tx_hash = o.tx_hash
     where o.payer = $1`,
    [payer.address],
  );

/** Everything that a sale has to leave behind, on the chain and in the books. */
async function expectSale(answer: Response, payer: PrivateKeyAccount, before: bigint, price: bigint) {
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toContain('no-store');
  const settlement = decoded(answer.headers.get('payment-response'));
  expect(settlement).toMatchObject({ success: true, network: 'eip155:8453' });
  expect((await chain.balanceOf(payTo)) - before).toBe(price);
  const [order] = await ordersOf(payer);
  expect(order!.tx_hash).toBe(settlement.transaction.toLowerCase());
  return order!;
}

const textOf = (file: Uint8Array | undefined) => Buffer.from(file!).toString();

test.each([...packPaths.map((path) => [path, pro] as const), ...sourcePaths.map((path) => [path, buyout] as const)])(
  'whoever brings no payment to %s is told the price, whatever the request holds',
  async (path, price) => {
    for (const [method, search, body] of [
      ['GET', '', undefined],
      ['GET', '?url=http://127.0.0.1/&buyer_domain=localhost', undefined],
      ['POST', '', undefined],
      ['POST', '', '{"url":5,"buyer_domain":[]}'],
      ['POST', '', '{'],
    ] as const) {
      const answer = await service.call<{ x402Version: number; accepts: { maxAmountRequired: string }[] }>(
        service.actors.nobody,
        method,
        path + search,
        { ...(body === undefined ? {} : { body }), headers: { accept: 'application/zip' } },
      );
      expect([method, search, body, answer.status]).toEqual([method, search, body, 402]);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(answer.body).toMatchObject({ x402Version: 1, accepts: [{ maxAmountRequired: String(price) }] });
      const { accepts, resource } = challengeOf(answer);
      expect(accepts).toMatchObject([{ amount: String(price), maxTimeoutSeconds: 300, payTo, network: 'eip155:8453' }]);
      expect(resource.url).toBe(service.url + path + search);
    }
  },
);

test.each(packPaths.flatMap((path) => [['GET', path] as const, ['POST', path] as const]))(
  'the published client buys a pack by %s %s, and what it gets can be checked',
  async (method, path) => {
    const payer = await chain.payer();
    const before = await chain.balanceOf(payTo);
    const host = 'shop.audit-sites.net/shoes';
    // A host is read six times a minute, and this is the seventh time and on.
    await service.control.sql('delete from audit_hosts');
    const answer = await paidFetch(payer)(service.url + path + (method === 'GET' ? `?url=${host}` : ''), {
      method,
      ...(method === 'GET'
        ? {}
        : { body: JSON.stringify({ url: host }), headers: { 'content-type': 'application/json' } }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the body is looked at member by member.
    const body = (await answer.json()) as any;
    const order = await expectSale(answer, payer, before, pro);
    expect(order).toMatchObject({ tier: 'pro', price_usd: '1.00', domain: 'shop.audit-sites.net' });
    expect(body).toMatchObject({ ok: true, tier: 'pro', domain: 'shop.audit-sites.net', geo_score: 82 });
    expect(body.report.checks).toHaveLength(43);
    expect(body.generated_jsonld).not.toContain('redacted');
    const inline = Buffer.from(body.bundle.base64, 'base64');
    expect([inline.length, sha256Of(inline)]).toEqual([body.bundle.bytes, body.bundle.sha256]);
    expect(order.bundle_sha256).toBe(body.bundle.sha256);
    const downloaded = await fetch(body.bundle.download_url);
    expect(Buffer.from(await downloaded.arrayBuffer())).toEqual(inline);
    const files = unzipSync(inline);
    const manifest = await service.call<{ templates: { id: string; files: string[] }[] }>(
      service.actors.nobody,
      'GET',
      '/api/package-manifest',
    );
    const template = manifest.body.templates.find(({ id }) => id === 'pro-pack')!;
    expect(Object.keys(files).sort()).toEqual([...template.files].sort());
    const { files: listed } = JSON.parse(textOf(files['manifest.json']));
    expect(listed).toHaveLength(12);
    for (const file of listed) expect(sha256Of(files[file.path]!)).toBe(file.sha256);
    const { base64: _bytes, ...told } = body.bundle;
    expect(told).toMatchObject({ media_type: 'application/zip', filename: 'pro-pack-shop.audit-sites.net.zip' });
    // The facts of the order are signed, and the key is published.
    const { signature, key_id, ...facts } = JSON.parse(textOf(files['order.json']));
    const signed = await compactVerify(signature, await keySet());
    expect(signed.protectedHeader).toMatchObject({ typ: 'order+json', kid: key_id });
    expect(JSON.parse(Buffer.from(signed.payload).toString())).toEqual(facts);
    expect(facts).toMatchObject({
      order_id: body.order.id,
      tx: body.order.tx,
      payer: payer.address,
      price_usd: '1.00',
    });
    // What is in the pack is what the answer says.
    const { order: _order, bundle: _bundle, ...audit } = body;
    expect(JSON.parse(textOf(files['audit.json']))).toEqual(audit);
    expect(textOf(files['llms.txt'])).toBe(body.generated_llms_txt);
    expect(textOf(files['jsonld/site.jsonld'])).toBe(body.generated_jsonld);
    expect(textOf(files['robots.additions.txt'])).toContain('User-agent: GPTBot');
  },
);

test('whoever accepts an archive gets the archive itself, and whoever accepts more gets JSON', async () => {
  const payer = await chain.payer();
  const before = await chain.balanceOf(payTo);
  const answer = await paidFetch(payer)(`${service.url}/api/x402-pro?url=docs.audit-sites.net`, {
    headers: { accept: 'application/zip, application/json;q=0.5' },
  });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const order = await expectSale(answer, payer, before, pro);
  expect(answer.headers.get('content-type')).toBe('application/zip');
  expect(answer.headers.get('etag')).toBe(`"${order.bundle_sha256}"`);
  expect(sha256Of(bytes)).toBe(order.bundle_sha256);
  expect(Object.keys(unzipSync(bytes))).toContain('report.md');
});

test('text of a hostile page is neither run nor rendered', async () => {
  const payer = await chain.payer();
  const answer = await paidFetch(payer)(`${service.url}/api/x402-pro?url=hostile.audit-sites.net`, {
    headers: { accept: 'application/zip' },
  });
  const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
  for (const line of textOf(files['checks.csv']).trim().split('\n'))
    for (const cell of line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)) expect(cell).not.toMatch(/^"?[=+\-@]/);
  expect(textOf(files['meta/head.html'])).toContain('&quot;');
  expect(textOf(files['jsonld/snippet.html']).match(/<\/script/g)).toHaveLength(1);
});

test('without a body the pack is of the default site', async () => {
  const answer = await paidFetch(await chain.payer())(`${service.url}/api/x402-pro`, { method: 'POST' });
  expect(await answer.json()).toMatchObject({ ok: true, domain: 'example.com', target_url: 'https://example.com/' });
});

test.each(sourcePaths)('the published client buys the source at %s, with its transfer', async (path) => {
  const payer = await chain.payer();
  const before = await chain.balanceOf(payTo);
  const answer = await paidFetch(payer, '$1000')(`${service.url}${path}?buyer_domain=buyer.audit-sites.net`);
  // biome-ignore lint/suspicious/noExplicitAny: the body is looked at member by member.
  const body = (await answer.json()) as any;
  const order = await expectSale(answer, payer, before, buyout);
  expect(order).toMatchObject({ tier: 'buyout', price_usd: '950.00', domain: 'buyer.audit-sites.net' });
  expect(body).toMatchObject({ ok: true, tier: 'buyout', domain: 'buyer.audit-sites.net', report_error: null });
  expect(body.geo_score).toBeGreaterThan(0);
  expect(body.archive.base64).toBeUndefined();
  // What is delivered is what the manifest names.
  const { archives } = (await (await fetch(`${service.url}/api/package-manifest`)).json()) as {
    archives: { id: string; sha256: string; filename: string }[];
  };
  const source = archives.find(({ id }) => id === 'source')!;
  expect(body.archive).toMatchObject({ sha256: source.sha256, filename: source.filename });
  const downloaded = new Uint8Array(await (await fetch(body.archive.download_url)).arrayBuffer());
  expect(sha256Of(downloaded)).toBe(source.sha256);
  expect(Object.keys(unzipSync(downloaded))).toContain('engines/bundles/ip-transfer.ts');
  // The licence and the transfer verify offline.
  const keys = await keySet();
  const { payload } = await jwtVerify(body.licence.license_key, keys, {
    algorithms: ['EdDSA'],
    typ: 'license+jwt',
    issuer: service.url,
  });
  expect(payload).toMatchObject({
    sub: payer.address,
    plan: 'buyout',
    price_usd: '950.00',
    net: 'eip155:8453',
    tx: order.tx_hash,
    dom: 'buyer.audit-sites.net',
  });
  const documents = Object.fromEntries(
    body.licence.documents.map(({ filename, content, sha256 }: Record<string, string>) => {
      expect(sha256Of(Buffer.from(content!))).toBe(sha256);
      return [filename, content];
    }),
  ) as Record<string, string>;
  expect(Object.keys(documents)).toEqual(['IP-TRANSFER.md', 'ip-transfer.json', 'ip-transfer.jws']);
  const facts = JSON.parse(documents['ip-transfer.json']!);
  expect(facts).toMatchObject({
    seller: 'Fell & Ridge | Tools Ltd',
    governing_law: 'Ireland',
    buyer_domain: 'buyer.audit-sites.net',
    object: { sha256: source.sha256 },
    transaction: body.order.tx,
    transferred_at: body.order.paid_at,
    licence_id: payload.jti,
  });
  const signed = await compactVerify(documents['ip-transfer.jws']!.trim(), keys);
  expect(signed.protectedHeader.typ).toBe('ip-transfer+json');
  expect(Buffer.from(signed.payload).toString()).toBe(documents['ip-transfer.json']);
  for (const text of [source.sha256, 'Fell & Ridge \\| Tools Ltd', 'Ireland', body.order.tx, '950.00 USDC']) {
    expect(documents['IP-TRANSFER.md']).toContain(text);
  }
  const set = unzipSync(new Uint8Array(await (await fetch(body.licence.download_url)).arrayBuffer()));
  expect(Object.keys(set).sort()).toEqual(Object.keys(documents).sort());
});

test('the source is sold to a domain whose site is down, and the archive itself can be the answer', async () => {
  const payer = await chain.payer();
  const before = await chain.balanceOf(payTo);
  const answer = await paidFetch(payer, '$1000')(`${service.url}/api/x402-buyout`, {
    method: 'POST',
    body: JSON.stringify({ buyer_domain: 'down.audit-sites.net' }),
    headers: { 'content-type': 'application/json', accept: 'application/zip' },
  });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const order = await expectSale(answer, payer, before, buyout);
  expect(sha256Of(bytes)).toBe(order.bundle_sha256);
  await jwtVerify(answer.headers.get('x-license-key')!, await keySet(), { algorithms: ['EdDSA'] });
  const [, documents] = /^<([^>]+)>; rel="license"/.exec(answer.headers.get('link')!)!;
  const set = unzipSync(new Uint8Array(await (await fetch(documents!)).arrayBuffer()));
  expect(JSON.parse(textOf(set['ip-transfer.json']))).toMatchObject({ buyer_domain: 'down.audit-sites.net' });
});

test.each([
  ['/api/x402-pro?url=http://plain.example.com/', 400],
  ['/api/x402-pro?url=127.0.0.1', 400],
  ['/api/x402-pro?url=down.audit-sites.net', 502],
  ['/api/x402-buyout?buyer_domain=localhost', 400],
  ['/api/x402-buyout?buyer_domain=buyer.audit-sites.net/shop', 400],
  ['/api/x402-buyout?buyer_domain=10.0.0.1', 400],
])('%s is refused with %i once it is paid for, and no token moves', async (path, status) => {
  const payer = await chain.payer();
  const before = await chain.balanceOf(payTo);
  const { body: _body, ...challenge } = await service.call(service.actors.nobody, 'GET', path);
  const header = await sign(payer, challengeOf(challenge).accepts[0]);
  const answer = await service.call(service.actors.nobody, 'GET', path, { headers: paying(header) });
  expect(answer.status).toBe(status);
  expect(await chain.balanceOf(payTo)).toBe(before);
  expect(await ordersOf(payer)).toEqual([]);
});

test('a payment is good for one sale: its other use is refused, and its order is one', async () => {
  const payer = await chain.payer();
  const path = '/api/x402-pro?url=docs.audit-sites.net';
  const challenge = await service.call(service.actors.nobody, 'GET', path);
  const header = await sign(payer, challengeOf(challenge).accepts[0]);
  const statuses = await Promise.all(
    Array.from(
      { length: 3 },
      async () => (await service.call(service.actors.nobody, 'GET', path, { headers: paying(header) })).status,
    ),
  );
  expect(statuses.toSorted()).toEqual([200, 402, 402]);
  expect(await ordersOf(payer)).toHaveLength(1);
});

test('the graph sells the same', async () => {
  const payer = await chain.payer();
  const before = await chain.balanceOf(payTo);
  const query = `mutation { proPackBuy(input: { url: "docs.audit-sites.net" }) {
    order { orderId tier priceUsd transaction payer } bundle { filename sha256 bytes downloadUrl base64 } result } }`;
  const answer = await paidFetch(payer)(`${service.url}/graphql`, {
    method: 'POST',
    body: JSON.stringify({ query }),
    headers: { 'content-type': 'application/json' },
  });
  // biome-ignore lint/suspicious/noExplicitAny: the body is looked at member by member.
  const { data } = (await answer.json()) as any;
  expect(data.proPackBuy.order).toMatchObject({ tier: 'pro', priceUsd: '1.00', payer: payer.address });
  expect(sha256Of(Buffer.from(data.proPackBuy.bundle.base64, 'base64'))).toBe(data.proPackBuy.bundle.sha256);
  expect((await chain.balanceOf(payTo)) - before).toBe(pro);
});

test('an installation in production without a signing key sells nothing that has to be signed, and asks for its price', async () => {
  const production = await startService({
    auditTrial: sites.trial,
    nodes: 1,
    env: {
      NODE_ENV: 'production',
      PUBLIC_BASE_URL: 'https://gateway.example.com',
      PLATFORM_DOMAIN: 'apps.example.com',
      SVC_SECRET_KEY: randomBytes(32).toString('hex'),
      SETTLEMENT_ADDRESS: payTo,
      X402_SETTLER_KEY: chain.settlerKey,
      RPC_URL_BASE: chain.rpcUrl,
    },
  });
  try {
    const payer = await chain.payer();
    const before = await chain.balanceOf(payTo);
    for (const path of ['/api/x402-pro?url=docs.audit-sites.net', '/api/x402-buyout']) {
      const challenge = await production.call(production.actors.nobody, 'GET', path);
      expect(challenge.status).toBe(402);
      const header = await sign(payer, challengeOf(challenge).accepts[0]);
      const answer = await production.call(production.actors.nobody, 'GET', path, { headers: paying(header) });
      expect([path, answer.status]).toEqual([path, 503]);
    }
    expect(await chain.balanceOf(payTo)).toBe(before);
    const { body } = await production.call<{ keys: unknown[] }>(
      production.actors.nobody,
      'GET',
      '/.well-known/jwks.json',
    );
    expect(body.keys).toEqual([]);
  } finally {
    await production.stop();
  }
});
