import { SignJWT } from 'jose';
import type { KeyRing } from '../../../core/keys.ts';
import { verifyToken } from '../verify-token.ts';

/** How long a bearer is good for, in seconds; the session behind it ends 12 hours after sign-in. Contract 01, 1.7, 1.8. */
export const accessSeconds = { control_plane: 900, operator: 1800 } as const;

const kinds = {
  control_plane: {
    typ: 'svc.control-plane-session+jwt',
    aud: 'svc.control-plane.v1',
    claims: { token_use: 'control_plane_session' },
  },
  operator: { typ: 'svc.operator-session+jwt', aud: 'svc.agent.v1.operator', claims: { scope: ['operator.read'] } },
} as const;

export type SessionKind = keyof typeof kinds;

export const isSessionTyp = (typ: unknown): boolean => Object.values(kinds).some((kind) => kind.typ === typ);

/** The `typ` of a kind's bearers. */
export const sessionTypOf = (kind: SessionKind): string => kinds[kind].typ;

export interface SessionToken {
  readonly kind: SessionKind;
  readonly sessionId: string;
  /** The principal, or the verified address of an operator. */
  readonly subject: string;
  readonly expiresAt: Date;
}

/** Signs a bearer for a session row. `subject`: the principal, or the verified address of an operator. */
export function signSessionToken(
  keys: KeyRing,
  session: {
    readonly id: string;
    readonly kind: SessionKind;
    readonly subject: string;
    readonly provenance: string;
    readonly amrTimes: Readonly<Record<string, number>>;
  },
  now: Date,
): Promise<string> {
  const { typ, aud, claims } = kinds[session.kind];
  const issuedAt = Math.floor(now.getTime() / 1000);
  return new SignJWT({
    ...claims,
    provenance: session.provenance,
    amr: Object.keys(session.amrTimes),
    amr_times: session.amrTimes,
  })
    .setProtectedHeader({ alg: 'HS256', typ })
    .setSubject(session.subject)
    .setJti(session.id)
    .setAudience(aud)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + accessSeconds[session.kind])
    .sign(keys.key('session-tokens'));
}

/** Reads a session bearer; undefined when it was not made here, was changed, or has expired. */
export async function readSessionToken(
  keys: KeyRing,
  token: string,
  typ: string,
  now: Date,
): Promise<SessionToken | undefined> {
  const entry = Object.entries(kinds).find(([, kind]) => kind.typ === typ);
  if (entry === undefined) return undefined;
  const [kind, { aud }] = entry as [SessionKind, (typeof kinds)[SessionKind]];
  const claims = await verifyToken(keys, 'session-tokens', token, {
    typ,
    audience: aud,
    currentDate: now,
    requiredClaims: ['jti', 'exp', 'sub'],
  });
  if (claims === undefined) return undefined;
  return { kind, sessionId: claims.jti!, subject: claims.sub!, expiresAt: new Date(claims.exp! * 1000) };
}
