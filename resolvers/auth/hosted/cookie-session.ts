import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { ServiceError } from '../../../core/errors.ts';
import { sameSecret, sha256Hex } from '../../../core/keys.ts';
import { sql } from '../../../db/drizzle.ts';
import { asKept, jsonObject } from '../../../db/json.ts';
import { named, refreshTokens, sessions, users } from '../../../db/project-schema/auth.ts';
import { computed, from, pick, setOf, typed } from '../../../db/sql.ts';
import type { ProjectTarget } from '../../../kernel/access/project-target.ts';
import type { Services } from '../../../kernel/run/context.ts';
import type { UserClaims } from '../access-token.ts';
import { type LiveSession, liveJson } from '../live-session.ts';
import { requireDomain, type SessionAnswer } from '../session-answer.ts';
import { forgetAccountStatuses } from '../shared/account-status.ts';
import { authRow, authStatement } from '../shared/auth-rows.ts';
import { stands } from '../stands.ts';
import { type ShownSession, sessionCookie } from './cookie.ts';

/** A cookie's secret; its hash alone is kept. */
const newSecret = () => randomBytes(32).toString('base64url');

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
  const kept = await authRow(services, target, keepStatement.with({ id: sessionId, secretHash: sha256Hex(secret) }));
  if (kept === undefined) throw new ServiceError('SVC_AUTH_SESSION_INVALID');
  return sessionCookie({ sessionId, secret }, new Date(kept.expires_at), services.now());
}

/** A session that does not exist, for a comparison that takes as long as any other. */
const nobodys = sha256Hex('');

/**
 * The session of a cookie, asked for anew with every request: what was ended a moment ago is over, and who came by an
 * address that the project has ceased to admit is out.
 *
 * @returns `replaced` for a session that has not ended and whose cookie has another secret by now
 * @throws SVC_AUTH_SESSION_INVALID, SVC_AUTH_SESSION_EXPIRED, SVC_AUTH_DOMAIN_NOT_ALLOWED
 */
export async function requireCookieSession(
  services: Services,
  target: ProjectTarget,
  { sessionId, secret }: ShownSession,
): Promise<LiveSession | 'replaced'> {
  const found = await authRow(services, target, findStatement.with({ id: sessionId }));
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
  const kept = await authRow(services, target, renewStatement.with({ id: shown.sessionId }));
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
  const prove = proveStatement.with({ id: sessionId, secretHash: sha256Hex(secret), method });
  const kept = await authRow(services, target, prove);
  if (kept === undefined) throw new ServiceError('SVC_AUTH_SESSION_INVALID');
  forgetAccountStatuses(services, target);
  return sessionCookie({ sessionId, secret }, new Date(kept.expires_at), services.now());
}

const s = named(sessions, 's');
const u = named(users, 'u');

const endJson = jsonObject(asKept(pick(sessions, 'expiresAt')));

const keepStatement = authStatement(
  'hosted_keep',
  { params: pick(sessions, 'id', 'secretHash'), answer: jsonObject(asKept(pick(s, 'expiresAt'))) },
  ({ id, secretHash }, answer) => sql`with s as (
      update ${sessions} ${setOf(sessions, { secretHash })} where ${sessions.id} = ${id} and ${sessions.revokedAt} is null
      returning ${sessions.id}, ${sessions.expiresAt}
    ), gone as (delete from ${refreshTokens} where ${refreshTokens.sessionId} in (select ${s.id} from s))
    select ${answer} from s`,
);

const findStatement = authStatement(
  'hosted_find',
  {
    params: pick(s, 'id'),
    answer: jsonObject({
      secret_hash: computed<string>('text', sql`${s.secretHash}`),
      revoked: computed<boolean>('boolean', sql`${s.revokedAt} is not null`),
      over: computed<boolean>('boolean', sql`${s.expiresAt} <= now() or ${s.hardExpiresAt} <= now()`),
      live: liveJson,
    }),
  },
  ({ id }, answer) => sql`select ${answer} from ${from(s)} join ${from(u)} on ${u.id} = ${s.userId}
    where ${s.id} = ${id} and ${s.secretHash} is not null`,
);

const renewStatement = authStatement(
  'hosted_renew',
  { params: pick(sessions, 'id'), answer: endJson },
  ({ id }, answer) => sql`update ${sessions} ${setOf(sessions, {
    expiresAt: sql`least(now() + interval '30 days', ${sessions.hardExpiresAt})`,
    lastRefreshedAt: sql`now()`,
  })}
    where ${sessions.id} = ${id} and ${stands(sessions)}
    returning ${answer}`,
);

const proveStatement = authStatement(
  'hosted_prove',
  { params: { ...pick(sessions, 'id', 'secretHash'), method: typed<string>('text') }, answer: endJson },
  ({ id, secretHash, method }, answer) => sql`update ${sessions} ${setOf(sessions, {
    authTime: sql`now()`,
    secretHash,
    amr: sql`case when ${method} = any(${sessions.amr}) then ${sessions.amr} else ${sessions.amr} || ${method} end`,
  })}
    where ${sessions.id} = ${id} and ${sessions.secretHash} is not null and ${stands(sessions)}
    returning ${answer}`,
);
