import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { ServiceError } from '../../../core/errors.ts';
import { sameSecret, sha256Hex } from '../../../core/keys.ts';
import type { ProjectTarget } from '../../../kernel/access/addressed-project.ts';
import type { Services } from '../../../kernel/run/context.ts';
import type { UserClaims } from '../access-token.ts';
import { type LiveSession, liveJson } from '../live-session.ts';
import { requireDomain, type SessionAnswer } from '../session-answer.ts';
import { type AuthStatement, authRow } from '../shared/auth-rows.ts';
import { forgetStandings } from '../shared/standing.ts';
import { type ShownSession, sessionCookie } from './cookie.ts';

/** A cookie's secret; its hash alone is kept. */
const newSecret = () => randomBytes(32).toString('base64url');

interface Kept {
  readonly expires_at: string;
}

/**
 * Has a session that has just begun live in a cookie, whatever it began with: its refresh token goes, and it is known by
 * the secret of its cookie alone.
 *
 * @returns the cookie
 */
export async function keepInCookie(
  services: Services,
  target: ProjectTarget,
  { access_token }: Pick<SessionAnswer, 'access_token'>,
): Promise<string> {
  const { session_id: sessionId } = decodeJwt<UserClaims>(access_token);
  const secret = newSecret();
  const kept = await authRow<Kept>(services, target, keepStatement, [sessionId, sha256Hex(secret)]);
  if (kept === undefined) throw new ServiceError('SVC_AUTH_SESSION_INVALID');
  return sessionCookie({ sessionId, secret }, new Date(kept.expires_at), services.now());
}

interface Found {
  readonly secret_hash: string;
  readonly revoked: boolean;
  readonly over: boolean;
  readonly live: LiveSession;
}

/** A session that nobody has, for a comparison that takes as long as any other. */
const nobodys = sha256Hex('');

/**
 * The session of a cookie, asked for anew with every request: what was ended a moment ago is over, and who came by an
 * address that the project has ceased to admit is out.
 *
 * @returns `replaced` for a session that stands and whose cookie has another secret by now
 * @throws SVC_AUTH_SESSION_INVALID, SVC_AUTH_SESSION_EXPIRED, SVC_AUTH_DOMAIN_NOT_ALLOWED
 */
export async function requireCookieSession(
  services: Services,
  target: ProjectTarget,
  { sessionId, secret }: ShownSession,
): Promise<LiveSession | 'replaced'> {
  const found = await authRow<Found>(services, target, findStatement, [sessionId]);
  const right = sameSecret(sha256Hex(secret), found?.secret_hash ?? nobodys);
  if (found !== undefined && !right && !found.revoked && !found.over) return 'replaced';
  if (found === undefined || !right || found.revoked) throw new ServiceError('SVC_AUTH_SESSION_INVALID');
  if (found.over) throw new ServiceError('SVC_AUTH_SESSION_EXPIRED');
  const { settings, account, session } = found.live;
  requireDomain(settings, account, session.amr);
  return found.live;
}

/** How little of its life a session may have used up before it is renewed again, in milliseconds. */
const renewedMs = 86_400_000;
const lifeMs = 30 * 86_400_000;

/**
 * Has a session that is used live on, as a refresh does for tokens: once a day at most, and never beyond its hard end.
 *
 * @returns its cookie, when that is to be set anew
 */
export async function renewCookieSession(
  services: Services,
  target: ProjectTarget,
  shown: ShownSession,
  { session }: LiveSession,
): Promise<string | undefined> {
  const now = services.now();
  const [ends, hardEnd] = [Date.parse(session.expires_at), Date.parse(session.hard_expires_at)];
  if (ends - now.getTime() > lifeMs - renewedMs || ends >= hardEnd) return undefined;
  const kept = await authRow<Kept>(services, target, renewStatement, [shown.sessionId]);
  return kept === undefined ? undefined : sessionCookie(shown, new Date(kept.expires_at), now);
}

/**
 * Notes that the user of a session has just proven again to be who it is. The cookie gets another secret, so that one
 * which was copied before is good for nothing after.
 *
 * @param method how, as in `amr`
 * @returns the cookie
 */
export async function proveAgain(
  services: Services,
  target: ProjectTarget,
  sessionId: string,
  method: string,
): Promise<string> {
  const secret = newSecret();
  const kept = await authRow<Kept>(services, target, proveStatement, [sessionId, sha256Hex(secret), method]);
  if (kept === undefined) throw new ServiceError('SVC_AUTH_SESSION_INVALID');
  forgetStandings(services, target);
  return sessionCookie({ sessionId, secret }, new Date(kept.expires_at), services.now());
}

const keepStatement: AuthStatement = {
  name: 'hosted_keep',
  text: `with s as (
      update auth.sessions set secret_hash = $2 where id = $1::uuid and revoked_at is null returning id, expires_at
    ), gone as (delete from auth.refresh_tokens where session_id in (select id from s))
    select json_build_object('expires_at', expires_at) from s`,
};

const findStatement: AuthStatement = {
  name: 'hosted_find',
  text: `select json_build_object('secret_hash', s.secret_hash, 'revoked', s.revoked_at is not null,
      'over', s.expires_at <= now() or s.hard_expires_at <= now(), 'live', ${liveJson})
    from auth.sessions s join auth.users u on u.id = s.user_id
    where s.id = $1::uuid and s.secret_hash is not null`,
};

const renewStatement: AuthStatement = {
  name: 'hosted_renew',
  text: `update auth.sessions set expires_at = least(now() + interval '30 days', hard_expires_at), last_refreshed_at = now()
    where id = $1::uuid and revoked_at is null and expires_at > now() and hard_expires_at > now()
    returning json_build_object('expires_at', expires_at)`,
};

const proveStatement: AuthStatement = {
  name: 'hosted_prove',
  text: `update auth.sessions set auth_time = now(), secret_hash = $2,
      amr = case when $3 = any(amr) then amr else amr || $3 end
    where id = $1::uuid and secret_hash is not null and revoked_at is null
      and expires_at > now() and hard_expires_at > now()
    returning json_build_object('expires_at', expires_at)`,
};
