import { randomBytes } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import type { ProjectTarget } from '../../kernel/access/addressed-project.ts';
import { signInThrottles } from '../../kernel/limits/limits.ts';
import { assertWithinRate } from '../../kernel/limits/rate-limit.ts';
import type { Services } from '../../kernel/run/context.ts';
import { lockUserStatement } from './lock-user.ts';
import { sessionJson, settingsJson, userJson } from './rows.ts';
import { answerSession, requireDomain, type SessionAnswer, type StandingSession } from './session-answer.ts';
import { sessionOver } from './session-over.ts';
import { type AuthStatement, authBatch, authRow } from './shared/auth-rows.ts';
import { forgetStandings } from './shared/standing.ts';

/** How somebody has just proven to be a user. */
export interface Proof {
  readonly userId: string;
  /** Contract 01, section 1.4: `password`, `magic_link`, `email_code`, `oauth`, `passkey`. */
  readonly amr: readonly string[];
  /** The hash that the password was right for: another one by now is another password. */
  readonly passwordHash?: string;
  /** The hash that takes its place in the same transaction. */
  readonly newPasswordHash?: string | undefined;
  /** True for a user who was just made by a password: somebody else may have come by the mail since. */
  readonly unverified?: true;
  /** Whose identity it was, for social sign-in. */
  readonly provider?: string;
  /** Which identity it was: one that was unlinked since signs nobody in. */
  readonly subject?: string;
  /** The passkey that was used, which makes the session `aal2`. */
  readonly passkeyId?: string;
}

/** A refresh token: opaque, and kept as a hash alone. */
const newRefreshToken = () => `svcr_${randomBytes(32).toString('base64url')}`;

/**
 * Begins a session for whoever has proven to be a user; every way to sign in ends here. What the proof rests on must
 * still be so when the session begins: whoever changes it ends the sessions that it finds. Contract 01, section 1.5.
 *
 * @throws INVALID_AUTH
 */
export async function startSession(
  services: Services,
  target: ProjectTarget,
  { userId, amr, passwordHash, newPasswordHash, unverified, provider, subject, passkeyId }: Proof,
): Promise<SessionAnswer> {
  const refreshToken = newRefreshToken();
  const values = [
    userId,
    amr,
    passkeyId === undefined ? 'aal1' : 'aal2',
    provider ?? null,
    passkeyId ?? null,
    sha256Hex(refreshToken),
    newPasswordHash ?? passwordHash ?? null,
    subject ?? null,
    unverified ?? false,
  ];
  const answers = await authBatch(services, target, [
    [lockUserStatement, [userId]],
    ...(newPasswordHash === undefined ? [] : [[rehashStatement, [userId, passwordHash!, newPasswordHash]] as const]),
    [startStatement, values],
  ]);
  const [standing] = answers.at(-1) as [StandingSession?];
  if (standing === undefined) throw new ServiceError('INVALID_AUTH', { nextActions: [] });
  return answerSession(services, target, standing, refreshToken);
}

/**
 * Trades a refresh token for a new session answer. A token that was traded before ends its session, since two parties
 * hold it: whoever comes second, the thief or the robbed, finds the session gone. One that is refused for another reason
 * is as good as before.
 *
 * @throws INVALID_AUTH, SVC_AUTH_DOMAIN_NOT_ALLOWED, RATE_LIMITED
 */
export async function refreshSession(services: Services, target: ProjectTarget, given: string): Promise<SessionAnswer> {
  const refreshToken = newRefreshToken();
  const hash = sha256Hex(given);
  const { times, seconds } = signInThrottles.refresh;
  const [[found], [standing]] = (await authBatch(services, target, [
    [findStatement, [hash, seconds]],
    [refreshStatement, [hash, sha256Hex(refreshToken), times, seconds]],
  ])) as [[Found?], [StandingSession?]];
  if (standing === undefined) {
    const ended = await authRow(services, target, reuseStatement, [hash]);
    if (ended !== undefined) forgetStandings(services, target);
    else if (found !== undefined) {
      requireDomain(found.standing.settings, found.standing.user, found.standing.session.amr);
      if (found.count >= times) assertWithinRate(Math.max(1, found.wait));
    }
    throw sessionOver('refresh_token');
  }
  return answerSession(services, target, standing, refreshToken);
}

/** What a refresh token that is good belongs to. */
interface Found {
  readonly standing: StandingSession;
  /** Refreshes of the session of late, and seconds until the first of them is one of late no longer. */
  readonly count: number;
  readonly wait: number;
}

/** What of a user's sessions is ended. */
export interface Ending {
  readonly userId: string;
  /** Only this one. */
  readonly only?: string;
  /** All but this one. */
  readonly except?: string;
}

/** Ends sessions of a user, at once on this node and within seconds on others. @returns how many */
export async function endSessions(
  services: Services,
  target: ProjectTarget,
  { userId, only, except }: Ending,
): Promise<number> {
  const [, [count]] = (await authBatch(services, target, [
    [lockUserStatement, [userId]],
    [endStatement, [userId, only ?? null, except ?? null]],
  ])) as [unknown, [number]];
  forgetStandings(services, target);
  return count;
}

/** Ends the session that a refresh token belongs to, used or not. */
export async function endSessionOfToken(services: Services, target: ProjectTarget, given: string): Promise<void> {
  await authRow(services, target, endByTokenStatement, [sha256Hex(given)]);
  forgetStandings(services, target);
}

const standingJson = (session: string, user: string) =>
  `json_build_object('session', ${sessionJson(session)}, 'user', ${userJson(user)}, 'settings', ${settingsJson})`;

/** Whoever begins or refreshes a session sweeps up a few that are long over, with their tokens. */
const sweptSessions = `swept as (
      delete from auth.sessions where id in (
        select id from auth.sessions where least(expires_at, revoked_at) < now() - interval '7 days'
        order by least(expires_at, revoked_at) limit 10 for update skip locked)
    )`;

const rehashStatement: AuthStatement = {
  name: 'password_rehash',
  text: 'update auth.users set password_hash = $3 where id = $1::uuid and password_hash = $2 returning to_json(id)',
};

const startStatement: AuthStatement = {
  name: 'session_start',
  // The user is locked: what the session rests on stays as it is found.
  text: `with ${sweptSessions}, u as (
      update auth.users set last_sign_in_at = now()
      where id = $1::uuid and ($7::text is null or password_hash = $7)
        and (not $9::boolean or email_verified_at is null)
        and ($5::uuid is null or exists (select from auth.passkeys where id = $5::uuid and user_id = $1::uuid))
        and ($8::text is null or exists (
          select from auth.identities where provider = $4 and provider_sub = $8 and user_id = $1::uuid))
      returning *
    ), s as (
      insert into auth.sessions (user_id, amr, aal, provider, passkey_id, passkey_time, is_test, expires_at,
        hard_expires_at)
      select u.id, array(select jsonb_array_elements_text($2::jsonb)), $3, $4, $5::uuid,
        case when $5::uuid is not null then now() end, u.is_test,
        now() + interval '30 days', now() + interval '90 days' from u
      returning *
    ), t as (insert into auth.refresh_tokens (token_hash, session_id) select $6, id from s)
    select ${standingJson('s', 'u')} from s, u`,
};

/** Whether session `s` of user `u` can be refreshed by its token `t`. */
const refreshable = `t.token_hash = $1 and t.used_at is null and s.revoked_at is null
        and s.expires_at > now() and s.hard_expires_at > now()`;

const findStatement: AuthStatement = {
  name: 'session_find',
  // The session is locked before its token, as when its user is deleted.
  text: `select json_build_object('standing', ${standingJson('s', 'u')}, 'count', late.count,
      'wait', coalesce(ceil(extract(epoch from late.first - now())) + $2::int, 0))
    from auth.refresh_tokens t join auth.sessions s on s.id = t.session_id join auth.users u on u.id = s.user_id,
      lateral (select count(*)::int as count, min(r.created_at) as first from auth.refresh_tokens r
        where r.session_id = s.id and r.created_at > now() - make_interval(secs => $2::int)) late
    where ${refreshable} for no key update of s`,
};

const refreshStatement: AuthStatement = {
  name: 'session_refresh',
  // Who comes second has waited for the session, and finds the token used.
  text: `with ${sweptSessions}, used as (
      update auth.refresh_tokens t set used_at = now()
      from auth.sessions s join auth.users u on u.id = s.user_id, auth.settings a
      where ${refreshable} and s.id = t.session_id
        and (not 'oauth' = any (s.amr) or a.allowed_email_domains = '{}'
          or substring(u.email from '[^@]*$') = any (a.allowed_email_domains))
        and (select count(*) from auth.refresh_tokens r where r.session_id = s.id
          and r.created_at > now() - make_interval(secs => $4::int)) < $3::int
      returning t.session_id
    ), s as (
      update auth.sessions s set last_refreshed_at = now(), expires_at = least(now() + interval '30 days', hard_expires_at)
      from used where s.id = used.session_id and s.revoked_at is null
      returning s.*
    ), t as (insert into auth.refresh_tokens (token_hash, session_id) select $2, id from s)
    select ${standingJson('s', 'u')} from s join auth.users u on u.id = s.user_id`,
};

const reuseStatement: AuthStatement = {
  name: 'session_reuse',
  text: `update auth.sessions s set revoked_at = now() from auth.refresh_tokens t
    where t.token_hash = $1 and t.used_at is not null and s.id = t.session_id and s.revoked_at is null
    returning to_json(s.id)`,
};

const endStatement: AuthStatement = {
  name: 'session_end',
  text: `with ended as (
      update auth.sessions set revoked_at = now()
      where user_id = $1::uuid and revoked_at is null and hard_expires_at > now()
        and ($2::uuid is null or id = $2::uuid) and ($3::uuid is null or id <> $3::uuid)
      returning id
    )
    select to_json(count(*)::int) from ended`,
};

const endByTokenStatement: AuthStatement = {
  name: 'session_end_by_token',
  text: `update auth.sessions s set revoked_at = now() from auth.refresh_tokens t
    where t.token_hash = $1 and s.id = t.session_id and s.revoked_at is null returning to_json(s.id)`,
};
