import { randomBytes } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import type { Services } from '../context.ts';
import type { ProjectTarget } from '../project-target.ts';
import { type AuthStatement, authRow } from './auth-rows.ts';
import { sessionJson, settingsJson, userJson } from './rows.ts';
import { answerSession, requireDomain, type SessionAnswer, type StandingSession } from './session-answer.ts';
import { forgetStandings } from './standing.ts';

/** How somebody has just proven to be a user. */
export interface Proof {
  readonly userId: string;
  /** Contract 01, section 1.4: `password`, `magic_link`, `email_code`, `oauth`, `passkey`. */
  readonly amr: readonly string[];
  /** Whose identity it was, for social sign-in. */
  readonly provider?: string;
  /** The passkey that was used, which makes the session `aal2`. */
  readonly passkeyId?: string;
}

/** A refresh token: opaque, and kept as a hash alone. */
const newRefreshToken = () => `svcr_${randomBytes(32).toString('base64url')}`;

/** Begins a session for whoever has proven to be a user; every way to sign in ends here. Contract 01, section 1.5. */
export async function startSession(
  services: Services,
  target: ProjectTarget,
  { userId, amr, provider, passkeyId }: Proof,
): Promise<SessionAnswer> {
  const refreshToken = newRefreshToken();
  const standing = await authRow<StandingSession>(services, target, startStatement, [
    userId,
    amr,
    passkeyId === undefined ? 'aal1' : 'aal2',
    provider ?? null,
    passkeyId ?? null,
    sha256Hex(refreshToken),
  ]);
  if (standing === undefined) throw new ServiceError('INVALID_AUTH');
  return answerSession(services, target, standing, refreshToken);
}

/**
 * Trades a refresh token for a new session answer. A token that was traded before ends its session, since two parties
 * hold it: whoever comes second, the thief or the robbed, finds the session gone.
 *
 * @throws INVALID_AUTH, SVC_AUTH_DOMAIN_NOT_ALLOWED
 */
export async function refreshSession(services: Services, target: ProjectTarget, given: string): Promise<SessionAnswer> {
  const refreshToken = newRefreshToken();
  const hash = sha256Hex(given);
  const standing = await authRow<StandingSession>(services, target, refreshStatement, [hash, sha256Hex(refreshToken)]);
  if (standing === undefined) {
    const ended = await authRow(services, target, reuseStatement, [hash]);
    if (ended !== undefined) forgetStandings(services);
    throw new ServiceError('INVALID_AUTH', { details: { reason: 'refresh_token' } });
  }
  requireDomain(standing.settings, standing.user, standing.session.amr);
  return answerSession(services, target, standing, refreshToken);
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
  const count = await authRow<number>(services, target, endStatement, [userId, only ?? null, except ?? null]);
  forgetStandings(services);
  return count!;
}

/** Ends the session that a refresh token belongs to, used or not. */
export async function endSessionOfToken(services: Services, target: ProjectTarget, given: string): Promise<void> {
  await authRow(services, target, endByTokenStatement, [sha256Hex(given)]);
  forgetStandings(services);
}

const standingJson = (session: string, user: string) =>
  `json_build_object('session', ${sessionJson(session)}, 'user', ${userJson(user)}, 'settings', ${settingsJson})`;

const startStatement: AuthStatement = {
  name: 'session_start',
  // Whoever signs in sweeps up what is left of old sessions of theirs. A passkey that is being removed is waited for:
  // its removal ends sessions, and must not miss this one.
  text: `with swept as (
      delete from auth.sessions where user_id = $1::uuid and hard_expires_at < now() - interval '7 days'
    ), p as (
      select id from auth.passkeys where id = $5::uuid and user_id = $1::uuid for key share
    ), u as (
      update auth.users set last_sign_in_at = now()
      where id = $1::uuid and ($5::uuid is null or exists (select from p)) returning *
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

const refreshStatement: AuthStatement = {
  name: 'session_refresh',
  // Who comes second waits for the row of the token, and then finds it used.
  text: `with used as (
      update auth.refresh_tokens t set used_at = now() from auth.sessions s
      where t.token_hash = $1 and t.used_at is null and s.id = t.session_id and s.revoked_at is null
        and s.expires_at > now() and s.hard_expires_at > now()
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
