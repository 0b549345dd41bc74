import { afterAll, describe, expect, test } from 'vitest';
import { expectRefusal } from '../helpers/documented.ts';
import { rawAnswer } from '../helpers/raw-http.ts';
import { startService } from '../helpers/service.ts';
import { hostCall } from '../hosted/host-call.ts';

// A page may point a name of its own to this machine (DNS rebinding). What its browser then sends bears that name.

const service = await startService({
  env: { ALLOWED_HOSTS: 'gateway, API.Internal.example.', PLATFORM_DOMAIN: 'apps.example.com' },
});
const named = await startService({ env: { PUBLIC_BASE_URL: 'https://api.example.com' } });
const proxied = await startService({
  env: { TRUSTED_PROXIES: '127.0.0.1,::1', PUBLIC_BASE_URL: 'https://api.example.com' },
});
afterAll(async () => {
  for (const one of [service, named, proxied]) await one.stop();
});
const { port, host } = new URL(service.url);

const refused = { details: { host: 'evil.example' } };
const foreign = hostCall(service, 'evil.example');

test.each([
  ['POST', '/api/mcp'],
  ['GET', '/api/openapi.json'],
  ['POST', '/mcp'],
  ['POST', '/graphql'],
  ['GET', '/graphql'],
  ['GET', '/'],
  ['GET', '/console'],
  ['GET', '/console/config.json'],
  ['GET', '/metrics'],
  ['GET', '/openapi.json'],
  ['GET', '/orgs/v1'],
  ['GET', '/live/v1'],
  ['GET', '/rest/v1/notes'],
  ['POST', '/auth/v1/token'],
  ['GET', '/_svc/config.json'],
  ['GET', '/nowhere'],
  ['OPTIONS', '/graphql'],
  ['OPTIONS', '/rest/v1/notes'],
])('%s %s is refused under a foreign name', async (method, path) => {
  const answer = await foreign(
    method,
    path,
    method === 'POST' ? { json: { jsonrpc: '2.0', id: 1, method: 'tools/list' } } : {},
  );
  const code = path.startsWith('/api/') ? 'host_not_allowed' : 'HOST_NOT_ALLOWED';
  expect(answer).toMatchObject({ status: 421, body: { code } });
  if (!path.startsWith('/api/')) expect(answer.body).toMatchObject(refused);
});

test.each(['/api/health', '/health', '/status', '/readyz'])(
  '%s answers under any name, for balancers',
  async (path) => {
    expect((await foreign('GET', path)).status).toBe(200);
  },
);

test.each([
  `evil.example:${port}`,
  'EVIL.example.',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'api.internal.example.evil.example',
  'notlocalhost',
  '127.1',
  '0x7f000001',
  '2130706433',
])('the name %s is foreign', async (name) => {
  expectRefusal(await hostCall(service, name)('GET', '/orgs/v1'), 'HOST_NOT_ALLOWED');
});

test.each([
  'localhost',
  `LOCALHOST:${port}`,
  'localhost.',
  'api.localhost',
  '127.0.0.1',
  '127.9.9.9:1',
  '[::1]',
  '10.1.2.3:80',
  'gateway',
  'GATEWAY:4000',
  'api.internal.example.',
  'apps.example.com',
])('the name %s is this server’s own', async (name) => {
  expectRefusal(await hostCall(service, name)('GET', '/nowhere'), 'ROUTE_NOT_FOUND');
});

test.each(['', 'a b', '[::1', '[zz]', '[:::::]', 'evil.example/x', 'user@localhost', 'localhost:123456', 'ｌocalhost'])(
  'a Host of %j is no host, on any path',
  async (name) => {
    for (const path of ['/orgs/v1', '/graphql']) {
      const answer = await rawAnswer(service.url, [`GET ${path} HTTP/1.1`, `Host: ${name}`, 'Connection: close']);
      expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    }
  },
);

test('a client of HTTP/1.0 may leave the host out, and may not name a foreign one', async () => {
  const ask = (...headers: string[]) => rawAnswer(service.url, ['GET /nowhere HTTP/1.0', ...headers]);
  expect((await ask()).status).toBe(404);
  expect((await ask('Host: evil.example')).status).toBe(421);
});

test('the host of an absolute target counts, not the header', async () => {
  const ask = (target: string, header: string) =>
    rawAnswer(service.url, [`GET http://${target}/nowhere HTTP/1.1`, `Host: ${header}`, 'Connection: close']);
  expect((await ask('evil.example', host)).status).toBe(421);
  expect((await ask(host, 'evil.example')).status).toBe(404);
});

test('the host of PUBLIC_BASE_URL is the server’s own, and others are foreign still', async () => {
  expectRefusal(await hostCall(named, 'api.example.com')('GET', '/nowhere'), 'ROUTE_NOT_FOUND');
  expectRefusal(await hostCall(named, 'www.example.com')('GET', '/nowhere'), 'HOST_NOT_ALLOWED');
});

test('the host that a trusted proxy forwards counts, and nobody else’s word for it', async () => {
  const ask = (on: typeof service, name: string, forwarded: string) =>
    hostCall(on, name)('GET', '/nowhere', { headers: { 'x-forwarded-host': forwarded } });
  expect((await ask(proxied, 'upstream', 'api.example.com')).status).toBe(404);
  expect((await ask(proxied, 'api.example.com', 'evil.example')).status).toBe(421);
  expect((await ask(proxied, 'upstream', 'api.example.com, evil.example')).status).toBe(421);
  expect((await ask(named, 'evil.example', 'api.example.com')).status).toBe(421);
});

describe('sockets', () => {
  const open = (path: string, name: string) =>
    rawAnswer(service.url, [
      `GET ${path} HTTP/1.1`,
      `Host: ${name}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Protocol: graphql-transport-ws',
    ]);

  test.each(['/graphql', `/projects/v1/${crypto.randomUUID()}/graphql`, '/nowhere'])(
    'none is opened at %s under a foreign name',
    async (path) => {
      expect(await open(path, 'evil.example')).toMatchObject({
        status: 421,
        body: { code: 'HOST_NOT_ALLOWED', ...refused },
      });
    },
  );
});

test.each([
  ['an empty list', ' , '],
  ['a port', 'gateway:4000'],
  ['a wildcard', '*.example.com'],
  ['a URL', 'https://example.com'],
])('ALLOWED_HOSTS does not take %s', async (_case, value) => {
  await expect(startService({ env: { ALLOWED_HOSTS: value } })).rejects.toThrow('ALLOWED_HOSTS must be host names');
});
