import fc from 'fast-check';
import { createSiweMessage } from 'viem/siwe';
import { expect, test } from 'vitest';
import { ServiceError, toEnvelope } from '../../core/errors.ts';
import { verifyWalletSignature } from '../../resolvers/identity/shared/wallet-signature.ts';
import { SiwxMessage, siwxText } from '../../resolvers/identity/siwx-message.ts';
import { createWallet, encodeHeader } from '../helpers/wallet.ts';

const baseUrl = 'http://localhost:4000';
const expected = { host: 'localhost:4000' };
const now = new Date('2026-03-06T12:00:00.000Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const iso = (seconds: number) => later(seconds).toISOString();
const secp256k1Order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

// A published key, so that the checksummed spelling of its address has letters of both cases.
const ada = createWallet('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const bob = createWallet();

const decode = (header: string) => SiwxMessage.parse(JSON.parse(Buffer.from(header, 'base64').toString()));

/** The refusal as a caller sees it; fails when there is none. */
async function refusal(header: string, { host = expected.host, at = now } = {}) {
  const error = await verifyWalletSignature(header, { host }, at).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ServiceError)) throw new Error('not refused by a ServiceError', { cause: error });
  return toEnvelope(error, 'trc_0');
}

const invalid = (reason: string, field?: string) => ({
  code: 'INVALID_AUTH',
  message: 'The credential is not valid.',
  details: field === undefined ? { reason } : { reason, field },
});

test('a valid header proves its wallet, in lower case', async () => {
  const header = await ada.header({ baseUrl, path: '/projects/v1', now, nonce: '0123456789abcdef0123456789abcdef' });
  expect(await verifyWalletSignature(header, expected, now)).toEqual({
    address: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
    nonce: '0123456789abcdef0123456789abcdef',
    expiresAt: later(300),
  });
});

test.each([
  ['an empty statement', { statement: '' }],
  ['a statement in any script', { statement: 'Anmelden – ログイン 🔑 URI: https://evil.example' }],
  ['the domain with its port', { overrides: { domain: 'localhost:4000' } }],
  ['a domain in capitals', { overrides: { domain: 'LOCALHOST' } }],
  ['another path and port in the uri', { overrides: { uri: 'https://localhost:9999/else?where=1' } }],
  ['another chain', { chainId: 'eip155:8453' }],
  ['a chain number no double can hold', { chainId: 'eip155:12345678901234567890123456789012' }],
  ['no expiration time', { overrides: { expirationTime: undefined } }],
  ['an expiration time next year', { expiresInSeconds: 365 * 86_400 }],
  ['an empty list of resources', { overrides: { resources: [] } }],
  ['resources', { overrides: { resources: ['https://example.com/a', 'svc:b'] } }],
  ['times with an offset', { overrides: { issuedAt: '2026-03-06T13:59:59.5+02:00', expirationTime: undefined } }],
  ['a short challenge nonce', { nonce: 'abcDEF12' }],
  ['a long challenge nonce', { nonce: 'x'.repeat(128) }],
  ['a clock that runs 60 s ahead', { now: later(60) }],
  ['a clock that runs behind', { now: later(-360), overrides: { expirationTime: undefined } }],
  ['an unknown field', { tamper: { colour: 'blue' } }],
])('%s is accepted', async (_case, options) => {
  const header = await ada.header({ baseUrl, now, ...options });
  expect(await verifyWalletSignature(header, expected, now)).toMatchObject({ address: ada.address });
});

test('a server without a port, and one behind an IPv6 address, know their own names', async () => {
  const named = await ada.header({ baseUrl: 'https://api.example.com', now });
  expect(await verifyWalletSignature(named, { host: 'API.example.com' }, now)).toMatchObject({ address: ada.address });
  const numbered = await ada.header({ baseUrl: 'http://[::1]:4000', now });
  expect(await verifyWalletSignature(numbered, { host: '[::1]:4000' }, now)).toMatchObject({ address: ada.address });
});

test('a signature with its hex in capitals is the same signature', async () => {
  const message = decode(await ada.header({ baseUrl, now }));
  const header = encodeHeader({ ...message, signature: `0x${message.signature.slice(2).toUpperCase()}` });
  expect(await verifyWalletSignature(header, expected, now)).toMatchObject({ address: ada.address });
});

test.each([
  ['nothing', '', 'header_not_base64'],
  ['words', 'sign me in', 'header_not_base64'],
  ['base64url', Buffer.from('{"a":"\u00ff\u00ff\u00ff"}').toString('base64url'), 'header_not_base64'],
  ['base64 without its padding', encodeHeader({ a: 1234 }).replace(/=+$/, ''), 'header_not_base64'],
  ['base64 with stray bits', 'e31=', 'header_not_base64'],
  ['base64 with a line break', `${encodeHeader({})}\n`, 'header_not_base64'],
  ['not JSON', Buffer.from('{').toString('base64'), 'header_not_json'],
  ['not UTF-8', Buffer.from('{"statement":"\u00ff"}', 'latin1').toString('base64'), 'header_not_json'],
  ['JSON after a byte order mark', Buffer.from('\ufeff{}').toString('base64'), 'header_not_json'],
  ['a list', encodeHeader([]), 'header_not_json'],
  ['null', encodeHeader(null), 'header_not_json'],
  ['a string', encodeHeader('{}'), 'header_not_json'],
  ['deep nesting', Buffer.from('['.repeat(6000)).toString('base64'), 'header_not_json'],
  ['more than 8 KiB', encodeHeader({ statement: 'x'.repeat(8192) }), 'header_too_large'],
])('a header of %s is refused', async (_case, header, reason) => {
  expect(await refusal(header)).toMatchObject(invalid(reason));
});

const required = [
  'domain',
  'address',
  'statement',
  'uri',
  'version',
  'chainId',
  'type',
  'nonce',
  'issuedAt',
  'signature',
];
test.each(required)('a header without %s is refused', async (field) => {
  const header = await ada.header({ baseUrl, now, tamper: { [field]: undefined } });
  expect(await refusal(header)).toMatchObject(invalid('field_invalid', field));
});

// Each of these is signed as it stands: it is the rule that refuses, not the signature.
test.each([
  ['domain', ''],
  ['domain', 7],
  ['address', '0x1234'],
  ['statement', null],
  ['statement', 'Sign in.\n\nURI: https://localhost/other'],
  ['statement', 'Sign in.\rURI: https://localhost/other'],
  ['statement', 'Sign in.\u2028URI: https://localhost/other'],
  ['statement', 'half a character: \ud83d'],
  ['uri', '/projects/v1'],
  ['uri', 'ftp://localhost/'],
  ['uri', 'http:\\\\localhost/'],
  ['uri', 'http://localhost/\nVersion: 2'],
  ['uri', 'http://localhost/a b'],
  ['uri', 'http://localhost/\u0085'],
  ['uri', 'http://localhost/\ud83d'],
  ['version', '2'],
  ['version', 1],
  ['chainId', '84532'],
  ['chainId', 84532],
  ['chainId', 'eip155:'],
  ['chainId', 'eip155:0x1'],
  ['chainId', 'eip155:084532'],
  ['chainId', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'],
  ['type', 'eip1271'],
  ['nonce', '1234567'],
  ['nonce', 'x'.repeat(129)],
  ['nonce', '0000-0000-0000'],
  ['issuedAt', 'today'],
  ['issuedAt', '2026-03-06T12:00:00'],
  ['issuedAt', '2026-02-30T12:00:00Z'],
  ['issuedAt', now.getTime()],
  ['expirationTime', 'tomorrow'],
  ['expirationTime', null],
  ['resources', 'https://example.com'],
  ['resources', ['https://example.com\n- https://example.org']],
  ['resources', [7]],
] as const)('a signed %s of %j is refused', async (field, value) => {
  // The helper signs texts, so a value it cannot write as one is put in afterwards.
  const place = field === 'chainId' || field === 'resources' ? 'tamper' : 'overrides';
  const header = await ada.header({ baseUrl, now, [place]: { [field]: value } });
  expect(await refusal(header)).toMatchObject(invalid('field_invalid', field));
});

test.each([
  ['another domain', { overrides: { domain: 'evil.example' } }, 'domain_mismatch'],
  ['a domain with another port', { overrides: { domain: 'localhost:4001' } }, 'domain_mismatch'],
  ['a subdomain', { overrides: { domain: 'api.localhost' } }, 'domain_mismatch'],
  ['a uri on another host', { overrides: { uri: 'http://evil.example/localhost' } }, 'uri_mismatch'],
  ['a uri that hides its host', { overrides: { uri: 'http://localhost@evil.example/' } }, 'uri_mismatch'],
  ['a uri with a user', { overrides: { uri: 'http://evil.example@localhost/' } }, 'uri_mismatch'],
  ['a uri that is no address', { overrides: { uri: 'http://[localhost' } }, 'uri_mismatch'],
  ['a header from the future', { now: later(61) }, 'issued_in_future'],
  ['an old header', { now: later(-361), overrides: { expirationTime: undefined } }, 'issued_too_long_ago'],
  ['an old header made to last', { now: later(-361), expiresInSeconds: 86_400 }, 'issued_too_long_ago'],
  ['an expired header', { now: later(-301) }, 'expired'],
  ['a header that expires before it begins', { overrides: { expirationTime: iso(-1) } }, 'expires_before_issued'],
  ['an address in lower case', { overrides: { address: ada.address } }, 'address_not_checksummed'],
  [
    'a wrong checksum',
    { overrides: { address: `0x${ada.address.slice(2).toUpperCase()}` } },
    'address_not_checksummed',
  ],
  ["another wallet's address", { overrides: { address: bob.checksumAddress } }, 'signature_invalid'],
])('%s is refused', async (_case, options, reason) => {
  expect(await refusal(await ada.header({ baseUrl, now, ...options }))).toMatchObject(invalid(reason));
});

test.each([
  ['no hex', () => 'signed'],
  ['too few digits', (signature: string) => signature.slice(0, -2)],
  ['too many digits', (signature: string) => `${signature}1b`],
  ['v as a parity bit', (signature: string) => signature.slice(0, 130) + (signature.endsWith('1b') ? '00' : '01')],
])('a signature of %s is refused', async (_case, change) => {
  const message = decode(await ada.header({ baseUrl, now }));
  const header = encodeHeader({ ...message, signature: change(message.signature) });
  expect(await refusal(header)).toMatchObject(invalid('field_invalid', 'signature'));
});

test('numbers that are no signature are refused', async () => {
  const message = decode(await ada.header({ baseUrl, now }));
  for (const digits of ['0'.repeat(128), `${'f'.repeat(64)}${'1'.repeat(64)}`, '1'.repeat(128)]) {
    const header = encodeHeader({ ...message, signature: `0x${digits}1b` });
    expect(await refusal(header)).toMatchObject(invalid('signature_invalid'));
  }
});

test('the twin of a valid signature is refused', async () => {
  const message = decode(await ada.header({ baseUrl, now }));
  const { signature } = message;
  const s = secp256k1Order - BigInt(`0x${signature.slice(66, 130)}`);
  const v = signature.endsWith('1b') ? '1c' : '1b';
  const twin = `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${v}` as const;
  const { recoverMessageAddress } = await import('viem/utils');
  const text = siwxText(message);
  expect(await recoverMessageAddress({ message: text, signature: twin as `0x${string}` })).toBe(ada.checksumAddress);
  expect(await refusal(encodeHeader({ ...message, signature: twin }))).toMatchObject(invalid('signature_malleable'));
});

test('a header for one host is refused by another, even once it was accepted', async () => {
  const header = await ada.header({ baseUrl, now });
  await verifyWalletSignature(header, expected, now);
  expect(await refusal(header, { host: 'other.example' })).toMatchObject(invalid('domain_mismatch'));
});

test('a header that was accepted is refused once it has expired', async () => {
  const header = await ada.header({ baseUrl, now });
  const { expiresAt } = await verifyWalletSignature(header, expected, now);
  await verifyWalletSignature(header, expected, expiresAt);
  expect(await refusal(header, { at: later(301) })).toMatchObject(invalid('expired'));
  expect(await refusal(header, { at: later(-61) })).toMatchObject(invalid('issued_in_future'));

  const lasting = await ada.header({ baseUrl, now, expiresInSeconds: 86_400 });
  expect(await verifyWalletSignature(lasting, expected, now)).toMatchObject({ expiresAt: later(360) });
  expect(await refusal(lasting, { at: later(361) })).toMatchObject(invalid('issued_too_long_ago'));
});

test('a refused header is judged anew every time', async () => {
  const header = await ada.header({ baseUrl, now: later(120) });
  expect(await refusal(header)).toMatchObject(invalid('issued_in_future'));
  expect(await verifyWalletSignature(header, expected, later(120))).toMatchObject({ address: ada.address });
});

test('the signed text is the one of the contract', () => {
  const message = {
    domain: 'localhost',
    address: ada.checksumAddress,
    statement: 'Sign in to svc.',
    uri: 'http://localhost:4000/agent/v1/me',
    version: '1',
    chainId: 'eip155:84532',
    nonce: '0123456789abcdef0123456789abcdef',
    issuedAt: '2026-03-06T14:00:00+02:00',
  } as const;
  const head = `localhost wants you to sign in with your Ethereum account:
0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266

Sign in to svc.

URI: http://localhost:4000/agent/v1/me
Version: 1
Chain ID: 84532
Nonce: 0123456789abcdef0123456789abcdef
Issued At: 2026-03-06T14:00:00+02:00`;
  expect(siwxText(message)).toBe(head);
  expect(siwxText({ ...message, resources: [] })).toBe(head);
  expect(siwxText({ ...message, expirationTime: '2026-03-06T12:05Z', resources: ['svc:a', 'svc:b'] })).toBe(
    `${head}\nExpiration Time: 2026-03-06T12:05Z\nResources:\n- svc:a\n- svc:b`,
  );
});

const instant = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });
const statement = fc
  .string({ unit: 'grapheme', minLength: 1 })
  .filter((text) => !/[\n\v\f\r\u0085\u2028\u2029]/.test(text));

test('the signed text is the one viem writes for the same fields', () => {
  const fields = fc.record(
    {
      domain: fc.domain(),
      statement,
      chain: fc.integer({ min: 1 }),
      nonce: fc.stringMatching(/^[A-Za-z0-9]{8,128}$/),
      issuedAt: instant,
      expirationTime: instant,
      resources: fc.array(fc.webUrl(), { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: ['domain', 'statement', 'chain', 'nonce', 'issuedAt'] },
  );
  fc.assert(
    fc.property(fields, ({ chain, issuedAt, expirationTime, ...rest }) => {
      const same = {
        ...rest,
        address: ada.checksumAddress,
        uri: `https://${rest.domain}/rooms`,
        version: '1',
      } as const;
      const ours = siwxText({
        ...same,
        chainId: `eip155:${chain}`,
        issuedAt: issuedAt.toISOString(),
        expirationTime: expirationTime?.toISOString(),
      });
      const theirs = createSiweMessage({
        ...same,
        chainId: chain,
        issuedAt,
        ...(expirationTime && { expirationTime }),
      });
      expect(ours).toBe(theirs);
    }),
  );
});

/** A change of one field: sometimes anything at all, more often what an attacker would like to have been signed. */
const tampering = fc.oneof(
  fc.record({ field: fc.constantFrom(...required, 'expirationTime'), value: fc.jsonValue() }),
  fc.record({ field: fc.constant('domain'), value: fc.constantFrom('localhost:4000', 'LOCALHOST', 'localhost ') }),
  fc.record({ field: fc.constant('address'), value: fc.constantFrom(bob.checksumAddress, bob.address, ada.address) }),
  fc.record({ field: fc.constant('statement'), value: fc.oneof(statement, fc.constant('')) }),
  fc.record({ field: fc.constant('uri'), value: fc.webPath().map((path) => `${baseUrl}/x${path}`) }),
  fc.record({ field: fc.constant('chainId'), value: fc.nat().map((chain) => `eip155:${chain}`) }),
  fc.record({ field: fc.constant('nonce'), value: fc.stringMatching(/^[0-9a-f]{32}$/) }),
  fc.record({
    field: fc.constantFrom('issuedAt', 'expirationTime'),
    value: fc.oneof(
      fc.integer({ min: 1, max: 600_000 }).map((ms) => new Date(now.getTime() + ms).toISOString()),
      fc.constantFrom('2026-03-06T12:00:00Z', '2026-03-06T13:00:00.000+01:00', '2026-03-06T12:05Z'),
    ),
  }),
  fc.record({ field: fc.constant('expirationTime'), value: fc.constant(undefined) }),
  fc.record({ field: fc.constant('resources'), value: fc.array(fc.webUrl(), { minLength: 1, maxLength: 3 }) }),
);

test('a header with any one field changed after signing is refused', async () => {
  const header = await ada.header({ baseUrl, now });
  const signed: Record<string, unknown> = decode(header);
  await verifyWalletSignature(header, expected, now);
  await fc.assert(
    fc.asyncProperty(tampering, async ({ field, value }) => {
      fc.pre(signed[field] !== value);
      const changed = await refusal(encodeHeader({ ...signed, [field]: value }));
      expect(changed.code).toBe('INVALID_AUTH');
    }),
    { numRuns: 500 },
  );
});

test('a header with any one digit of its signature changed is refused', async () => {
  const message = decode(await ada.header({ baseUrl, now }));
  const digit = fc.integer({ min: 2, max: 131 });
  await fc.assert(
    fc.asyncProperty(digit, fc.stringMatching(/^[0-9a-f]$/), async (index, replacement) => {
      const { signature } = message;
      fc.pre(signature[index] !== replacement);
      const changed = signature.slice(0, index) + replacement + signature.slice(index + 1);
      expect((await refusal(encodeHeader({ ...message, signature: changed }))).code).toBe('INVALID_AUTH');
    }),
  );
});

test('garbage is an INVALID_AUTH that repeats nothing of it', async () => {
  const signed = decode(await ada.header({ baseUrl, now }));
  const anyField = fc.constantFrom(...required, 'expirationTime', 'resources', '__proto__');
  const header = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.base64String(),
    fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64')),
    fc.jsonValue().map(encodeHeader),
    fc
      .dictionary(anyField, fc.jsonValue(), { minKeys: 1 })
      .map((junk) => encodeHeader({ ...signed, ...junk, nonce: '' })),
  );
  const host = fc.oneof(fc.constant(expected.host), fc.string({ unit: 'binary' }));
  await fc.assert(
    fc.asyncProperty(header, host, async (garbage, anyHost) => {
      const answer = await refusal(garbage, { host: anyHost });
      expect(answer.code).toBe('INVALID_AUTH');
      if (garbage.length > 16) expect(JSON.stringify(answer)).not.toContain(garbage);
      expect(JSON.stringify(answer)).not.toContain(signed.signature);
    }),
    { numRuns: 500 },
  );
});

test('a valid header is refused, not crashed on, under any host but its own', async () => {
  const header = await ada.header({ baseUrl, now });
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.domain()), async (host) => {
      expect(await refusal(header, { host })).toMatchObject(invalid('domain_mismatch'));
    }),
  );
});
