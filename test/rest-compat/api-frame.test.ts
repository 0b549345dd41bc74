import { afterAll, describe, expect, test } from 'vitest';
import { rawAnswer } from '../helpers/raw-http.ts';
import { startService } from '../helpers/service.ts';

// What all paths of the audit gateway have in common. Contract 00, sections 0.1, 1.12, 6.2 and 6.3.

const service = await startService({ env: { TRUSTED_PROXIES: '127.0.0.1/32' }, nodes: 1 });
afterAll(() => service.stop());
const { nobody } = service.actors;
const { host } = new URL(service.url);
const closing = [`Host: ${host}`, 'Connection: close'];

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}

let last = 0;
/** Every call as of another client: none uses up what another may. */
const from = () => {
  last += 1;
  return { 'x-forwarded-for': `198.51.${Math.floor(last / 250)}.${(last % 250) + 1}` };
};
const inquire = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  service.call<Problem>(nobody, 'POST', '/api/inquiry', { body, headers: { ...from(), ...headers } });

describe('refusals', () => {
  test('say what is wrong as problem details, field by field', async () => {
    const body = JSON.stringify({ email: 'nobody', kind: 'gift', offer_usd: 1.234 });
    const refused = await inquire(body);
    expect(refused.status).toBe(400);
    expect(refused.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    const errors = [
      { field: 'email', message: 'must be a mail address' },
      { field: 'kind', message: 'must be one of acquisition, licence, question' },
      { field: 'offer_usd', message: 'has two decimals at most' },
    ];
    const said = errors.map(({ field, message }) => `${field}: ${message}`).join('; ');
    expect(refused.body).toStrictEqual({
      type: '/problems/invalid_request',
      title: expect.any(String),
      status: 400,
      detail: said,
      instance: '/api/inquiry',
      ok: false,
      code: 'invalid_request',
      error: said,
      errors,
      trace_id: refused.headers.get('x-svc-trace-id'),
    });
  });

  test('name the path without what follows its question mark', async () => {
    const refused = await service.call<{ instance: string }>(
      nobody,
      'GET',
      '/api/audit?url=https://localhost&payment_proof=c2VjcmV0',
      { headers: from() },
    );
    expect(refused.body.instance).toBe('/api/audit');
    expect(refused.text).not.toContain('c2VjcmV0');
  });

  test.each(['PUT', 'PATCH', 'DELETE', 'PROPFIND'])(
    '%s is answered with the methods that there are',
    async (method) => {
      for (const [path, allow] of [
        ['/api/audit', 'GET, POST, HEAD, OPTIONS'],
        ['/api/inquiry', 'POST, OPTIONS'],
        ['/api/stats', 'GET, HEAD, OPTIONS'],
        ['/api/health', 'GET, HEAD, OPTIONS'],
      ]) {
        const { status, headers, body } = await service.call<Problem>(nobody, method, path!);
        expect([path, status, headers.get('allow'), body.code]).toEqual([path, 405, allow, 'method_not_allowed']);
      }
    },
  );

  test('what is nowhere is not_found', async () => {
    const { status, body } = await service.call<Problem>(nobody, 'GET', '/api/nowhere');
    expect([status, body.code]).toEqual([404, 'not_found']);
  });

  test('an address longer than 8 KiB is refused, and one that is not is read', async () => {
    const longest = `/api/audit?x=${'a'.repeat(8 * 1024 - '/api/audit?x=&url=-'.length)}&url=-`;
    expect(longest).toHaveLength(8 * 1024);
    const read = await service.call<Problem>(nobody, 'GET', longest, { headers: from() });
    expect([read.status, read.body.code]).toEqual([400, 'restricted_host']);
    const refused = await service.call<Problem>(nobody, 'GET', `${longest}-`, { headers: from() });
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
    expect(refused.body.detail).toContain('8192');
  });

  test('a parameter given twice is refused by name', async () => {
    const { status, body } = await service.call<Problem>(nobody, 'GET', '/api/audit?url=a.com&url=b.com', {
      headers: from(),
    });
    expect([status, body.code, body.errors]).toEqual([
      400,
      'invalid_request',
      [{ field: 'url', message: 'given twice' }],
    ]);
  });
});

describe('bodies', () => {
  const inquiry = JSON.stringify({ email: 'ada@shop.example.org' });

  test.each<[string, Record<string, string>]>([
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['JSON in another charset', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['compressed, which it is not', { 'content-encoding': 'gzip' }],
  ])('JSON that calls itself %s is read', async (_case, headers) => {
    const { status } = await inquire(inquiry, headers);
    expect(status).toBe(200);
  });

  test('JSON without any type is read', async () => {
    const lines = ['POST /api/inquiry HTTP/1.1', ...closing, `Content-Length: ${inquiry.length}`];
    const answer = await rawAnswer(service.url, [...lines, `X-Forwarded-For: ${from()['x-forwarded-for']}`], inquiry);
    expect(answer).toMatchObject({ status: 200, body: { ok: true } });
  });

  test.each<[string, string | Uint8Array]>([
    ['half an object', '{"email": "a@b.c"'],
    ['a list', '[]'],
    ['a text', '"a@b.c"'],
    ['nothing at all', 'null'],
    ['no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a form', 'email=a%40b.c'],
  ])('%s is malformed_json, whatever it calls itself', async (_case, body) => {
    for (const type of ['application/json', 'text/plain']) {
      const refused = await inquire(body, { 'content-type': type });
      expect([refused.status, refused.body.code]).toEqual([400, 'malformed_json']);
    }
  });

  test('an empty body is an absent one', async () => {
    const { status, body } = await inquire('');
    expect([status, body.code, body.errors]).toEqual([
      400,
      'invalid_request',
      [{ field: 'email', message: 'is required' }],
    ]);
  });

  test('a body of 64 KiB is read, and one more byte is too many, announced or not', async () => {
    const filled = (bytes: number) => {
      const frame = JSON.stringify({ email: 'ada@shop.example.org', ignored: '' });
      return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);
    };
    expect((await inquire(filled(64 * 1024))).status).toBe(200);
    const announced = await inquire(filled(64 * 1024 + 1));
    expect([announced.status, announced.body.code]).toEqual([413, 'body_too_large']);
    const chunk = filled(64 * 1024 + 1);
    const chunked = `${chunk.length.toString(16)}\r\n${chunk}\r\n0\r\n\r\n`;
    const lines = ['POST /api/inquiry HTTP/1.1', ...closing, 'Transfer-Encoding: chunked'];
    const sent = await rawAnswer(service.url, lines, chunked);
    expect([sent.status, sent.body.code]).toEqual([413, 'body_too_large']);
  });

  test('elsewhere the type still counts', async () => {
    const { status } = await service.call(service.actors.wallet(), 'POST', '/orgs/v1', {
      body: '{}',
      headers: { 'content-type': 'text/plain' },
    });
    expect(status).toBe(415);
  });
});

describe('browsers', () => {
  const paths = ['/api/audit', '/api/stats', '/api/health', '/api/inquiry', '/api/nowhere'];

  test('a preflight is answered with exactly what the gateway takes', async () => {
    for (const path of paths) {
      const { status, text, headers } = await service.call(nobody, 'OPTIONS', path, {
        headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
      });
      expect([path, status, text]).toEqual([path, 204, '']);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-methods')).toBe('GET, POST, OPTIONS');
      expect(headers.get('access-control-allow-headers')).toBe(
        'content-type, payment-signature, x-payment, access-control-expose-headers, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, a2a-version, a2a-extensions, x-a2a-extensions, idempotency-key, x-svc-payment-attempt-id',
      );
    }
  });

  test('answers and refusals show exactly what a page may read of them', async () => {
    for (const path of paths) {
      const { headers } = await service.call(nobody, 'GET', path, { headers: from() });
      expect([path, headers.get('access-control-allow-origin')]).toEqual([path, '*']);
      expect(headers.get('access-control-expose-headers')).toBe(
        'payment-required, payment-response, x-payment-response, retry-after, repr-digest, etag, ratelimit-limit, ratelimit-remaining, ratelimit-reset, x-license-key, link',
      );
    }
  });

  test('HEAD is GET without the body', async () => {
    for (const path of ['/api/stats', '/api/audit?url=https://localhost', '/api/nowhere', '/openapi.json']) {
      const get = await service.call(nobody, 'GET', path, { headers: from() });
      const head = await service.call(nobody, 'HEAD', path, { headers: from() });
      expect([path, head.status, head.text]).toEqual([path, get.status, '']);
      expect([path, head.headers.get('content-type')]).toEqual([path, get.headers.get('content-type')]);
    }
  });
});
