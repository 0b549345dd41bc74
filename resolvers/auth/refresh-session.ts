import { sha256Hex } from '../../core/keys.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { jsonObject, toJson } from '../../db/json.ts';
import { named, refreshTokens, sessions, settings } from '../../db/project-schema/auth.ts';
import { computed, from, insertSelect, setOf, typed } from '../../db/sql.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import { assertWithinWindow } from '../../kernel/limits/counted-window.ts';
import { signInThrottles } from '../../kernel/limits/limits.ts';
import type { Services } from '../../kernel/run/context.ts';
import { answerSession, requireDomain, type SessionAnswer } from './session-answer.ts';
import { sessionOver } from './session-over.ts';
import { refreshTokenOf, s, statusJson, sweptSessions, t, u } from './sessions.ts';
import { forgetAccountStatuses } from './shared/account-status.ts';
import { authBatch, authStatement } from './shared/auth-rows.ts';
import { stands } from './stands.ts';

/**
 * The token that a refresh token is traded for, under each root secret, the current one first. It is derived from the
 * token before it, so that every node answers a repeated refresh with the same successor and nothing of it is stored.
 */
export const successorsOf = (
  { keys }: Pick<Services, 'keys'>,
  { projectId }: Pick<ProjectTarget, 'projectId'>,
  given: string,
): readonly string[] => keys.macs('refresh-tokens', `${projectId} ${given}`).map(refreshTokenOf);

/** How long a refresh whose answer was lost is answered again, in seconds. */
const answeredAgainSeconds = 10;

/**
 * Trades a refresh token for a new session answer. For {@link answeredAgainSeconds} a token that was traded answers the
 * same successor again, until the successor is used: its answer was lost, or two tabs refreshed at once. A token that is
 * shown later ends its session, since two parties hold it: the second of the two, thief or owner, finds the session
 * ended. One that is refused for another reason is as good as before.
 *
 * @throws INVALID_AUTH, SVC_AUTH_DOMAIN_NOT_ALLOWED, RATE_LIMITED
 */
export async function refreshSession(services: Services, target: ProjectTarget, given: string): Promise<SessionAnswer> {
  const successors = successorsOf(services, target, given);
  const hash = sha256Hex(given);
  const { times, seconds } = signInThrottles.refresh;
  const [[found], [standing]] = await authBatch(services, target, [
    findStatement.with({ token: hash, seconds }),
    refreshStatement.with({ token: hash, fresh: sha256Hex(successors[0]!), times, seconds }),
  ]);
  if (standing !== undefined) return answerSession(services, target, standing, successors[0]!);
  const again = await repeatedRefresh(services, target, hash, successors);
  if (again !== undefined) return again;
  if (found !== undefined) {
    requireDomain(found.standing.settings, found.standing.user, found.standing.session.amr);
    assertWithinWindow(signInThrottles.refresh, { count: found.count + 1, wait: found.wait });
  }
  throw sessionOver('refresh_token');
}

/** Answers a refresh once more, or ends the session of a token that was traded before. */
async function repeatedRefresh(
  services: Services,
  target: ProjectTarget,
  hash: string,
  successors: readonly string[],
): Promise<SessionAnswer | undefined> {
  const hashes = successors.map((successor) => sha256Hex(successor));
  const shown = { token: hash, successors: JSON.stringify(hashes), seconds: answeredAgainSeconds };
  const [, [again], [ended]] = await authBatch(services, target, [
    lockStatement.with({ token: hash }),
    againStatement.with(shown),
    reuseStatement.with(shown),
  ]);
  if (ended !== undefined) forgetAccountStatuses(services, target);
  if (again === undefined) return undefined;
  const { standing, successor } = again;
  requireDomain(standing.settings, standing.user, standing.session.amr);
  return answerSession(services, target, standing, successors[hashes.indexOf(successor)]!);
}

/** Whether session `s` can be refreshed by its token `t`. */
const refreshable = (token: SQL): SQL => sql`${t.tokenHash} = ${token} and ${t.usedAt} is null and ${stands(s)}`;

const r = named(refreshTokens, 'r');

/** Recent refreshes of session `s`. */
const late = (seconds: SQL): SQL =>
  sql`from ${from(r)} where ${r.sessionId} = ${s.id} and ${r.createdAt} > now() - make_interval(secs => ${seconds}::int)`;

const token = refreshTokens.tokenHash;
const seconds = typed<number>('integer');

const findStatement = authStatement(
  'session_find',
  {
    params: { token, seconds },
    answer: jsonObject({
      /** What a refresh token that is good belongs to. */
      standing: statusJson,
      /** Recent refreshes of the session, and seconds until the oldest of them no longer counts. */
      count: computed<number>('integer', sql`late.count`),
      wait: computed<number>('numeric', sql`late.wait`),
    }),
  },
  // The session is locked before its token, as when its user is deleted.
  ({ token, seconds }, answer) => sql`select ${answer}
    from ${from(t)} join ${from(s)} on ${s.id} = ${t.sessionId} join ${from(u)} on ${u.id} = ${s.userId},
      lateral (select count(*)::int as count,
        coalesce(ceil(extract(epoch from min(${r.createdAt}) - now())) + ${seconds}::int, 0) as wait ${late(seconds)}) late
    where ${refreshable(token)} for no key update of s`,
);

const refreshStatement = authStatement(
  'session_refresh',
  {
    params: { token, fresh: token, times: typed<number>('integer'), seconds },
    answer: statusJson,
  },
  // Who comes second has waited for the session, and finds the token used.
  ({ token, fresh, times, seconds }, answer) => sql`with ${sweptSessions}, used as (
      update ${from(t)} ${setOf(refreshTokens, { usedAt: sql`now()` })}
      from ${from(s)} join ${from(u)} on ${u.id} = ${s.userId}, ${settings}
      where ${refreshable(token)} and ${s.id} = ${t.sessionId}
        and (not 'oauth' = any (${s.amr}) or ${settings.allowedEmailDomains} = '{}'
          or substring(${u.email} from '[^@]*$') = any (${settings.allowedEmailDomains}))
        and (select count(*) ${late(seconds)}) < ${times}::int
      returning ${t.sessionId}
    ), s as (
      update ${from(s)} ${setOf(sessions, {
        lastRefreshedAt: sql`now()`,
        expiresAt: sql`least(now() + interval '30 days', ${s.hardExpiresAt})`,
      })}
      from used where ${s.id} = used.session_id and ${s.revokedAt} is null
      returning s.*
    ), t as (${insertSelect(refreshTokens, { tokenHash: fresh, sessionId: sql`${s.id}` }, sql`from s`)})
    select ${answer} from s join ${from(u)} on ${u.id} = ${s.userId}`,
);

const n = named(refreshTokens, 'n');
const successors = typed<string>('jsonb');

/** Whether token `t` of session `s` was traded so lately for the unused `n` that its refresh is answered again. */
const repeatable = (successors: SQL, seconds: SQL): SQL => sql`${stands(s)}
  and ${t.usedAt} > now() - make_interval(secs => ${seconds}::int)
  and ${n.sessionId} = ${s.id} and ${n.usedAt} is null
  and ${n.tokenHash} in (select jsonb_array_elements_text(${successors}::jsonb))`;

/** Has those who use a session's tokens come one after the other, whether the token was used or not. */
const lockStatement = authStatement(
  'session_lock',
  { params: { token }, answer: toJson(s.id) },
  ({ token }, answer) => sql`select ${answer} from ${from(t)} join ${from(s)} on ${s.id} = ${t.sessionId}
    where ${t.tokenHash} = ${token} for no key update of s`,
);

const againStatement = authStatement(
  'session_refresh_again',
  {
    params: { token, successors, seconds },
    answer: jsonObject({ standing: statusJson, successor: n.tokenHash }),
  },
  ({ token, successors, seconds }, answer) => sql`select ${answer}
    from ${from(t)} join ${from(s)} on ${s.id} = ${t.sessionId} join ${from(u)} on ${u.id} = ${s.userId}, ${from(n)}
    where ${t.tokenHash} = ${token} and ${repeatable(successors, seconds)}`,
);

const reuseStatement = authStatement(
  'session_reuse',
  { params: { token, successors, seconds }, answer: toJson(s.id) },
  ({ token, successors, seconds }, answer) => sql`update ${from(s)} ${setOf(sessions, { revokedAt: sql`now()` })}
    from ${from(t)}
    where ${t.tokenHash} = ${token} and ${t.usedAt} is not null and ${s.id} = ${t.sessionId} and ${s.revokedAt} is null
      and not exists (select from ${from(n)} where ${repeatable(successors, seconds)})
    returning ${answer}`,
);
