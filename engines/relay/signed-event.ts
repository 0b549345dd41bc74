import { createHash, randomBytes } from 'node:crypto';
import { isPrivate, isXOnlyPoint, signSchnorr, verifySchnorr, xOnlyPointFromScalar } from 'tiny-secp256k1';
import { z } from 'zod';

/** A public key, as events name it: 32 bytes in small hexadecimal letters. */
export const publicKeyPattern = /^[0-9a-f]{64}$/;

/** An event of the protocol Nostr, NIP-01. */
export const SignedEventForm = z.object({
  id: z.string().regex(publicKeyPattern),
  pubkey: z.string().regex(publicKeyPattern),
  created_at: z.int().min(0),
  kind: z.int().min(0).max(65_535),
  tags: z.array(z.array(z.string()).max(100)).max(20_000),
  content: z.string(),
  sig: z.string().regex(/^[0-9a-f]{128}$/),
});

export type SignedEvent = z.output<typeof SignedEventForm>;

/** What somebody signs. */
export type UnsignedEvent = Pick<SignedEvent, 'created_at' | 'kind' | 'tags' | 'content'>;

const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
const hex = (given: Uint8Array): string => Buffer.from(given).toString('hex');

const idOf = ({ pubkey, created_at, kind, tags, content }: Omit<SignedEvent, 'id' | 'sig'>): string =>
  createHash('sha256')
    .update(JSON.stringify([0, pubkey, created_at, kind, tags, content]))
    .digest('hex');

/** Whether a text is a public key on the curve. */
export const isPublicKey = (text: string): boolean => publicKeyPattern.test(text) && isXOnlyPoint(bytes(text));

/** A new secret key, with its public one. */
export function newKey(): { readonly secret: Buffer; readonly publicKey: string } {
  let secret = randomBytes(32);
  // One in 2^128 is none.
  while (!isPrivate(secret)) secret = randomBytes(32);
  return { secret, publicKey: publicKeyOf(secret) };
}

export const publicKeyOf = (secret: Uint8Array): string => hex(xOnlyPointFromScalar(secret));

export function signEvent(secret: Uint8Array, event: UnsignedEvent): SignedEvent {
  const whole = { pubkey: publicKeyOf(secret), ...event };
  const id = idOf(whole);
  return { id, ...whole, sig: hex(signSchnorr(bytes(id), secret, randomBytes(32))) };
}

/** An event whose id and signature are right; undefined for anything else. */
export function readEvent(given: unknown): SignedEvent | undefined {
  const { data: event } = SignedEventForm.safeParse(given);
  if (event === undefined || idOf(event) !== event.id || !isPublicKey(event.pubkey)) return undefined;
  return verifySchnorr(bytes(event.id), bytes(event.pubkey), bytes(event.sig)) ? event : undefined;
}
