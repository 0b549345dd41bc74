import { createHash, timingSafeEqual } from 'node:crypto';

/** What a key's secret is turned into before it is kept. Contract 02, section 2.8. */
const label = 'svc/room-invite/auth-hash/v1';

const secretBytes = 32;

/** The bytes of a secret as it is sent: base64url without padding, in the one spelling that there is for them. */
export function secretOf(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === secretBytes && bytes.toString('base64url') === text ? bytes : undefined;
}

/** Stands in for the hash of a key that there is not, so that it takes as long to be refused. */
const nobodys = Buffer.alloc(32);

/** Whether a secret is that of a key, in constant time; never for an absent key. */
export function isSecretOf(authHash: string | undefined, secret: Buffer): boolean {
  const given = createHash('sha256').update(label).update(secret).digest();
  const isEqual = timingSafeEqual(given, authHash === undefined ? nobodys : Buffer.from(authHash, 'hex'));
  return isEqual && authHash !== undefined;
}
