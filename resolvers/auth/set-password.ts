import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { ProjectTarget } from '../../kernel/access/addressed-project.ts';
import { signInThrottles } from '../../kernel/limits/limits.ts';
import type { Services } from '../../kernel/run/context.ts';
import { newPassword, triedPassword } from './auth-input.ts';
import { asUser, endpoint } from './endpoint.ts';
import type { LiveSession } from './live-session.ts';
import { lockUserStatement } from './lock-user.ts';
import { answerLatestCode } from './mail-grant.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { sessionOver } from './session-over.ts';
import { type AuthStatement, authBatch, authRow } from './shared/auth-rows.ts';
import { forgetStandings } from './shared/standing.ts';
import { countTry, forgetTries } from './throttle.ts';

/** How long after a link or a code a password can be set without the old one, in minutes: as long as they were good. */
const resetMinutes = 15;
/** How old a sign-in may be that sets a password among the settings of an account, in minutes. Section 3.10. */
const freshMinutes = 5;

/** `POST` or `PUT /auth/v1/user/password`. Contract 01, section 3.8. */
export const setPassword = endpoint({
  name: 'auth.setPassword',
  summary: 'Change the user’s password, reset it after a sign-in by mail, or set a first one; other sessions end.',
  input: z.object({
    new_password: newPassword,
    current_password: triedPassword.optional().describe('The password so far, unless a mail has just proven the user.'),
  }),
  admit: asUser,
  async handler(ctx, { new_password, current_password }) {
    await changePassword(ctx.services, ctx.target, ctx, { new_password, current_password });
    return { status: 'ok' as const };
  },
  wire: z.object({ status: z.literal('ok') }),
});

/** What a password is changed by: that so far, a code that was just mailed, or the session itself if a mail began it. */
export interface PasswordChange {
  readonly new_password: string;
  readonly current_password?: string | undefined;
  readonly code?: string | undefined;
}

/** @throws INVALID_AUTH, FORBIDDEN, RATE_LIMITED */
export async function changePassword(
  services: Services,
  target: ProjectTarget,
  live: LiveSession,
  change: PasswordChange,
): Promise<void> {
  await proveForPassword(services, target, live, change);
  await replacePassword(services, target, live, change.new_password);
}

/**
 * Whether a user may set the password that it wants to, by what it shows.
 *
 * @throws INVALID_AUTH, FORBIDDEN, RATE_LIMITED
 */
export async function proveForPassword(
  services: Services,
  target: ProjectTarget,
  { account, session, settings }: LiveSession,
  { current_password, code }: Omit<PasswordChange, 'new_password'>,
): Promise<void> {
  if (!account.has_password) {
    if (!settings.allow_password_set)
      throw new ServiceError('FORBIDDEN', { message: 'Users of this project set no first password.' });
  } else if (code !== undefined) await answerLatestCode(services, target, { email: account.email, code });
  else if (!wasMailed(session) || minutesSince(services, session) > resetMinutes)
    await requirePassword(services, target, account, current_password);
}

/** `POST /auth/v1/account/password`. Contract 01, section 3.10. */
export const setAccountPassword = endpoint({
  name: 'auth.setAccountPassword',
  summary: 'Set the user’s password within five minutes of signing in; other sessions end.',
  input: z.object({ new_password: newPassword }),
  admit: asUser,
  async handler(ctx, { new_password }) {
    const { services, target, account, session, settings } = ctx;
    if (minutesSince(services, session) > freshMinutes) throw new ServiceError('SVC_AUTH_FRESHNESS_REQUIRED');
    if (!account.has_password && !settings.allow_password_set)
      throw new ServiceError('FORBIDDEN', { message: 'Users of this project set no first password.' });
    return { ok: true as const, sessions_revoked: await replacePassword(services, target, ctx, new_password) };
  },
  wire: z.object({ ok: z.literal(true), sessions_revoked: z.number().int() }),
});

type Session = LiveSession['session'];

const wasMailed = ({ amr }: Session) => amr.includes('magic_link') || amr.includes('email_code');
const minutesSince = ({ now }: Services, { auth_time }: Session) => (now().getTime() - Date.parse(auth_time)) / 60_000;

/** Asks for the password that a user has; its tries are counted apart, so that who is signed in is locked out by no stranger. @throws INVALID_AUTH, RATE_LIMITED */
export async function requirePassword(
  services: Services,
  target: ProjectTarget,
  { id }: LiveSession['account'],
  given: string | undefined,
): Promise<void> {
  if (given === undefined) {
    const message = 'The password so far is needed.';
    throw new ServiceError('INVALID_AUTH', {
      message,
      details: { reason: 'password_needed', field: 'current_password' },
      nextActions: [],
    });
  }
  await countTry(services, target, signInThrottles.password, 'own_password', id);
  const hash = await authRow<string | null>(services, target, hashStatement, [id]);
  if (!(await isPassword(services, target, { hash: hash ?? null }, given)))
    throw new ServiceError('INVALID_AUTH', {
      message: 'The password so far is wrong.',
      details: { reason: 'password', field: 'current_password' },
      nextActions: [],
    });
  await forgetTries(services, target, 'own_password', id);
}

/** Sets a password, and ends the user's other sessions. @returns how many */
export async function replacePassword(
  services: Services,
  target: ProjectTarget,
  { account, session }: LiveSession,
  password: string,
): Promise<number> {
  const hash = await hashPassword(services, target, password);
  // The session may have ended while the password was hashed.
  const [, [ended]] = (await authBatch(services, target, [
    [lockUserStatement, [account.id]],
    [replaceStatement, [account.id, hash, session.id]],
  ])) as [unknown, [number?]];
  if (ended === undefined) throw sessionOver();
  forgetStandings(services, target);
  return ended;
}

const hashStatement: AuthStatement = {
  name: 'password_hash',
  text: 'select to_json(password_hash) from auth.users where id = $1::uuid and password_hash is not null',
};

const replaceStatement: AuthStatement = {
  name: 'password_replace',
  text: `with changed as (
      update auth.users set password_hash = $2 where id = $1::uuid
        and exists (select from auth.sessions where id = $3::uuid and revoked_at is null for share)
      returning id
    ), ended as (
      update auth.sessions s set revoked_at = now() from changed
      where s.user_id = changed.id and s.id <> $3::uuid and s.revoked_at is null and s.hard_expires_at > now()
      returning s.id
    )
    select to_json((select count(*)::int from ended)) from changed`,
};
