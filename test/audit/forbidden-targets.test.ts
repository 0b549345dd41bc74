import type { lookup } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { ServiceError } from '../../core/errors.ts';
import { createAuditor } from '../../engines/site-audit/auditor.ts';
import { parseTarget } from '../../engines/site-audit/target.ts';
import { type Sites, startSites } from '../helpers/site-server.ts';
import { resolving, written } from './forbidden-list.ts';

/** Counts every connection that is made to it, whoever makes it. */
let connections = 0;
const trap = createServer((socket) => {
  connections += 1;
  socket.destroy();
});
trap.listen(0, '127.0.0.1');
await once(trap, 'listening');
const { port } = trap.address() as AddressInfo;

const resolve = ((host: string, _options: object, done: (error: Error | null, found: object[]) => void) => {
  const addresses = resolving[host];
  if (addresses === undefined) return done(new Error(`unknown: ${host}`), []);
  done(
    null,
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  );
}) as unknown as typeof lookup;

let refused = 0;
let ways = 0;
const auditor = createAuditor({ userAgent: 'SvcAudit/test', resolve });
let sites: Sites | undefined;
afterAll(async () => {
  await auditor.close();
  sites?.close();
  trap.close();
});

const codeOf = async (run: () => unknown): Promise<string> => {
  try {
    await run();
    return 'nothing';
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError);
    expect((error as ServiceError).status).toBe(400);
    return (error as ServiceError).code;
  }
};

test.each(Object.entries(written).flatMap(([kind, targets]) => targets.map((target) => [kind, target] as const)))(
  '%s is refused as text: %j',
  async (_kind, target) => {
    ways += 1;
    const code = await codeOf(() => parseTarget(target));
    expect(code).not.toBe('nothing');
    refused += 1;
  },
);

test.each(Object.entries(resolving))('%s, which resolves to %j, is refused', async (host) => {
  ways += 1;
  const code = await codeOf(() => auditor.audit(auditor.target(host), { admit: () => undefined }));
  expect(code).toBe('RESTRICTED_ADDRESS');
  refused += 1;
});

const leading: Readonly<Record<string, string>> = {
  '/literal': 'https://127.0.0.1/',
  '/decimal': 'https://2130706433/',
  '/six': 'https://[::1]/',
  '/mapped': 'https://[::ffff:127.0.0.1]/',
  '/metadata': 'https://169.254.169.254/latest/meta-data/',
  '/name': 'https://localhost/',
  '/internal': 'https://metadata.google.internal/',
  '/port': `https://lead.audit-sites.net:${port}/`,
  '/literal-port': `https://127.0.0.1:${port}/`,
  '/relative': `//127.0.0.1:${port}/`,
  '/credentials': 'https://user:secret@lead.audit-sites.net/',
  '/plain': `http://127.0.0.1:${port}/`,
  '/downgrade': 'http://lead.audit-sites.net/',
  '/file': 'file:///etc/passwd',
  '/gopher': `gopher://127.0.0.1:${port}/_`,
  '/broken': 'https://[',
  '/twice': '/literal',
};

test.each(Object.entries(leading))('a redirect from %s to %s is refused', async (path, location) => {
  ways += 1;
  sites ??= await startSites({
    'lead.audit-sites.net': Object.fromEntries(
      Object.entries(leading).map(([from, to]) => [from, { status: 302, headers: { location: to } }]),
    ),
  });
  const trialling = createAuditor({ userAgent: 'SvcAudit/test', trial: sites.trial });
  try {
    const target = trialling.target(`lead.audit-sites.net${path}`);
    const code = await codeOf(() => trialling.audit(target, { admit: () => undefined }));
    expect(code).toBe(location.startsWith('http:') ? 'REDIRECT_NOT_HTTPS' : 'RESTRICTED_REDIRECT');
    refused += 1;
  } finally {
    await trialling.close();
  }
});

test('a name that changes its address is resolved once, and goes to what was judged', async () => {
  ways += 1;
  let asked = 0;
  const changing = ((_host: string, _options: object, done: (error: null, found: object[]) => void) => {
    asked += 1;
    done(null, [{ address: asked === 1 ? '0.0.0.0' : '127.0.0.1', family: 4 }]);
  }) as unknown as typeof lookup;
  const rebound = createAuditor({ userAgent: 'SvcAudit/test', resolve: changing });
  const target = rebound.target('rebinding.trap-names.com');
  expect(await codeOf(() => rebound.audit(target, { admit: () => undefined }))).toBe('RESTRICTED_ADDRESS');
  expect(asked).toBe(1);
  await rebound.close();
  refused += 1;
});

test.each([
  ['this machine', ['127.0.0.1']],
  ['a cloud’s metadata', ['169.254.169.254']],
  ['both kinds at once', ['93.184.216.34', '::1']],
])('a redirect to a name that resolves to %s is refused before it is connected to', async (_name, addresses) => {
  ways += 1;
  const stepping = await startSites({
    'lead.audit-sites.net': { '/': { status: 307, headers: { location: `https://r.trap-names.com:443/` } } },
  });
  const asked: string[] = [];
  const lookingUp = ((host: string, _options: object, done: (error: null, found: object[]) => void) => {
    asked.push(host);
    const found = host === 'lead.audit-sites.net' ? ['127.0.0.1'] : addresses;
    done(
      null,
      found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  }) as unknown as typeof lookup;
  const led = createAuditor({ userAgent: 'SvcAudit/test', trial: stepping.trial, resolve: lookingUp });
  try {
    const code = await codeOf(() => led.audit(led.target('lead.audit-sites.net'), { admit: () => undefined }));
    expect(code).toBe('RESTRICTED_REDIRECT');
    // Each name once: what was judged is all that there is to connect to.
    expect(asked).toEqual(['lead.audit-sites.net', 'r.trap-names.com']);
    refused += 1;
  } finally {
    await led.close();
    stepping.close();
  }
});

test('at least 120 ways to a forbidden target were refused before a byte was sent', () => {
  console.info(`${refused} of ${ways} ways to a forbidden target refused, ${connections} connections made`);
  expect(refused).toBe(ways);
  expect(refused).toBeGreaterThanOrEqual(120);
  expect(connections).toBe(0);
});

test.each([
  ['shop.com', 'https://shop.com/'],
  [' shop.com ', 'https://shop.com/'],
  ['HTTPS://Shop.COM:443/a?b#c', 'https://shop.com/a?b'],
  ['shop.com.', 'https://shop.com/'],
  ['shop.com:443/x', 'https://shop.com/x'],
  ['bücher.de', 'https://xn--bcher-kva.de/'],
  ['example.com', 'https://example.com/'],
])('%j is the target %s', (input, normal) => {
  expect(parseTarget(input).href).toBe(normal);
});
