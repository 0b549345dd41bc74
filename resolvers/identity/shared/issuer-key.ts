import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../../../core/keys.ts';

/** Keys of issuers of vouchers are opaque; the prefix only tells them from other bearers. Contract 04, section 0.1. */
const prefix = 'svcvi_';

/** A new key of an issuer and the hash that is kept of it. */
export function newIssuerKey(): { readonly key: string; readonly hash: string } {
  const key = prefix + randomBytes(32).toString('base64url');
  return { key, hash: sha256Hex(key) };
}

/** The hash under which a bearer would be kept, or undefined when it is not the key of an issuer. */
export const issuerKeyHash = (bearer: string): string | undefined =>
  bearer.startsWith(prefix) && bearer.length < 128 ? sha256Hex(bearer) : undefined;
