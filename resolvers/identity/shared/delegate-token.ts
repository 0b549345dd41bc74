import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../../../core/keys.ts';

/** Delegate tokens are opaque; the prefix only tells them from other bearers. Contract 01, section 1.9. */
const prefix = 'svcdt_';

/** A new delegate token and the hash that is kept of it. */
export function newDelegateToken(): { readonly token: string; readonly hash: string } {
  const token = prefix + randomBytes(32).toString('base64url');
  return { token, hash: sha256Hex(token) };
}

/** The hash under which a bearer would be kept, or undefined when it is not a delegate token. */
export const delegateTokenHash = (bearer: string): string | undefined =>
  bearer.startsWith(prefix) && bearer.length < 128 ? sha256Hex(bearer) : undefined;
