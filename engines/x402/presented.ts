import { createHash } from 'node:crypto';
import { isWritable } from '../../core/json-depth.ts';
import type { Address, Hex } from './networks.ts';
import { PaymentRefused } from './refusals.ts';

/** A payment as somebody presented it: its shape is right, and nothing else of it has been looked at. */
export interface Presented {
  readonly version: 1 | 2;
  readonly scheme: string;
  /** As the version names it. */
  readonly network: string;
  /** The requirement that the payer chose, of version 2. */
  readonly accepted: Members | undefined;
  /** Addresses, nonce and signature are in lower case. */
  readonly payer: Address;
  readonly payTo: Address;
  readonly value: bigint;
  /** In Unix seconds. */
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  readonly nonce: Hex;
  readonly signature: Hex;
  /** What was bought, as the payer says it; nothing signs it. */
  readonly resourceUrl: string | undefined;
  readonly extensions: Members | undefined;
  /** All that was presented; `encodeHeader` makes a header of it again. */
  readonly raw: Members;
  /** SHA-256, in hexadecimal digits, of what was signed and its signature: the same in whichever version it comes. */
  readonly digest: string;
}

type Members = Readonly<Record<string, unknown>>;

/** The hash of a transaction, presented as proof of a payment. */
export interface TransactionHash {
  /** In lower case. */
  readonly transaction: Hex;
}

const headerBytesMax = 8 * 1024;
/** No payment has more than five levels; an extension may have some of its own. */
const depthMax = 32;
const uint256Max = 2n ** 256n - 1n;

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
const address = /^0x[0-9a-fA-F]{40}$/;
const word = /^0x[0-9a-fA-F]{64}$/;
const bytes = /^0x(?:[0-9a-fA-F]{2})+$/;
/** As JSON writes a NUL, and a surrogate that stands alone. */
const unstorable = /\\u(?:0000|d[89a-f])/;
const decimal = /^\d{1,78}$/;

/**
 * Reads the value of `PAYMENT-SIGNATURE` or `X-PAYMENT`. Contract 00, section 1.6.
 *
 * @throws PaymentRefused for whatever is no payment of EIP-3009
 */
export function readPresented(header: string): Presented {
  const text = header.trim();
  if (text.length > headerBytesMax || text.length % 4 === 1 || !base64.test(text)) throw malformed();
  const raw = parse(Buffer.from(text, 'base64'));
  if (raw.x402Version !== 1 && raw.x402Version !== 2) throw new PaymentRefused('invalid_x402_version');
  return { ...shared(raw), ...(raw.x402Version === 1 ? ofVersion1(raw) : ofVersion2(raw)) };
}

/**
 * Reads `payment_proof`: a transaction's hash, or a payment in either alphabet of base64, with or without padding, and
 * with spaces where a form has decoded `+`. Contract 00, section 1.14.
 *
 * @throws PaymentRefused for anything else
 */
export function readProof(proof: string): Presented | TransactionHash {
  const text = proof.trim();
  if (word.test(text)) return { transaction: lower(text) };
  return readPresented(text.replaceAll('-', '+').replaceAll('_', '/').replaceAll(' ', '+'));
}

const malformed = () => new PaymentRefused('invalid_payload');

function parse(encoded: Buffer): Members {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(encoded));
    // What is kept of it has to be writable: no payment is deeper, and a database takes no NUL and no half of a pair.
    if (isMembers(value) && isWritable(value, depthMax) && !unstorable.test(JSON.stringify(value))) return value;
  } catch {
    // Neither text nor JSON: the same refusal as for JSON of another shape.
  }
  throw malformed();
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function membersOf(value: unknown): Members {
  if (!isMembers(value)) throw malformed();
  return value;
}

/** An optional object; null stands for none, as some clients have it. */
const optionalMembers = (value: unknown) => (value === undefined || value === null ? undefined : membersOf(value));

function textOf(value: unknown, pattern = /./s): string {
  if (typeof value !== 'string' || !pattern.test(value)) throw malformed();
  return value;
}

function uintOf(value: unknown): bigint {
  const number = BigInt(textOf(value, decimal));
  if (number > uint256Max) throw malformed();
  return number;
}

const lower = (text: string) => text.toLowerCase() as Hex;

const ofVersion1 = (raw: Members) => ({
  version: 1 as const,
  scheme: textOf(raw.scheme),
  network: textOf(raw.network),
  accepted: undefined,
  resourceUrl: undefined,
  extensions: undefined,
});

function ofVersion2(raw: Members) {
  const accepted = membersOf(raw.accepted);
  const resource = optionalMembers(raw.resource);
  return {
    version: 2 as const,
    scheme: textOf(accepted.scheme),
    network: textOf(accepted.network),
    accepted,
    resourceUrl: resource === undefined ? undefined : textOf(resource.url),
    extensions: optionalMembers(raw.extensions),
  };
}

/** What both versions have in common. */
function shared(raw: Members) {
  const payload = membersOf(raw.payload);
  if ('permit2Authorization' in payload) throw new PaymentRefused('unsupported_payload_type');
  const authorization = membersOf(payload.authorization);
  const signed = {
    payer: lower(textOf(authorization.from, address)),
    payTo: lower(textOf(authorization.to, address)),
    value: uintOf(authorization.value),
    validAfter: uintOf(authorization.validAfter),
    validBefore: uintOf(authorization.validBefore),
    nonce: lower(textOf(authorization.nonce, word)),
    signature: lower(textOf(payload.signature, bytes)),
  };
  const digest = createHash('sha256').update(Object.values(signed).map(String).join('\n')).digest('hex');
  return { ...signed, raw, digest };
}
