import { hash } from 'node:crypto';
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { KeyPurpose, KeyRing } from '../../core/keys.ts';
import { Lru } from '../../core/lru.ts';

interface VerifyTokenOptions extends Omit<JWTVerifyOptions, 'algorithms' | 'maxTokenAge' | 'clockTolerance'> {
  /** When the token has to be valid. */
  readonly currentDate: Date;
}

/**
 * Claims of tokens that passed, so that a bearer sent with every request is verified once; its times are checked on
 * every use. Under a digest, never the credential.
 */
const remembered = new WeakMap<KeyRing, Lru<JWTPayload>>();
const rememberedMax = 8_192;

/**
 * The claims of a token that this installation signed (HS256), under its current root secret or the previous one;
 * undefined for anything else.
 */
export async function verifyToken(
  keys: KeyRing,
  purpose: KeyPurpose,
  token: string,
  { currentDate, ...demands }: VerifyTokenOptions,
): Promise<JWTPayload | undefined> {
  const known = rememberedBy(keys);
  const name = hash('sha256', JSON.stringify([purpose, demands]) + token, 'base64');
  const claims = known.get(name);
  if (claims !== undefined) return isCurrent(claims, currentDate) ? claims : undefined;
  if (!isCanonical(token)) return undefined;
  for (const key of keys.keys(purpose)) {
    try {
      const { payload } = await jwtVerify(token, key, { ...demands, currentDate, algorithms: ['HS256'] });
      known.set(name, payload, 1);
      return payload;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
    }
  }
  return undefined;
}

function rememberedBy(keys: KeyRing): Lru<JWTPayload> {
  let known = remembered.get(keys);
  if (known === undefined) {
    known = new Lru({ entries: rememberedMax, bytes: Number.POSITIVE_INFINITY });
    remembered.set(keys, known);
  }
  return known;
}

/** As `jwtVerify` compares: in whole seconds, and over at `exp` itself. */
function isCurrent({ exp, nbf }: JWTPayload, now: Date): boolean {
  const second = Math.floor(now.getTime() / 1000);
  return (exp === undefined || exp > second) && (nbf === undefined || nbf <= second);
}

/** The last character of base64url has bits that decoders pass over: without this, one token has several spellings. */
const isCanonical = (token: string): boolean =>
  token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
