import { randomBytes } from 'node:crypto';
import { ServiceError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/keys.ts';
import { sql } from '../../db/drizzle.ts';
import { jsonObject, toJson } from '../../db/json.ts';
import { identities, named, passkeys, refreshTokens, sessions, users } from '../../db/project-schema/auth.ts';
import { computed, from, insertSelect, pick, setOf, typed } from '../../db/sql.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { Services } from '../../kernel/run/context.ts';
import { lockUserStatement } from './lock-user.ts';
import { sessionJson, settingsJson, userJson } from './rows.ts';
import { answerSession, type SessionAnswer } from './session-answer.ts';
import { forgetAccountStatuses } from './shared/account-status.ts';
import { authBatch, authRow, authStatement } from './shared/auth-rows.ts';
import { swept } from './swept.ts';

/** How the caller has just proven to be a user. */
export interface Proof {
  readonly userId: string;
  /** Contract 01, section 1.4: `password`, `magic_link`, `email_code`, `oauth`, `passkey`. */
  readonly amr: readonly string[];
  /** The hash that the password was right for: another one by now is another password. */
  readonly passwordHash?: string;
  /** The hash that takes its place in the same transaction. */
  readonly newPasswordHash?: string | undefined;
  /** True for a user who was just made by a password: the owner of the address may have signed in by mail since. */
  readonly unverified?: true;
  /** Whose identity it was, for social sign-in. */
  readonly provider?: string;
  /** The identity that was used. An identity that was unlinked since is refused. */
  readonly subject?: string;
  /** The passkey that was used, which makes the session `aal2`. */
  readonly passkeyId?: string;
}

/** A refresh token: opaque, and kept as a hash alone. */
export const refreshTokenOf = (secret: Buffer) => `svcr_${secret.toString('base64url')}`;

/**
 * Begins a session for a user who has proven it; every way to sign in ends here. What the proof rests on must
 * still be so when the session begins: a change of it ends the sessions that it finds. Contract 01, section 1.5.
 *
 * @throws INVALID_AUTH
 */
export async function startSession(
  services: Services,
  target: ProjectTarget,
  { userId, amr, passwordHash, newPasswordHash, unverified, provider, subject, passkeyId }: Proof,
): Promise<SessionAnswer> {
  const refreshToken = refreshTokenOf(randomBytes(32));
  const lock = lockUserStatement.with({ user: userId });
  const start = startStatement.with({
    userId,
    amr: JSON.stringify(amr),
    aal: passkeyId === undefined ? 'aal1' : 'aal2',
    provider: provider ?? null,
    passkeyId: passkeyId ?? null,
    tokenHash: sha256Hex(refreshToken),
    hash: newPasswordHash ?? passwordHash ?? null,
    subject: subject ?? null,
    unverified: unverified ?? false,
  });
  const rehash =
    newPasswordHash === undefined
      ? undefined
      : rehashStatement.with({ user: userId, hash: passwordHash!, replacement: newPasswordHash });
  const [standing] =
    rehash === undefined
      ? (await authBatch(services, target, [lock, start]))[1]
      : (await authBatch(services, target, [lock, rehash, start]))[2];
  if (standing === undefined) throw new ServiceError('INVALID_AUTH', { nextActions: [] });
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
  const [, [count]] = await authBatch(services, target, [
    lockUserStatement.with({ user: userId }),
    endStatement.with({ user: userId, only: only ?? null, except: except ?? null }),
  ]);
  forgetAccountStatuses(services, target);
  return count!;
}

/** Ends the session that a refresh token belongs to, used or not. */
export async function endSessionOfToken(services: Services, target: ProjectTarget, given: string): Promise<void> {
  await authRow(services, target, endByTokenStatement.with({ token: sha256Hex(given) }));
  forgetAccountStatuses(services, target);
}

export const s = named(sessions, 's');
export const u = named(users, 'u');
export const t = named(refreshTokens, 't');

/** Session `s` of user `u` with what its tokens are made from. */
export const statusJson = jsonObject({ session: sessionJson(s), user: userJson(u), settings: settingsJson });

/** Each start and refresh of a session deletes a few sessions that ended long ago, with their tokens. */
export const sweptSessions = swept(
  sessions,
  sql`least(${sessions.expiresAt}, ${sessions.revokedAt})`,
  sql`now() - interval '7 days'`,
);

const rehashStatement = authStatement(
  'password_rehash',
  {
    params: { user: users.id, hash: users.passwordHash, replacement: users.passwordHash },
    answer: toJson(users.id),
  },
  ({ user, hash, replacement }, answer) => sql`update ${users} ${setOf(users, { passwordHash: replacement })}
    where ${users.id} = ${user} and ${users.passwordHash} = ${hash} returning ${answer}`,
);

const startStatement = authStatement(
  'session_start',
  // The user is locked: what the session rests on stays as it is found.
  {
    params: {
      ...pick(sessions, 'userId', 'aal', 'provider', 'passkeyId'),
      amr: typed<string>('jsonb'),
      tokenHash: refreshTokens.tokenHash,
      hash: users.passwordHash,
      subject: typed<string | null>('text'),
      unverified: typed<boolean>('boolean'),
    },
    answer: statusJson,
  },
  (
    { userId, amr, aal, provider, passkeyId, tokenHash, hash, subject, unverified },
    answer,
  ) => sql`with ${sweptSessions}, u as (
      update ${users} ${setOf(users, { lastSignInAt: sql`now()` })}
      where ${users.id} = ${userId} and (${hash}::text is null or ${users.passwordHash} = ${hash})
        and (not ${unverified}::boolean or ${users.emailVerifiedAt} is null)
        and (${passkeyId}::uuid is null or exists (
          select from ${passkeys} where ${passkeys.id} = ${passkeyId} and ${passkeys.userId} = ${userId}))
        and (${subject}::text is null or exists (
          select from ${identities} where ${identities.provider} = ${provider}
            and ${identities.providerSub} = ${subject} and ${identities.userId} = ${userId}))
      returning *
    ), s as (
      ${insertSelect(
        sessions,
        {
          userId: sql`${u.id}`,
          amr: sql`array(select jsonb_array_elements_text(${amr}::jsonb))`,
          aal,
          provider,
          passkeyId: sql`${passkeyId}::uuid`,
          passkeyTime: sql`case when ${passkeyId}::uuid is not null then now() end`,
          isTest: sql`${u.isTest}`,
          expiresAt: sql`now() + interval '30 days'`,
          hardExpiresAt: sql`now() + interval '90 days'`,
        },
        sql`from u`,
      )}
      returning *
    ), t as (${insertSelect(refreshTokens, { tokenHash, sessionId: sql`${s.id}` }, sql`from s`)})
    select ${answer} from s, u`,
);

const endStatement = authStatement(
  'session_end',
  {
    params: { user: sessions.userId, only: typed<string | null>('uuid'), except: typed<string | null>('uuid') },
    answer: toJson(computed<number>('integer', sql`count(*)::int`)),
  },
  ({ user, only, except }, answer) => sql`with ended as (
      update ${sessions} ${setOf(sessions, { revokedAt: sql`now()` })}
      where ${sessions.userId} = ${user} and ${sessions.revokedAt} is null and ${sessions.hardExpiresAt} > now()
        and (${only}::uuid is null or ${sessions.id} = ${only}) and (${except}::uuid is null or ${sessions.id} <> ${except})
      returning ${sessions.id}
    )
    select ${answer} from ended`,
);

const endByTokenStatement = authStatement(
  'session_end_by_token',
  { params: { token: refreshTokens.tokenHash }, answer: toJson(s.id) },
  ({ token }, answer) => sql`update ${from(s)} ${setOf(sessions, { revokedAt: sql`now()` })} from ${from(t)}
    where ${t.tokenHash} = ${token} and ${s.id} = ${t.sessionId} and ${s.revokedAt} is null returning ${answer}`,
);
