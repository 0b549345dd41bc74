import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { KeyPurpose, KeyRing } from '../../core/keys.ts';

/**
 * The claims of a token that this installation signed (HS256), under its current root secret or the previous one;
 * undefined for anything else.
 */
export async function verifyToken(
  keys: KeyRing,
  purpose: KeyPurpose,
  token: string,
  options: Omit<JWTVerifyOptions, 'algorithms'>,
): Promise<JWTPayload | undefined> {
  if (!isCanonical(token)) return undefined;
  for (const key of keys.keys(purpose)) {
    try {
      const { payload } = await jwtVerify(token, key, { ...options, algorithms: ['HS256'] });
      return payload;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
    }
  }
  return undefined;
}

/** The last character of base64url has bits that decoders pass over: without this, one token has several spellings. */
const isCanonical = (token: string): boolean =>
  token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
