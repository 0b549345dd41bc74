import { createHmac } from 'node:crypto';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, describe, expect, test } from 'vitest';
import { routes } from '../../rest-compat/routes.ts';
import { shop } from '../audit/fixture-sites.ts';
import { describedBy, pointerTo } from '../helpers/described.ts';
import { type PgProxy, startPgProxy } from '../helpers/pg-proxy.ts';
import { startService } from '../helpers/service.ts';
import { type Answerer, startSites } from '../helpers/site-server.ts';

// The description of the API, and whether it is true. Contract 00, section 6.1.

/** Lets the held pages go. */
let release: () => void = () => undefined;
const held = new Promise<void>((open) => {
  release = open;
});
/** More than may be read and wait at once. */
const slow = Array.from({ length: 91 }, (_one, at) => `slow${at}.audit-sites.net`);
const sites = await startSites({
  'shop.audit-sites.net': shop,
  'example.com': { '/': '<title>Example</title>' },
  'many.audit-sites.net': { '/': '<title>Many</title>' },
  ...Object.fromEntries(
    slow.map(
      (host) =>
        [
          host,
          async (_request, response) => {
            await held;
            response.end('<title>Slow</title>');
          },
        ] satisfies [string, Answerer],
    ),
  ),
});
let proxy: PgProxy | undefined;
const service = await startService({
  auditTrial: sites.trial,
  nodes: 1,
  databaseUrl: async (control) => {
    proxy = await startPgProxy(control.url);
    return proxy.url;
  },
  env: { TRUSTED_PROXIES: '127.0.0.1/32', NEAR_AGENTS_SECRET: 'a-secret-of-the-market' },
});
afterAll(async () => {
  release();
  await service.stop();
  await proxy?.close();
  sites.close();
});
const { nobody } = service.actors;

let last = 0;
const from = () => {
  last += 1;
  return { 'x-forwarded-for': `203.0.${Math.floor(last / 250)}.${(last % 250) + 1}` };
};

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by its keys.
const served = await service.call<any>(nobody, 'GET', '/openapi.json');
const api = describedBy(served.body);
const { document } = api;

const both = (...paths: string[]) => paths.flatMap((path) => [`GET ${path}`, `POST ${path}`]);

/** Copied by hand from the contract. Contract 00, sections 0.1 and 5.4. */
const documented = [
  'GET /api/health',
  ...both('/api/audit', '/api/x402-audit'),
  ...both('/api/x402-pro', '/api/x402-pro-pack', '/api/x402-joint-bundle'),
  ...both('/api/x402-buyout', '/api/x402-source-bundle'),
  'POST /api/verify-tx',
  'GET /api/stats',
  'POST /api/inquiry',
  ...both('/api/mcp', '/api/a2a', '/api/near-agents'),
  'GET /api/package-manifest',
  'GET /api/downloads/{token}',
];

/** Paths whose every status is shown by other tests, each with the one. */
const shownElsewhere: Record<string, string> = {
  '/api/x402-audit': 'test/rest-compat/openapi-sold.full.test.ts',
  '/api/x402-pro': 'test/rest-compat/openapi-sold.full.test.ts',
  '/api/x402-pro-pack': 'test/rest-compat/openapi-sold.full.test.ts',
  '/api/x402-joint-bundle': 'test/rest-compat/openapi-sold.full.test.ts',
  '/api/x402-buyout': 'test/rest-compat/openapi-sold.full.test.ts',
  '/api/x402-source-bundle': 'test/rest-compat/openapi-sold.full.test.ts',
  '/api/downloads/{token}': 'test/rest-compat/openapi-sold.full.test.ts',
};
const pathOf = (name: string) => name.split(' ')[1]!;
const shownHere = api.operations.filter((name) => !(pathOf(name) in shownElsewhere));

describe('the document', () => {
  test('is OpenAPI 3.1 as the specification demands it', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect([valid, errors]).toEqual([true, undefined]);
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({ title: expect.stringContaining('4.0'), version: '5.0.0' });
    expect(document.info.description).toMatch(/deterministic contract-redlining, DPA and clause-risk scoring engine/);
    expect(document.servers).toEqual([{ url: '/' }]);
  });

  test('has all that is served under /api, and nothing else', () => {
    const routed = routes
      .filter(({ path }) => path.startsWith('/api/'))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(api.operations).toEqual(expect.arrayContaining([...routed, ...documented]));
    expect(new Set(api.operations).size).toBe(api.operations.length);
  });

  test('names what is paid, how and to whom', () => {
    const prices: Record<string, string> = { audit: '10000', pro: '1000000', buyout: '950000000' };
    const sold = documented.filter((name) => /x402-|\/api\/audit/.test(name));
    for (const name of sold) {
      const [method, path] = name.split(' ') as [string, string];
      const operation = document.paths[path][method.toLowerCase()];
      const tier = /audit$/.test(path) ? 'audit' : /pro|joint/.test(path) ? 'pro' : 'buyout';
      expect([name, operation['x-payment-info']]).toEqual([
        name,
        {
          scheme: 'exact',
          network: 'base',
          asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
          amount: prices[tier],
          payTo: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        },
      ]);
      const proof = path === '/api/x402-audit' ? [{ paymentProof: [] }] : [];
      expect([name, operation.security]).toEqual([name, [{}, { paymentSignature: [] }, { xPayment: [] }, ...proof]]);
      const body = operation.responses['402'].content['application/json'].schema;
      const version = path === '/api/audit' ? 'ChallengeV2' : 'ChallengeV1';
      expect([name, body]).toEqual([name, { $ref: `#/components/schemas/${version}` }]);
      expect(Object.keys(operation.responses['402'].headers)).toContain('PAYMENT-REQUIRED');
      expect(Object.keys(operation.responses['200'].headers)).toEqual(
        expect.arrayContaining(['PAYMENT-RESPONSE', 'X-PAYMENT-RESPONSE']),
      );
    }
    const elsewhere = api.operations.filter((name) => !sold.includes(name));
    for (const name of elsewhere) {
      const [method, path] = name.split(' ') as [string, string];
      expect([name, document.paths[path][method.toLowerCase()].security]).toEqual([name, undefined]);
    }
  });

  test('names each operation and each shape once', () => {
    const ids = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^(get|post)[A-Z][A-Za-z0-9]+$/);
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining([
        'AuditResult',
        'VerifyRequest',
        'VerifyPending',
        'VerifyVerified',
        'Manifest',
        'ChallengeV1',
        'ChallengeV2',
        'PaymentPayloadV1',
        'PaymentPayloadV2',
        'SettlementObject',
        'Problem',
        'Health',
        'Stats',
        'Inquiry',
        'JsonRpcRequest',
        'JsonRpcResponse',
      ]),
    );
    expect(Object.keys(document.components.securitySchemes)).toEqual(['paymentSignature', 'xPayment', 'paymentProof']);
  });

  test('tells nothing that is of the gateway alone', () => {
    expect(served.text).not.toMatch(/"secret"|\$defs|"additionalProperties":false/);
  });

  test('is given again only when it has changed', async () => {
    expect(served.headers.get('content-type')).toBe('application/json');
    const etag = served.headers.get('etag')!;
    expect(etag).toMatch(/^"[\w-]+"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await service.call(nobody, 'GET', '/openapi.json', { headers: { 'if-none-match': known } });
      expect([known, again.status, again.text, again.headers.get('etag')]).toEqual([known, 304, '', etag]);
    }
    const other = await service.call(nobody, 'GET', '/openapi.json', { headers: { 'if-none-match': '"other"' } });
    expect([other.status, other.text]).toEqual([200, served.text]);
  });

  test('every example fits its schema', () => {
    const looked: string[] = [];
    const look = (node: unknown, ...steps: string[]): void => {
      if (typeof node !== 'object' || node === null) return;
      const one = node as { schema?: object; example?: unknown; examples?: Record<string, { value: unknown }> };
      if (one.schema !== undefined) {
        const values = [
          ...('example' in one ? [one.example] : []),
          ...Object.values(one.examples ?? {}).map(({ value }) => value),
        ];
        for (const value of values) {
          looked.push(steps.join(' '));
          expect([steps, api.faults(pointerTo(...steps, 'schema'), value)]).toEqual([steps, undefined]);
        }
      }
      for (const [name, member] of Object.entries(node)) look(member, ...steps, name);
    };
    look(document.paths, 'paths');
    for (const name of api.operations) {
      const [method, path] = name.split(' ') as [string, string];
      const success = document.paths[path][method.toLowerCase()].responses['200'].content;
      if ('application/json' in success)
        expect(looked).toContain(`paths ${path} ${method.toLowerCase()} responses 200 content application/json`);
    }
  });
});

/** Jobs are signed by who sends them. */
const signed = (body: unknown) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { 'x-signature': `sha256=${createHmac('sha256', 'a-secret-of-the-market').update(text).digest('hex')}` };
};

const call = async (
  method: string,
  path: string,
  search = '',
  body?: unknown,
  given: Record<string, string> = from(),
) => {
  const headers = path === '/api/near-agents' && body !== undefined ? { ...signed(body), ...given } : given;
  const options = body === undefined ? { headers } : { body, headers };
  const answer = await service.call<{ code: string }>(nobody, method, path + search, options);
  api.expectDescribed(method, path, answer);
  return answer;
};

describe('what is answered', () => {
  test('to what the examples ask is what is described', async () => {
    for (const name of shownHere) {
      const [method, path] = name.split(' ') as [string, string];
      const { requestBody } = document.paths[path][method.toLowerCase()];
      const example = requestBody?.content['application/json'].example;
      const site = path === '/api/audit' ? { url: 'shop.audit-sites.net/shoes' } : {};
      const { status } = await call(method, path, '', requestBody === undefined ? undefined : { ...example, ...site });
      expect([name, status]).toEqual([name, 200]);
    }
  });

  test.each([
    ['', 'invalid_url'],
    ['http://a.example.org', 'scheme_not_allowed'],
    ['https://127.0.0.1', 'ip_literal'],
    ['https://localhost', 'restricted_host'],
    ['nowhere.audit-sites.net', 'dns_failure'],
  ])('to an audit of %j is a described %s', async (url, code) => {
    expect((await call('GET', '/api/audit', `?url=${encodeURIComponent(url)}`)).body.code).toBe(code);
    expect((await call('POST', '/api/audit', '', { url })).body.code).toBe(code);
  });

  test('to a job that is not signed is a refusal', async () => {
    expect((await call('POST', '/api/near-agents', '', {}, { ...from(), 'x-signature': '' })).status).toBe(401);
  });

  test('to an audit that is to be unlocked is the price', async () => {
    expect((await call('GET', '/api/audit', '?url=shop.audit-sites.net/shoes&unlock=1')).status).toBe(402);
    expect((await call('POST', '/api/audit', '', { url: 'shop.audit-sites.net', unlock: true })).status).toBe(402);
  });

  test('to what is no body, too large a body, or asked too often', async () => {
    for (const path of ['/api/audit', '/api/inquiry', '/api/verify-tx', '/api/near-agents']) {
      expect((await call('POST', path, '', '{')).status).toBe(400);
      expect((await call('POST', path, '', JSON.stringify({ x: 'x'.repeat(64 * 1024) }))).status).toBe(413);
    }
    const inquiry = { email: 'ada@shop.example.org' };
    const transaction = { tx_hash: `0x${'1'.repeat(64)}` };
    const headers = { ...from(), 'idempotency-key': 'one' };
    for (const [path, body, more] of [
      ['/api/inquiry', inquiry, { name: 'Ada' }],
      ['/api/verify-tx', transaction, { plan_price: 3 }],
    ] as const) {
      await call('POST', path, '', body, headers);
      expect((await call('POST', path, '', { ...body, ...more }, headers)).status).toBe(409);
    }
    const asks = [
      ['GET', '/api/audit', '?url=https://localhost', undefined],
      ['POST', '/api/audit', '', { url: 'https://localhost' }],
      ['POST', '/api/inquiry', '', inquiry],
      ['POST', '/api/verify-tx', '', transaction],
      ['POST', '/api/near-agents', '', {}],
    ] as const;
    for (const [method, path, search, body] of asks) {
      const again = from();
      await expect.poll(async () => (await call(method, path, search, body, again)).status, { interval: 1 }).toBe(429);
    }
  });

  test('while more sites wait to be read than may', async () => {
    const [one, other, third, ...most] = slow;
    const waiting = most.map((host) => call('GET', '/api/audit', `?url=${host}`));
    expect((await Promise.race(waiting)).status).toBe(503);
    expect((await call('GET', '/api/audit', `?url=${one}`)).status).toBe(503);
    expect((await call('POST', '/api/audit', '', { url: other })).status).toBe(503);
    expect((await call('POST', '/api/near-agents', '', { url: third })).status).toBe(503);
    release();
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
  });

  test('while the database is away', async () => {
    proxy!.cut();
    try {
      const gone = (method: string, path: string, body?: unknown) =>
        expect.poll(async () => (await call(method, path, '', body)).body.code).toBe('storage_unavailable');
      await gone('GET', '/api/stats');
      await gone('POST', '/api/inquiry', { email: 'ada@shop.example.org' });
      await gone('POST', '/api/verify-tx', { tx_hash: `0x${'2'.repeat(64)}` });
      await gone('POST', '/api/near-agents', { job_id: 'while-away' });
      // What was looked at a moment ago is believed for ten seconds.
      const health = async () => (await call('GET', '/api/health')).body;
      await expect.poll(health).toMatchObject({ ok: true, status: 'degraded', checks: { database: 'down' } });
    } finally {
      proxy!.mend();
    }
  });

  test('every status that is described was seen', () => {
    expect(api.unseen().filter((one) => shownHere.some((name) => one.startsWith(`${name} `)))).toEqual([]);
  });
});
