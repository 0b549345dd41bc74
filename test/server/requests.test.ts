import { connect } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { rawAnswer, rawConnection } from '../helpers/raw-http.ts';
import { startService } from '../helpers/service.ts';

const service = await startService();
afterAll(() => service.stop());
const { nobody } = service.actors;
const { url } = service;
const { host } = new URL(url);
const closing = [`Host: ${host}`, 'Connection: close'];

describe('upgrades', () => {
  const offer = [
    'Connection: Upgrade, HTTP2-Settings, close',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA',
  ];

  test('an offer of another protocol is passed over, and the request answered', async () => {
    const answer = await rawAnswer(url, ['GET /api/health HTTP/1.1', `Host: ${host}`, ...offer]);
    expect(answer).toMatchObject({ status: 200, body: { ok: true } });
    const query = JSON.stringify({ query: '{ __typename }' });
    const type = ['Content-Type: application/json', `Content-Length: ${query.length}`];
    const posted = await rawAnswer(url, ['POST /graphql HTTP/1.1', `Host: ${host}`, ...offer, ...type], query);
    expect(posted).toMatchObject({ status: 200, body: { data: { __typename: 'Query' } } });
  });

  const webSocket = (path: string, ...more: string[]) =>
    rawAnswer(url, [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: Upgrade', 'Upgrade: websocket', ...more]);
  const expectEnvelope = ({ headers, body }: Awaited<ReturnType<typeof webSocket>>) => {
    expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'x-svc-trace-id': body.trace_id });
    expect(body).toMatchObject({ code: expect.any(String), message: expect.any(String), retryable: false });
  };

  test('a socket anywhere but at /graphql is refused as any unknown path is', async () => {
    const answer = await webSocket(
      '/nowhere',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      'Sec-WebSocket-Version: 13',
    );
    expect(answer).toMatchObject({ status: 404, body: { code: 'ROUTE_NOT_FOUND', details: { path: '/nowhere' } } });
    expectEnvelope(answer);
  });

  test('a broken handshake is refused with the envelope and the versions that are spoken', async () => {
    const answer = await webSocket('/graphql', 'Sec-WebSocket-Key: short', 'Sec-WebSocket-Version: 99');
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    expect(answer.headers['sec-websocket-version']).toBe('13, 8');
    expectEnvelope(answer);
  });
});

describe('targets', () => {
  test.each(['/api/health', '/readyz', '/graphql?query={__typename}'])(
    'an absolute target of %s is answered',
    async (path) => {
      expect((await rawAnswer(url, [`GET http://${host}${path} HTTP/1.1`, ...closing])).status).toBe(200);
    },
  );

  test('an absolute target without a path is the root', async () => {
    const answer = await rawAnswer(url, [`GET http://${host} HTTP/1.1`, ...closing]);
    expect(answer).toMatchObject({ status: 404, body: { details: { path: '/' } } });
  });

  test.each(['/orgs/v1//', '/orgs/v1//rooms/x/messages', '/projects/v1//'])('%s is no path', async (path) => {
    const answer = await service.call<{ code: string }>(nobody, 'GET', path);
    expect([answer.status, answer.body.code]).toEqual([404, 'ROUTE_NOT_FOUND']);
  });
});

test.each<[string, number, string, string[]]>([
  ['no Host', 400, 'VALIDATION_FAILED', ['GET /readyz HTTP/1.1', 'Connection: close']],
  [
    'a length and chunks',
    400,
    'VALIDATION_FAILED',
    ['POST /orgs/v1 HTTP/1.1', ...closing, 'Content-Length: 3', 'Transfer-Encoding: chunked'],
  ],
  ['a broken header', 400, 'VALIDATION_FAILED', ['GET /readyz HTTP/1.1', ...closing, 'Bad Header: x']],
  [
    'headers that are too large',
    431,
    'HEADERS_TOO_LARGE',
    ['GET /readyz HTTP/1.1', ...closing, `X-Large: ${'x'.repeat(40_000)}`],
  ],
])('a request with %s is refused with the envelope', async (_case, status, code, lines) => {
  const { body, headers, ...answer } = await rawAnswer(url, lines);
  expect([answer.status, body.code, body.source]).toEqual([status, code, 'gateway']);
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'x-svc-trace-id': body.trace_id,
    'content-type': 'application/json; charset=utf-8',
  });
});

test('a broken connection is answered once and does not stay, even if its client would', async () => {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  socket.on('data', (part) => {
    text += part;
  });
  socket.on('error', () => undefined);
  const pushing = setInterval(() => socket.write('NONSENSE\r\n\r\n'), 20);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(pushing);
  expect(text.match(/HTTP\/1\.1 400 /g)).toHaveLength(1);
});

describe('bodies', () => {
  const asking = ['Content-Type: application/json', 'Expect: 100-continue'];

  test('a body that would be refused is not asked for', async () => {
    for (const [path, length, status] of [
      ['/orgs/v1', 20_000_000, 413],
      ['/graphql', 20_000_000, 413],
      ['/nowhere', 2, 404],
    ]) {
      const connection = rawConnection(url);
      connection.send(
        [`POST ${path} HTTP/1.1`, ...closing, ...asking, `Content-Length: ${length}`, '', ''].join('\r\n'),
      );
      expect(await connection.heard(/\r\n\r\n/)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      connection.socket.destroy();
    }
  });

  test('a body that may come is asked for, and read', async () => {
    const query = JSON.stringify({ query: '{ __typename }' });
    const connection = rawConnection(url);
    connection.send(
      ['POST /graphql HTTP/1.1', ...closing, ...asking, `Content-Length: ${query.length}`, '', ''].join('\r\n'),
    );
    expect(await connection.heard(/\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    connection.send(query);
    expect(await connection.heard()).toMatch(/HTTP\/1\.1 200 OK.*"__typename":"Query"/s);
  });

  test('an expectation that nobody knows changes nothing', async () => {
    expect((await rawAnswer(url, ['GET /readyz HTTP/1.1', ...closing, 'Expect: tea'])).status).toBe(200);
  });

  test.each<[string, Record<string, string>]>([
    ['compressed', { 'content-encoding': 'gzip' }],
    ['in another charset', { 'content-type': 'application/json; charset=iso-8859-1' }],
  ])('a body that is %s is refused, and nothing made of it', async (_case, headers) => {
    const wallet = service.actors.wallet();
    const body = { query: 'mutation { createOrganization(input: {}) { id } }' };
    for (const [path, sent] of [['/orgs/v1', {}] as const, ['/graphql', body] as const]) {
      const answer = await service.call<{ code: string }>(wallet, 'POST', path, { body: sent, headers });
      expect([path, answer.status, answer.body.code]).toEqual([path, 415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
    expect((await service.call(wallet, 'GET', '/orgs/v1')).body).toMatchObject({ orgs: [] });
  });

  test('a body that says how plain it is is read', async () => {
    const headers = { 'content-encoding': 'identity', 'content-type': 'application/json; charset="UTF-8"' };
    expect((await service.call(service.actors.wallet(), 'POST', '/orgs/v1', { body: {}, headers })).status).toBe(201);
  });
});
