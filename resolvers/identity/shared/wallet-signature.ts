import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { Lru } from '../../../core/lru.ts';
import { readUrl } from '../../../core/urls.ts';
import { SiwxMessage, siwxText } from '../siwx-message.ts';

/** A caller has just shown that it holds the key of `address`. */
export interface WalletProof {
  /** Lower case. */
  readonly address: `0x${string}`;
  readonly nonce: string;
  /** The last moment at which the same header is accepted; at most 7 minutes from now. */
  readonly expiresAt: Date;
}

/**
 * `details.reason` of the refusal; with `field_invalid`, `details.field` names the field, and where the times do not fit,
 * `details.server_time` says what time it is here.
 */
type WalletRefusal =
  | 'header_too_large'
  | 'header_not_base64'
  | 'header_not_json'
  | 'field_invalid'
  | 'domain_mismatch'
  | 'uri_mismatch'
  | 'issued_in_future'
  | 'issued_too_long_ago'
  | 'expired'
  | 'expires_before_issued'
  | 'address_not_checksummed'
  | 'signature_malleable'
  | 'signature_invalid';

const headerBytesMax = 8 * 1024;
const ageMsMax = 5 * 60_000;
const skewMs = 60_000;
const rememberedMax = 2_048;
/** Half the order of secp256k1: above it lies the twin every signature has (EIP-2). */
const sMax = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

// No cause and no message of its own, ever: what JSON, zod and viem throw quotes the credential.
const refuse = (reason: WalletRefusal, more: { readonly field?: string; readonly server_time?: string } = {}) =>
  new ServiceError('INVALID_AUTH', { details: { reason, ...more } });

/**
 * Decodes a `SIGN-IN-WITH-X` header, checks it and recovers its signer: contract 01, section 1.6. Whatever is wrong is
 * an INVALID_AUTH with a {@link WalletRefusal}. Replay of a nonce is the caller's concern, since only mutations mind it.
 *
 * @param expected.host what the caller's base address names, with its port if any: `localhost:4000`, `api.example.com`
 */
export async function verifyWalletSignature(
  header: string,
  expected: { readonly host: string | undefined },
  now: Date,
): Promise<WalletProof> {
  // Before anything is hashed or decoded.
  if (header.length > headerBytesMax) throw refuse('header_too_large');
  if (expected.host === undefined) throw refuse('domain_mismatch');
  const host = expected.host.toLowerCase();
  const key = createHash('sha256').update(`${host}\n${header}`).digest('base64');

  const known = remembered.get(key);
  if (known) {
    checkValidity(known, now);
    return toProof(known);
  }

  // Cheapest first: a header that fails before `recover` costs no curve arithmetic.
  const message = decode(header);
  checkHost(message, host);
  const validity = readValidity(message);
  checkValidity(validity, now);
  const address = await recover(message);

  const verified = { ...validity, address, nonce: message.nonce };
  remembered.set(key, verified, 1);
  return toProof(verified);
}

/** A message that a wallet signed, beside what requests are signed with. */
export interface SignedMessage {
  readonly message: SiwxMessage;
  /** Lower case. */
  readonly address: `0x${string}`;
  /** What was signed, to the letter. */
  readonly text: string;
}

/** A statement may have several lines: whoever reads one compares it with the one that it has to be. */
const LongMessage = SiwxMessage.extend({
  statement: z
    .string()
    .max(headerBytesMax)
    .refine((text) => text.isWellFormed()),
});
const longBytesMax = 24 * 1024;

/** Reads a message that is encoded as a header, with a statement of several lines. Its refusals are those of a header. */
export async function readSignedMessage(
  encoded: string,
  expected: { readonly host: string | undefined },
  now: Date,
): Promise<SignedMessage> {
  if (encoded.length > longBytesMax) throw refuse('header_too_large');
  if (expected.host === undefined) throw refuse('domain_mismatch');
  const message = decode(encoded, LongMessage);
  checkHost(message, expected.host.toLowerCase());
  checkValidity(readValidity(message), now);
  return { message, address: await recover(message), text: siwxText(message) };
}

function decode(header: string, form: typeof SiwxMessage | typeof LongMessage = SiwxMessage): SiwxMessage {
  const bytes = Buffer.from(header, 'base64');
  // Node skips what is not base64; only canonical text, padding included, survives the way back.
  if (bytes.length === 0 || bytes.toString('base64') !== header) throw refuse('header_not_base64');
  const parsed = form.safeParse(parseJson(bytes));
  if (parsed.success) return parsed.data;
  const field = parsed.error.issues[0]?.path[0];
  throw field === undefined ? refuse('header_not_json') : refuse('field_invalid', { field: String(field) });
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw refuse('header_not_json');
  }
}

function checkHost({ domain, uri }: SiwxMessage, host: string): void {
  const hostname = host.replace(/:\d+$/, '');
  const claimed = domain.toLowerCase();
  if (claimed !== hostname && claimed !== host) throw refuse('domain_mismatch');
  // The path is tolerated, and so is the port: a proxy may listen on another one than the server does.
  const url = readUrl(uri);
  if (url?.hostname !== hostname || url.username !== '' || url.password !== '') throw refuse('uri_mismatch');
}

/** Milliseconds since the epoch. */
interface Validity {
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** Why a header is refused after `expiresAt`. */
  readonly outdated: WalletRefusal;
}

function readValidity({ issuedAt, expirationTime }: SiwxMessage): Validity {
  const issued = Date.parse(issuedAt);
  const oldest = { issuedAt: issued, expiresAt: issued + ageMsMax + skewMs, outdated: 'issued_too_long_ago' } as const;
  if (expirationTime === undefined) return oldest;
  const expires = Date.parse(expirationTime);
  if (expires < issued) throw refuse('expires_before_issued');
  return expires < oldest.expiresAt ? { issuedAt: issued, expiresAt: expires, outdated: 'expired' } : oldest;
}

function checkValidity({ issuedAt, expiresAt, outdated }: Validity, now: Date): void {
  // Whose clock is wrong can put it right; pages of other origins may not read the header that says the same.
  const server_time = now.toISOString();
  if (issuedAt > now.getTime() + skewMs) throw refuse('issued_in_future', { server_time });
  if (now.getTime() > expiresAt) throw refuse(outdated, { server_time });
}

async function recover(message: SiwxMessage): Promise<`0x${string}`> {
  const signature = message.signature as `0x${string}`;
  // A second valid signature for the same text would be made of the first by anyone who saw it.
  if (BigInt(`0x${signature.slice(66, 130)}`) > sMax) throw refuse('signature_malleable');
  // Loaded by the first wallet that signs in: an idle server stays 9 MB smaller.
  const { checksumAddress, walletSigner } = await import('../../../engines/sign-in/wallet-signer.ts');
  const address = message.address.toLowerCase() as `0x${string}`;
  if (checksumAddress(address) !== message.address) throw refuse('address_not_checksummed');
  if (walletSigner(siwxText(message), signature) !== address) throw refuse('signature_invalid');
  return address;
}

interface Verified extends Validity {
  readonly address: `0x${string}`;
  readonly nonce: string;
}

const toProof = ({ address, nonce, expiresAt }: Verified): WalletProof => ({
  address,
  nonce,
  expiresAt: new Date(expiresAt),
});

/**
 * Headers that passed, so that a header sent again by a reader costs one hash. The key binds the host; the times are
 * checked on every use. Holds a digest, never the credential.
 */
const remembered = new Lru<Verified>({ entries: rememberedMax, bytes: Number.POSITIVE_INFINITY });
