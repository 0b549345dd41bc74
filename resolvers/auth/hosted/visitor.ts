import { ServiceError } from '../../../core/errors.ts';
import type { ProjectTarget } from '../../../kernel/access/project-target.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { projectKeyIssuer } from '../../identity/shared/project-keys.ts';
import { accessSeconds, checkAccessToken, readShownToken, type UserClaims } from '../access-token.ts';
import { type LiveSession, requireSession } from '../live-session.ts';
import { roleOf } from '../session-answer.ts';
import { clearedCookie, readSessionCookie } from './cookie.ts';
import { renewCookieSession, requireCookieSession } from './cookie-session.ts';

/** The caller on a project's host. */
export interface Visitor {
  /** Undefined for a visitor who is not signed in. */
  readonly session: LiveSession | undefined;
  readonly via: 'cookie' | 'bearer' | undefined;
  /** Why the cookie is none. */
  readonly refusal: ServiceError | undefined;
  /**
   * The cookie, where the answer is to set it: anew since its session was renewed, or to its end. One with a secret that
   * was replaced stays: this answer may come after the one that sets the new one, and would clear that.
   */
  readonly cookie?: string | undefined;
}

/** Whether the browser may have been given another cookie of the same session meanwhile. */
export const wasReplaced = ({ refusal, cookie }: Visitor): boolean => refusal !== undefined && cookie === undefined;

/**
 * Who asks on a project's host: by the cookie of the host, or by a bearer. A cookie that is no session makes nobody of
 * its bearer, and is for the answer to clear.
 *
 * @throws SVC_AUTH_INVALID_BEARER, SVC_AUTH_BEARER_COOKIE_MISMATCH
 */
export async function findVisitor(
  ctx: Context,
  target: ProjectTarget,
  cookieHeader: string | undefined,
): Promise<Visitor> {
  const { authorization } = ctx.credentials;
  const shown = readSessionCookie(cookieHeader);
  if (authorization === undefined && shown === undefined) return stranger;
  const bearer = authorization === undefined ? undefined : await sessionOfBearer(ctx, target, authorization);
  if (shown === undefined) return { session: bearer, via: 'bearer', refusal: undefined };
  const byBearer = { session: bearer, via: bearer === undefined ? undefined : ('bearer' as const) };
  try {
    if (shown === 'malformed') throw new ServiceError('SVC_AUTH_SESSION_INVALID');
    const session = await requireCookieSession(ctx.services, target, shown);
    if (session === 'replaced') return { ...byBearer, refusal: new ServiceError('SVC_AUTH_SESSION_INVALID') };
    if (bearer !== undefined && bearer.account.id !== session.account.id)
      throw new ServiceError('SVC_AUTH_BEARER_COOKIE_MISMATCH');
    const renewed = await renewCookieSession(ctx.services, target, shown, session);
    return { session, via: 'cookie', refusal: undefined, cookie: renewed };
  } catch (error) {
    if (!(error instanceof ServiceError) || !endings.has(error.code)) throw error;
    return { ...byBearer, refusal: error, cookie: clearedCookie };
  }
}

/** A visitor without a credential. */
export const stranger: Visitor = { session: undefined, via: undefined, refusal: undefined };
const endings: ReadonlySet<string> = new Set([
  'SVC_AUTH_SESSION_INVALID',
  'SVC_AUTH_SESSION_EXPIRED',
  'SVC_AUTH_DOMAIN_NOT_ALLOWED',
]);

/** @throws SVC_AUTH_REQUIRED, or why the session that was shown is over */
export function requireVisitor({ session, refusal }: Visitor): LiveSession {
  if (session === undefined) throw refusal ?? new ServiceError('SVC_AUTH_REQUIRED');
  return session;
}

async function sessionOfBearer(
  { services }: Context,
  target: ProjectTarget,
  authorization: string,
): Promise<LiveSession> {
  const token = /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(authorization.trim())?.[1];
  const shown = token === undefined ? undefined : readShownToken(token);
  const claims = shown?.projectId === target.projectId ? await checkAccessToken(services, target, shown) : undefined;
  if (claims === undefined) throw new ServiceError('SVC_AUTH_INVALID_BEARER');
  if (claims === 'expired') throw new ServiceError('SVC_AUTH_INVALID_BEARER', { details: { reason: 'token_expired' } });
  try {
    return await requireSession(services, target, claims);
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'INVALID_AUTH')) throw error;
    throw new ServiceError('SVC_AUTH_INVALID_BEARER', { details: error.details });
  }
}

/** What a token of a session would say now: what is done for a user is done by the same claims, however it came. */
export function claimsOf({ services }: Context, { projectId }: ProjectTarget, live: LiveSession): UserClaims {
  const { session, account: user, settings } = live;
  const iat = Math.floor(services.now().getTime() / 1000);
  return {
    iss: projectKeyIssuer,
    sub: user.id,
    role: roleOf({ session, user, settings }),
    project_id: projectId,
    email: user.email,
    email_verified: user.email_verified_at !== null,
    iat,
    exp: iat + accessSeconds,
    auth_time: Math.floor(Date.parse(session.auth_time) / 1000),
    amr: session.amr,
    aal: session.aal,
    ...(session.passkey_id === null ? {} : { passkey_id: session.passkey_id }),
    session_id: session.id,
    authz_version: user.authz_version,
    ...(session.is_test ? { is_test: true as const } : {}),
  };
}
