import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { toJson } from '../../db/json.ts';
import { named, sessions, users } from '../../db/project-schema/auth.ts';
import { computed, from, pick, setOf } from '../../db/sql.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import { signInThrottles } from '../../kernel/limits/limits.ts';
import type { Services } from '../../kernel/run/context.ts';
import { newPassword, triedPassword } from './auth-input.ts';
import { asUser, endpoint } from './endpoint.ts';
import type { LiveSession } from './live-session.ts';
import { lockUserStatement } from './lock-user.ts';
import { answerLatestCode } from './mail-grant.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { sessionOver } from './session-over.ts';
import { forgetAccountStatuses } from './shared/account-status.ts';
import { authBatch, authRow, authStatement } from './shared/auth-rows.ts';
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

/**
 * Asks for the user's current password. Its tries are counted apart, so that no stranger locks a signed-in user out.
 *
 * @throws INVALID_AUTH, RATE_LIMITED
 */
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
  const hash = await authRow(services, target, hashStatement.with({ id }));
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
  const [, [ended]] = await authBatch(services, target, [
    lockUserStatement.with({ user: account.id }),
    replaceStatement.with({ id: account.id, passwordHash: hash, session: session.id }),
  ]);
  if (ended === undefined) throw sessionOver();
  forgetAccountStatuses(services, target);
  return ended;
}

const hashStatement = authStatement(
  'password_hash',
  { params: pick(users, 'id'), answer: toJson(users.passwordHash) },
  ({ id }, answer) =>
    sql`select ${answer} from ${users} where ${users.id} = ${id} and ${users.passwordHash} is not null`,
);

const s = named(sessions, 's');

const replaceStatement = authStatement(
  'password_replace',
  {
    params: { ...pick(users, 'id', 'passwordHash'), session: s.id },
    answer: toJson(computed<number>('integer', sql`(select count(*)::int from ended)`)),
  },
  ({ id, passwordHash, session }, answer) => sql`with changed as (
      update ${users} ${setOf(users, { passwordHash })} where ${users.id} = ${id}
        and exists (select from ${sessions} where ${sessions.id} = ${session} and ${sessions.revokedAt} is null for share)
      returning ${users.id}
    ), ended as (
      update ${from(s)} ${setOf(sessions, { revokedAt: sql`now()` })} from changed
      where ${s.userId} = changed.id and ${s.id} <> ${session} and ${s.revokedAt} is null and ${s.hardExpiresAt} > now()
      returning ${s.id}
    )
    select ${answer} from changed`,
);
