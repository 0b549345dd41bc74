import { x402Client } from '@x402/core/client';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import { registerExactEvmScheme } from '@x402/evm/exact/client';
import fc from 'fast-check';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { match, matchTime } from '../../engines/x402/match.ts';
import { readPresented, readProof } from '../../engines/x402/presented.ts';
import { PaymentRefused } from '../../engines/x402/refusals.ts';
import { challengeV2, encodeHeader } from '../../engines/x402/terms.ts';
import { digestOf, payment, someTerms } from '../helpers/payments.ts';

const payer = privateKeyToAccount(generatePrivateKey());

/** The reason a reading is refused for; whatever else is thrown fails the test. */
function reasonOf(read: () => unknown): string | undefined {
  try {
    read();
  } catch (error) {
    if (error instanceof PaymentRefused) return error.reason;
    throw error;
  }
  return undefined;
}

test('the published vector signs to the published signature and is read as what was signed', async () => {
  const signer = privateKeyToAccount(`0x${'01'.repeat(32)}`);
  const terms = someTerms({ payTo: '0x00000000000000000000000000000000000A0d17' });
  const signed = { validBefore: 2_000_000_000n, nonce: `0x${'22'.repeat(32)}` } as const;
  const presented = readPresented(await payment(signer, terms, { signed }));
  expect(presented).toMatchObject({
    payer: '0x1a642f0e3c3af545e7acbd38b07251b3990914f1',
    payTo: terms.payTo.toLowerCase(),
    value: 10_000n,
    validAfter: 0n,
    ...signed,
    signature:
      '0x0ec6d9d86b0d529ae3bfba01f428230ca5bcbfee0b1d4025716a960989838c1511f1e2d76468033478144cb306e2ac3a819edbc03a03febefb1ed34d79d460571b',
  });
  const message = { ...signed, from: signer.address, to: terms.payTo, value: 10_000n, validAfter: 0n };
  expect(digestOf('base', message)).toBe('0x7b380124feb66884959318eaa1c97cf1092714afaeb7bee20fe85a0a57e6514c');
  match(presented, terms);
  matchTime(presented, 1_999_999_000_000);
  const reasonAt = (seconds: number) => reasonOf(() => matchTime(presented, seconds * 1000));
  expect(reasonAt(1_999_999_994)).toBeUndefined();
  expect(reasonAt(1_999_999_995)).toBe('invalid_exact_evm_payload_authorization_valid_before');
});

test('what the reference client makes of a challenge is read, and matches it', async () => {
  const terms = someTerms();
  const client = new x402Client();
  registerExactEvmScheme(client, { signer: payer });
  const header = encodePaymentSignatureHeader(
    await client.createPaymentPayload(challengeV2(terms, 'Payment required')),
  );
  const presented = readPresented(header);
  match(presented, terms);
  expect(presented).toMatchObject({ version: 2, resourceUrl: terms.resource, payer: payer.address.toLowerCase() });
  // What is kept of it makes the same header again, after a crash for example.
  expect(readPresented(encodeHeader(presented.raw))).toEqual(presented);
});

test('one authorization has one digest, in whichever version and spelling it comes', async () => {
  const terms = someTerms();
  const signed = { nonce: `0x${'c0'.repeat(32)}`, validBefore: 2_000_000_000n } as const;
  const first = readPresented(await payment(payer, terms, { signed, version: 1 }));
  const nonce = `0x${'C0'.repeat(32)}` as const;
  const second = readPresented(await payment(payer, terms, { signed, tampered: { nonce } }));
  const other = readPresented(await payment(payer, terms, { signed: { ...signed, value: 10_001n } }));
  expect(second.digest).toBe(first.digest);
  expect(other.digest).not.toBe(first.digest);
});

test('a proof is a hash, or a payment in any spelling of base64', async () => {
  const hash = `0x${'Ab'.repeat(32)}`;
  expect(readProof(hash)).toEqual({ transaction: hash.toLowerCase() });
  // A text whose base64 has all that is spelt in more ways than one.
  const header = await payment(payer, someTerms(), { around: { note: '>>>???ÿÿÿ~~~' } });
  expect(header).toMatch(/[+/]/);
  const presented = readPresented(header);
  const unpadded = header.replace(/=+$/, '');
  for (const proof of [
    header,
    unpadded,
    header.replaceAll('+', '-').replaceAll('/', '_'),
    unpadded.replaceAll('+', '-').replaceAll('/', '_'),
    header.replaceAll('+', ' '),
  ])
    expect(readProof(proof)).toEqual(presented);
  expect(reasonOf(() => readProof('0x1234'))).toBe('invalid_payload');
  // A header has one alphabet.
  expect(reasonOf(() => readPresented(header.replaceAll('+', '-').replaceAll('/', '_')))).toBe('invalid_payload');
});

const good = async () => readPresented(await payment(payer, someTerms())).raw as unknown as Raw;
interface Raw {
  readonly payload: { readonly authorization: Readonly<Record<string, unknown>>; readonly signature: string };
  readonly accepted: object;
}
const withAuthorization = (raw: Raw, more: object) => ({
  ...raw,
  payload: { ...raw.payload, authorization: { ...raw.payload.authorization, ...more } },
});

test.each<readonly [string, (raw: Raw) => unknown, string]>([
  ['no version', (raw) => ({ ...raw, x402Version: undefined }), 'invalid_x402_version'],
  ['version 3', (raw) => ({ ...raw, x402Version: 3 }), 'invalid_x402_version'],
  ['a version in quotes', (raw) => ({ ...raw, x402Version: '2' }), 'invalid_x402_version'],
  ['a list', (raw) => [raw], 'invalid_payload'],
  ['no payload', (raw) => ({ ...raw, payload: undefined }), 'invalid_payload'],
  ['no requirement', (raw) => ({ ...raw, accepted: null }), 'invalid_payload'],
  ['version 1 without a scheme', (raw) => ({ ...raw, x402Version: 1 }), 'invalid_payload'],
  [
    'an authorization of Permit2',
    (raw) => ({ ...raw, payload: { ...raw.payload, permit2Authorization: {} } }),
    'unsupported_payload_type',
  ],
  ['a short address', (raw) => withAuthorization(raw, { from: '0x1234' }), 'invalid_payload'],
  ['a number for an amount', (raw) => withAuthorization(raw, { value: 10_000 }), 'invalid_payload'],
  ['a negative amount', (raw) => withAuthorization(raw, { value: '-1' }), 'invalid_payload'],
  ['a hexadecimal amount', (raw) => withAuthorization(raw, { value: '0x10' }), 'invalid_payload'],
  ['an amount of 79 digits', (raw) => withAuthorization(raw, { value: '1'.repeat(79) }), 'invalid_payload'],
  ['an amount over 256 bits', (raw) => withAuthorization(raw, { value: '9'.repeat(78) }), 'invalid_payload'],
  ['a short nonce', (raw) => withAuthorization(raw, { nonce: '0x22' }), 'invalid_payload'],
  [
    'half a byte of signature',
    (raw) => ({ ...raw, payload: { ...raw.payload, signature: '0x123' } }),
    'invalid_payload',
  ],
  ['an empty signature', (raw) => ({ ...raw, payload: { ...raw.payload, signature: '0x' } }), 'invalid_payload'],
  ['a resource that is text', (raw) => ({ ...raw, resource: 'https://x.example' }), 'invalid_payload'],
  ['extensions that are a list', (raw) => ({ ...raw, extensions: [] }), 'invalid_payload'],
  ['a NUL, which no database takes', (raw) => ({ ...raw, extensions: { note: '\0' } }), 'invalid_payload'],
  ['half of a pair', (raw) => ({ ...raw, extensions: { note: '\ud800' } }), 'invalid_payload'],
  ['more than 8 KiB', (raw) => ({ ...raw, extensions: { note: 'x'.repeat(8_192) } }), 'invalid_payload'],
])('%s is refused', async (_case, change, reason) => {
  const header = encodeHeader(change(await good()) as object);
  expect(reasonOf(() => readPresented(header))).toBe(reason);
});

test.each([
  ['nothing', ''],
  ['no base64', '{"x402Version":2}'],
  ['no JSON', Buffer.from('hello').toString('base64')],
  ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]).toString('base64')],
  ['null', Buffer.from('null').toString('base64')],
  ['3 000 levels', Buffer.from('['.repeat(3_000) + ']'.repeat(3_000)).toString('base64')],
])('%s is refused', (_case, header) => {
  expect(reasonOf(() => readPresented(header))).toBe('invalid_payload');
  expect(reasonOf(() => readProof(header))).toBe('invalid_payload');
});

test('6 000 malformed headers are refused, each with a reason, and nothing else happens', async () => {
  const raw = await good();
  const terms = someTerms();
  const refused = (header: string) => {
    const reason = reasonOf(() => {
      const presented = readPresented(header);
      match(presented, terms);
      matchTime(presented, Date.now());
    });
    if (!/^[a-z0-9_]+$/.test(reason ?? '')) throw new Error(`taken: ${header}`);
    reasonOf(() => readProof(header));
  };
  const deep = fc.anything({ withNullPrototype: false, withBigInt: false, maxDepth: 6 });
  // Any text; any JSON; a payment with one member of it made anything.
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), refused), { numRuns: 2_000 });
  fc.assert(
    fc.property(fc.jsonValue(), (value) => refused(Buffer.from(JSON.stringify(value)).toString('base64'))),
    {
      numRuns: 2_000,
    },
  );
  const path = fc.constantFrom(
    ...['x402Version', 'payload', 'accepted', 'resource', 'extensions'].map((name) => [name]),
    ...['signature', 'authorization'].map((name) => ['payload', name]),
    ...Object.keys(raw.payload.authorization).map((name) => ['payload', 'authorization', name]),
    ...Object.keys(raw.accepted).map((name) => ['accepted', name]),
  );
  fc.assert(
    fc.property(path, deep, (names, value) => {
      const copy = structuredClone(raw) as never as Record<string, never>;
      const holder = names.slice(0, -1).reduce((at, name) => at[name]!, copy);
      holder[names.at(-1)!] = value as never;
      let text: string;
      try {
        text = JSON.stringify(copy);
      } catch {
        return;
      }
      refused(Buffer.from(text).toString('base64'));
    }),
    { numRuns: 2_000 },
  );
});
