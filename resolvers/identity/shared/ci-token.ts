import { SignJWT } from 'jose';
import type { KeyRing } from '../../../core/keys.ts';
import { verifyToken } from '../verify-token.ts';

/** How long a bearer of a workflow is good for, in seconds. Contract 03, section 9.2. */
export const ciSeconds = 900;

export const ciTyp = 'svc.ci-session+jwt';
const audience = 'svc.ci.v1';

/** A bearer of a workflow that a binding lets deploy. */
export interface CiToken {
  readonly bindingId: string;
  readonly delegateId: string;
  /** Of the token that it was exchanged for. */
  readonly subject: string;
  readonly expiresAt: Date;
}

/** Signs a bearer for a binding, which ends it when it ends itself. */
export function signCiToken(
  keys: KeyRing,
  { bindingId, delegateId, subject }: Omit<CiToken, 'expiresAt'>,
  now: Date,
): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1000);
  return new SignJWT({ binding: bindingId, delegate: delegateId, scope: 'deploy' })
    .setProtectedHeader({ alg: 'HS256', typ: ciTyp })
    .setSubject(subject)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ciSeconds)
    .sign(keys.key('session-tokens'));
}

/** Reads one; undefined when it was not made here, was changed, or has expired. */
export async function readCiToken(keys: KeyRing, token: string, now: Date): Promise<CiToken | undefined> {
  const demands = { typ: ciTyp, audience, currentDate: now, requiredClaims: ['sub', 'exp'] };
  const claims = await verifyToken(keys, 'session-tokens', token, demands);
  if (claims === undefined || typeof claims.binding !== 'string' || typeof claims.delegate !== 'string')
    return undefined;
  return {
    bindingId: claims.binding,
    delegateId: claims.delegate,
    subject: claims.sub!,
    expiresAt: new Date(claims.exp! * 1000),
  };
}
