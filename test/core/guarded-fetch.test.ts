import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, expect, test, vi } from 'vitest';
import { addressKind } from '../../core/address-kinds.ts';
import { createGuardedFetch, GuardedFetchError, type GuardedFetchOptions } from '../../core/guarded-fetch.ts';
import { certificate, certificateKey } from '../helpers/certificate.ts';

/** Requests that reached the server, by method and path. */
const reached: string[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => response.end('ok');
const server = createServer((request, response) => {
  reached.push(`${request.method} ${request.url}`);
  answer(request, response);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const origin = `http://localhost:${port}`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const refusalOf = async (run: Promise<unknown>) => {
  const error = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(GuardedFetchError);
  return (error as GuardedFetchError).reason;
};

/** A resolver that knows every name by the same addresses, and how often it was asked. */
function resolver(...addresses: string[]) {
  let asked = 0;
  const resolve = ((_host: string, _options: object, done: (error: null, found: object[]) => void) => {
    asked += 1;
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  }) as unknown as NonNullable<GuardedFetchOptions['resolve']>;
  return { resolve, asked: () => asked };
}

test.each([
  ['8.8.8.8', 'public'],
  ['2a00:1450:4001:80b::200e', 'public'],
  ['127.0.0.1', 'private'],
  ['10.1.2.3', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.0.1', 'private'],
  ['::1', 'private'],
  ['fd12:3456::1', 'private'],
  ['0.0.0.0', 'forbidden'],
  ['100.100.100.200', 'forbidden'],
  ['169.254.169.254', 'forbidden'],
  ['192.0.0.192', 'forbidden'],
  ['192.88.99.1', 'forbidden'],
  ['198.18.0.1', 'forbidden'],
  ['224.0.0.1', 'forbidden'],
  ['255.255.255.255', 'forbidden'],
  ['::', 'forbidden'],
  ['::ffff:127.0.0.1', 'forbidden'],
  ['::ffff:8.8.8.8', 'forbidden'],
  ['::127.0.0.1', 'forbidden'],
  ['64:ff9b::7f00:1', 'forbidden'],
  ['64:ff9b:1::a00:1', 'forbidden'],
  ['2002:7f00:1::', 'forbidden'],
  ['2001:0:7f00:1::', 'forbidden'],
  ['2001:db8::1', 'forbidden'],
  ['fe80::1', 'forbidden'],
  ['fe80::1%eth0', 'forbidden'],
  ['fec0::1', 'forbidden'],
  ['ff02::1', 'forbidden'],
  ['fd00:ec2::254', 'forbidden'],
  ['fd20:ce::254', 'forbidden'],
  ['localhost', 'forbidden'],
  ['', 'forbidden'],
])('%s is %s', (address, kind) => {
  expect(addressKind(address)).toBe(kind);
});

test('a named origin is asked, with method, headers and body', async () => {
  answer = (request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => response.writeHead(201, { 'x-seen': request.headers['x-mine'] }).end(body));
  };
  const fetch = createGuardedFetch({ named: [origin] });
  const response = await fetch(`${origin}/hook?a=1`, {
    method: 'POST',
    headers: { 'x-mine': 'yes' },
    body: new URLSearchParams({ b: '2' }),
  });
  expect([response.status, response.headers.get('x-seen'), await response.text()]).toEqual([201, 'yes', 'b=2']);
  expect(reached.at(-1)).toBe('POST /hook?a=1');
});

test.each([
  ['plain http', 'http://example.com/', 'forbidden_url'],
  ['plain http of a loopback host nobody named', `http://127.0.0.1:${port}/`, 'forbidden_url'],
  ['another port of a named host', 'http://localhost:1/', 'forbidden_url'],
  ['another scheme', 'ftp://example.com/', 'forbidden_url'],
  ['a file', 'file:///etc/passwd', 'forbidden_url'],
  ['credentials', 'https://user:pw@example.com/', 'forbidden_url'],
  ['a loopback address', `https://127.0.0.1:${port}/`, 'forbidden_address'],
  ['a loopback address in hexadecimal', `https://0x7f.1:${port}/`, 'forbidden_address'],
  ['a loopback address as one number', `https://2130706433:${port}/`, 'forbidden_address'],
  ['a loopback address of IPv6', `https://[::1]:${port}/`, 'forbidden_address'],
  ['a mapped loopback address', `https://[::ffff:127.0.0.1]:${port}/`, 'forbidden_address'],
  ['the metadata of a cloud', 'https://169.254.169.254/latest/meta-data/', 'forbidden_address'],
])('%s is refused before anything is sent', async (_case, url, reason) => {
  const before = reached.length;
  const { resolve, asked } = resolver('127.0.0.1');
  expect(await refusalOf(createGuardedFetch({ named: [origin], resolve })(url))).toBe(reason);
  expect([reached.length, asked()]).toEqual([before, 0]);
});

test.each([[['127.0.0.1']], [['10.0.0.1']], [['8.8.8.8', '127.0.0.1']], [['::1']], [['::ffff:127.0.0.1']], [[]]])(
  'a name that resolves to %j is refused',
  async (addresses) => {
    const fetch = createGuardedFetch(resolver(...addresses));
    expect(await refusalOf(fetch(`https://rebound.example.com:${port}/`))).toBe('forbidden_address');
  },
);

test('a named origin may be private, and is no way to the metadata of a cloud', async () => {
  answer = (_request, response) => response.end('mine');
  const named = [`http://mine.example.com:${port}`];
  const url = `http://mine.example.com:${port}/`;
  const near = createGuardedFetch({ named, ...resolver('127.0.0.1') });
  expect(await (await near(url)).text()).toBe('mine');
  const far = createGuardedFetch({ named, ...resolver('169.254.169.254') });
  expect(await refusalOf(far(url))).toBe('forbidden_address');
});

test('a name is looked up once, so that no second answer can lead elsewhere', async () => {
  answer = (_request, response) => response.end('mine');
  const found = resolver('127.0.0.1');
  const named = [`http://mine.example.com:${port}`];
  await createGuardedFetch({ named, resolve: found.resolve })(`http://mine.example.com:${port}/`);
  expect(found.asked()).toBe(1);
});

test('a redirect is handed back and not followed', async () => {
  const before = reached.length;
  answer = (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1/secret' }).end();
  const response = await createGuardedFetch({ named: [origin] })(`${origin}/moved`);
  expect([response.status, response.headers.get('location')]).toEqual([302, 'http://127.0.0.1/secret']);
  expect(reached.slice(before)).toEqual(['GET /moved']);
});

test('an answer without a body is one', async () => {
  answer = (_request, response) => response.writeHead(204).end();
  const response = await createGuardedFetch({ named: [origin] })(origin);
  expect([response.status, await response.text()]).toEqual([204, '']);
});

test('a body that is too large is given up, however it is announced', async () => {
  const closed = Promise.withResolvers<void>();
  answer = (_request, response) => {
    response.on('close', () => closed.resolve());
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(1_000)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
  const fetch = createGuardedFetch({ named: [origin], bytesMax: 10_000 });
  expect(await refusalOf(fetch(origin))).toBe('too_large');
  await closed.promise;
});

test('a body that never ends is given up when nobody waits for it any more', async () => {
  const begun = Promise.withResolvers<void>();
  answer = (_request, response) => {
    response.write('a little');
    begun.resolve();
  };
  const abort = new AbortController();
  const asked = createGuardedFetch({ named: [origin], timeoutMs: 600_000 })(origin, { signal: abort.signal });
  await begun.promise;
  abort.abort();
  expect(await refusalOf(asked)).toBe('aborted');
});

test('an answer that does not come in time is given up', async () => {
  answer = () => undefined;
  expect(await refusalOf(createGuardedFetch({ named: [origin], timeoutMs: 1 })(origin))).toBe('too_slow');
});

test('a host that does not answer is unreachable, and the refusal tells no path', async () => {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port: closedPort } = free.address() as AddressInfo;
  free.close();
  await once(free, 'close');
  const closed = `http://127.0.0.1:${closedPort}`;
  const failed = createGuardedFetch({ named: [closed] })(`${closed}/token?client_secret=hunter2`);
  expect(await refusalOf(failed)).toBe('unreachable');
  await expect(failed).rejects.toThrow(/^[^?]*$/);
});

test('the environment’s proxies are not used', async () => {
  answer = (_request, response) => response.end('straight');
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1');
  const response = await createGuardedFetch({ named: [origin] })(origin);
  expect(await response.text()).toBe('straight');
  vi.unstubAllEnvs();
});

test('a server whose answer is no HTTP is unreachable', async () => {
  const broken = createSocketServer((socket) => socket.end('hello\r\n\r\n'));
  broken.listen(0, '127.0.0.1');
  await once(broken, 'listening');
  const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
  expect(await refusalOf(createGuardedFetch({ named: [url] })(url))).toBe('unreachable');
  broken.close();
});

test('by https a certificate is checked, by trust and by name, also where the address is pinned', async () => {
  const secure = createSecureServer({ key: certificateKey, cert: certificate }, (_request, response) =>
    response.end('secure'),
  );
  secure.listen(0, '127.0.0.1');
  await once(secure, 'listening');
  const at = (host: string) => `https://${host}:${(secure.address() as AddressInfo).port}/`;
  const named = [at('mine.example.com'), at('theirs.example.com')];
  const fetch = createGuardedFetch({ named, ...resolver('127.0.0.1') });
  const usual = getCACertificates();
  expect(await refusalOf(fetch(at('mine.example.com')))).toBe('unreachable');
  setDefaultCACertificates([...usual, certificate]);
  try {
    expect(await (await fetch(at('mine.example.com'))).text()).toBe('secure');
    expect(await refusalOf(fetch(at('theirs.example.com')))).toBe('unreachable');
  } finally {
    setDefaultCACertificates(usual);
    secure.close();
  }
});
