import type { lookup } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { ServiceError } from '../../core/errors.ts';
import { createAuditor } from '../../engines/audit/auditor.ts';
import { parseTarget } from '../../engines/audit/target.ts';
import { type Sites, startSites } from '../helpers/site-server.ts';

/** Counts every connection that is made to it, whoever makes it. */
let connections = 0;
const trap = createServer((socket) => {
  connections += 1;
  socket.destroy();
});
trap.listen(0, '127.0.0.1');
await once(trap, 'listening');
const { port } = trap.address() as AddressInfo;

/** Names that resolve to no public address, each by what it resolves to; the last ones to some of both kinds. */
const resolving: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [
    ['0.0.0.0'],
    ['10.0.0.1'],
    ['100.64.0.1'],
    ['100.100.100.200'],
    ['127.0.0.1'],
    ['127.255.255.254'],
    ['168.63.129.16'],
    ['169.254.169.254'],
    ['172.16.0.1'],
    ['172.31.255.255'],
    ['192.0.0.1'],
    ['192.0.2.1'],
    ['192.31.196.1'],
    ['192.52.193.1'],
    ['192.88.99.1'],
    ['192.168.0.1'],
    ['192.175.48.1'],
    ['198.18.0.1'],
    ['198.51.100.1'],
    ['203.0.113.1'],
    ['224.0.0.1'],
    ['240.0.0.1'],
    ['255.255.255.255'],
    ['::'],
    ['::1'],
    ['::7f00:1'],
    ['::ffff:127.0.0.1'],
    ['::ffff:a9fe:a9fe'],
    // Mapped and translated, whatever it is that they stand for.
    ['::ffff:8.8.8.8'],
    ['::ffff:0:7f00:1'],
    ['::ffff:0:0:127.0.0.1'],
    ['64:ff9b::a9fe:a9fe'],
    ['64:ff9b::808:808'],
    ['64:ff9b:1:a9fe::1'],
    ['64:ff9b::7f00:1'],
    ['64:ff9b:1::1'],
    ['100::1'],
    ['100:0:0:1::1'],
    // Teredo, benchmarking, ORCHID and documentation, each at its edges.
    ['2001::1'],
    ['2001:0:a9fe:a9fe::1'],
    ['2001:2::1'],
    ['2001:10::1'],
    ['2001:20::1'],
    ['2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2001:db8::1'],
    ['2002:7f00:1::'],
    ['2002:a9fe:a9fe::1'],
    ['2002:808:808::1'],
    ['2620:4f:8000::1'],
    ['3fff::1'],
    ['5f00::1'],
    ['fc00::1'],
    ['fd00:ec2::254'],
    ['fe80::1'],
    ['fe80::1%eth0'],
    ['fe80::1%25lo'],
    ['2a00:1450:4001:80b::200e%eth0'],
    ['fec0::1'],
    ['ff02::1'],
    ['ff05::1:3'],
    ['4000::1'],
    ['1fff:ffff::1'],
    ['::2'],
    ['::8.8.8.8'],
    ['127.0.0.1.'],
    ['localhost'],
    [''],
    ['93.184.216.34', '127.0.0.1'],
    ['127.0.0.1', '93.184.216.34'],
    ['2a00:1450:4001:80b::200e', '::1'],
    ['93.184.216.34', '169.254.169.254'],
  ].map((addresses, index) => [`r${index}.trap-names.com`, addresses]),
);

const resolve = ((host: string, _options: object, done: (error: Error | null, found: object[]) => void) => {
  const addresses = resolving[host];
  if (addresses === undefined) return done(new Error(`unknown: ${host}`), []);
  done(
    null,
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  );
}) as unknown as typeof lookup;

/** Ways to write a target that is none, by what is wrong with them. */
const written: Readonly<Record<string, readonly string[]>> = {
  'no address': [
    '',
    ' ',
    'https://',
    'https:///',
    'https://?',
    'https:shop.com',
    'https:/127.0.0.1',
    'https:\\\\127.0.0.1',
    'https://shop.com\\@127.0.0.1/',
    'https://sh op.com',
    'https://shop.com/\u0000',
    'https://shop.com/\r\nHost: localhost',
    'https://shop\u200b.com',
    'https://\u202e127.0.0.1',
    'https://[',
    'https://[::1',
    'https://.',
    'https://..',
    'https://shop..com',
    'https://-shop.com',
    'https://shop.com..',
    `https://${'a'.repeat(64)}.com`,
    `https://shop.com/${'a'.repeat(2048)}`,
  ],
  'credentials and ports': [
    'https://user@shop.com',
    'https://user:secret@shop.com',
    'https://:secret@shop.com',
    'https://shop.com@127.0.0.1',
    'https://127.0.0.1@shop.com',
    'user@shop.com',
    'https://shop.com:80',
    'https://shop.com:8443',
    'https://shop.com:22/',
    'https://shop.com:0',
    'https://shop.com:65536',
    'shop.com:8080',
    'localhost:5432',
  ],
  'another scheme': [
    'http://shop.com',
    'HTTP://shop.com',
    'ftp://shop.com',
    'file:///etc/passwd',
    'file://localhost/etc/passwd',
    'gopher://127.0.0.1:70/_x',
    'dict://127.0.0.1:11211/stat',
    'ldap://127.0.0.1',
    'ws://shop.com',
    'wss://shop.com',
    'data:text/html,hello',
    'javascript:alert(1)',
    'blob:https://shop.com/1',
    'about:blank',
    'jar:https://shop.com!/',
    'unix:/run/postgresql',
    'netdoc:///etc/passwd',
    'view-source:https://shop.com',
    'httpss://shop.com',
  ],
  'a literal address': [
    '127.0.0.1',
    'https://127.0.0.1',
    'https://127.0.0.1.',
    'https://127.1',
    'https://127.0.1',
    'https://2130706433',
    'https://017700000001',
    'https://0x7f000001',
    'https://0x7f.0.0.1',
    'https://0177.0.0.1',
    'https://0x7f.0x0.0x0.0x1',
    'https://127.0x0.00.1',
    'https://0',
    'https://0.0.0.0',
    'https://00000000000000000000177.0.0.1',
    'https://１２７.０.０.１',
    'https://127。0。0。1',
    'https://①②⑦.⓪.⓪.①',
    'https://%31%32%37.0.0.1',
    'https://127%2e0%2e0%2e1',
    'https://169.254.169.254/latest/meta-data/',
    'https://2852039166',
    'https://0xa9fea9fe',
    'https://0251.0376.0251.0376',
    'https://8.8.8.8',
    'https://134744072',
    'https://[::1]',
    'https://[::]',
    'https://[0:0:0:0:0:0:0:1]',
    'https://[::ffff:127.0.0.1]',
    'https://[::ffff:7f00:1]',
    'https://[::127.0.0.1]',
    'https://[64:ff9b::7f00:1]',
    'https://[64:ff9b::a9fe:a9fe]',
    'https://[64:ff9b:1::a9fe:a9fe]',
    'https://[2002:7f00:1::]',
    'https://[2002:a9fe:a9fe::]',
    'https://[2001:0:7f00:1::]',
    'https://[::ffff:169.254.169.254]',
    'https://[::ffff:0xa9fe:a9fe]',
    'https://[::ffff:0:127.0.0.1]',
    'https://[0:0:0:0:0:ffff:7f00:0001]',
    'https://[fe80::1%eth0]',
    'https://[fe80::1%25eth0]',
    'https://[::1%25lo]',
    'https://[v1.127.0.0.1]',
    'https://[127.0.0.1]',
    'https://127.0.0.1/@shop.com',
    'https://127.0.0.1#@shop.com',
    'https://127.0.0.1?.shop.com',
    'https://127.0.0.1%00.shop.com',
    'https://127.0.0.1%2f.shop.com',
    'https://４２９４９６７２９５',
    'https://0x7f.1',
    'https://0x7f.00.00.01',
    'https://127.0.0.01',
    'https://0300.0250.1',
    'https://192.168.257',
    'https://3232235521',
    'https://[fe80::1]',
    'https://[fd00:ec2::254]',
    'https://[2a00:1450:4001:80b::200e]',
    '[::1]',
  ],
  'a name of no public host': [
    'localhost',
    'https://localhost',
    'https://LOCALHOST',
    'https://localhost.',
    'https://ｌｏｃａｌｈｏｓｔ',
    'https://ⓛocalhost',
    'https://%6cocalhost',
    'https://local\u00adhost',
    'https://a.localhost',
    'https://localhost.localdomain.local',
    'https://printer.local',
    'https://metadata.google.internal',
    'https://metadata',
    'https://intranet',
    'https://wiki.intranet',
    'https://router.lan',
    'https://nas.home',
    'https://x.corp',
    'https://nas.home.arpa',
    'https://abc.onion',
    'https://a.test',
    'https://a.example',
    'https://a.invalid',
    'https://a.alt',
    'https://1.0.0.127.in-addr.arpa',
    'https://kubernetes',
    'https://db',
  ],
};

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
