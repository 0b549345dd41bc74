import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { KeyRing } from '../../core/keys.ts';
import type { SignerKeys } from './signer.ts';

/** What comes before the 32 bytes of an Ed25519 private key in PKCS #8. RFC 8410, section 7. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

const privateKeyOf = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' });

/** Keys derived from the root secrets, for an installation that was given none. */
export function derivedSigningKeys(keys: KeyRing): SignerKeys {
  const [current, ...older] = keys.keys('licences').map(privateKeyOf);
  return { current: current!, older: older.map((key) => createPublicKey(key)) };
}

/**
 * Reads `LICENSE_SIGNING_JWK`: a private Ed25519 key as JWK, or a set of keys `{"keys":[…]}` in which that one comes
 * first and those that it replaced follow.
 *
 * @returns undefined for anything else
 */
export function readSigningKeys(text: string): SignerKeys | undefined {
  try {
    const value = JSON.parse(text) as JsonWebKey | { readonly keys: readonly JsonWebKey[] };
    const [first, ...rest] = 'keys' in value ? (value.keys as readonly JsonWebKey[]) : [value as JsonWebKey];
    const current = first === undefined || first.d === undefined ? undefined : readKey(first);
    const older = rest.map(readKey);
    if (current === undefined || older.includes(undefined)) return undefined;
    return { current, older: older.map((key) => publicOf(key!)) };
  } catch {
    return undefined;
  }
}

/** A key whose public half is the one that it names. */
function readKey({ kty, crv, x, d }: JsonWebKey): KeyObject | undefined {
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string') return undefined;
  const key =
    d === undefined
      ? createPublicKey({ key: { kty, crv, x }, format: 'jwk' })
      : createPrivateKey({ key: { kty, crv, x, d }, format: 'jwk' });
  return publicOf(key).export({ format: 'jwk' }).x === x ? key : undefined;
}

const publicOf = (key: KeyObject): KeyObject => (key.type === 'private' ? createPublicKey(key) : key);
