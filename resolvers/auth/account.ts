import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { toJson } from '../../db/json.ts';
import { identities, named, sessions } from '../../db/project-schema/auth.ts';
import { computed, from, setOf } from '../../db/sql.ts';
import { asUser, endpoint } from './endpoint.ts';
import { appOrigin, IdentityWire, identityToWire } from './get-user.ts';
import { lockUserStatement } from './lock-user.ts';
import { ownRpId } from './redirects.ts';
import { momentOf, momentOrNull, sessionJson } from './rows.ts';
import { endSessions } from './sessions.ts';
import { forgetAccountStatuses } from './shared/account-status.ts';
import { authBatch, authRows, authStatement } from './shared/auth-rows.ts';
import { stands } from './stands.ts';

/** What a signed-in user sees and ends of its account. Contract 01, section 3.10. */

/** `GET /auth/v1/account/security`. */
export const accountSecurity = endpoint({
  name: 'auth.accountSecurity',
  summary: 'By what means the user can sign in.',
  input: z.object({ app_origin: appOrigin }),
  admit: asUser,
  async handler({ services, target, account, identities, passkeyRps }, { app_origin }) {
    const rpId = app_origin === undefined ? null : await ownRpId(services, target, app_origin);
    return {
      has_svc_password: account.has_password,
      svc_passkey_count: passkeyRps.length,
      has_svc_passkey_for_current_rp: rpId === null ? null : passkeyRps.includes(rpId),
      svc_identities: identities.map(identityToWire),
      current_rp_id: rpId,
      passkey_rp_scope: 'host' as const,
      tenant_assertions: [],
    };
  },
  wire: z.object({
    has_svc_password: z.boolean(),
    svc_passkey_count: z.number().int(),
    has_svc_passkey_for_current_rp: z.boolean().nullable(),
    svc_identities: z.array(IdentityWire),
    current_rp_id: z.string().nullable(),
    passkey_rp_scope: z.enum(['host', 'realm']),
    tenant_assertions: z.array(z.unknown()),
  }),
});

/** `GET /auth/v1/account/sessions`. */
export const accountSessions = endpoint({
  name: 'auth.accountSessions',
  summary: 'The user’s sessions that stand, newest first.',
  input: z.object({}),
  admit: asUser,
  async handler({ services, target, account }) {
    const rows = await authRows(services, target, sessionsStatement.with({ user: account.id }));
    return {
      sessions: rows.map((row) => ({
        session_id: row.id,
        created_at: momentOf(row.created_at),
        last_refreshed_at: momentOrNull(row.last_refreshed_at),
        expires_at: momentOf(row.expires_at),
        hard_expires_at: momentOf(row.hard_expires_at),
        amr: [...row.amr],
        passkey_id: row.passkey_id,
      })),
    };
  },
  wire: z.object({
    sessions: z.array(
      z.object({
        session_id: z.uuid(),
        created_at: z.iso.datetime(),
        last_refreshed_at: z.iso.datetime().nullable(),
        expires_at: z.iso.datetime(),
        hard_expires_at: z.iso.datetime(),
        amr: z.array(z.string()),
        passkey_id: z.uuid().nullable(),
      }),
    ),
  }),
});

/** `POST /auth/v1/account/sessions/revoke`. */
export const revokeSession = endpoint({
  name: 'auth.revokeSession',
  summary: 'End one of the user’s sessions.',
  input: z.object({ session_id: z.uuid('must be a session id (a UUID)').describe('The session.') }),
  admit: asUser,
  async handler({ services, target, account }, { session_id }) {
    const ended = await endSessions(services, target, { userId: account.id, only: session_id });
    return { ok: true as const, revoked: ended > 0 };
  },
  wire: z.object({ ok: z.literal(true), revoked: z.boolean() }),
});

/** `POST /auth/v1/account/sign-out-everywhere`. */
export const signOutEverywhere = endpoint({
  name: 'auth.signOutEverywhere',
  summary: 'End all of the user’s sessions, this one too.',
  input: z.object({}),
  admit: asUser,
  handler: async ({ services, target, account }) => ({
    ok: true as const,
    revoked_count: await endSessions(services, target, { userId: account.id }),
  }),
  wire: z.object({ ok: z.literal(true), revoked_count: z.number().int() }),
});

/** `GET /auth/v1/account/identities`. */
export const accountIdentities = endpoint({
  name: 'auth.accountIdentities',
  summary: 'The social accounts that sign the user in.',
  input: z.object({}),
  admit: asUser,
  handler: async ({ identities }) => ({ identities: identities.map(identityToWire) }),
  wire: z.object({ identities: z.array(IdentityWire) }),
});

/** `POST /auth/v1/account/identities/unlink`. */
export const unlinkIdentity = endpoint({
  name: 'auth.unlinkIdentity',
  summary: 'Have a social account sign the user in no more; other sessions that its provider began end.',
  input: z.object({
    provider: z.string().min(1).max(64).describe('Its provider, for example `google`.'),
    subject: z.string().min(1).max(512).describe('What the provider calls the user.'),
  }),
  admit: asUser,
  async handler({ services, target, account, session }, { provider, subject }) {
    const [, [unlinked]] = await authBatch(services, target, [
      lockUserStatement.with({ user: account.id }),
      unlinkStatement.with({ user: account.id, provider, subject, session: session.id }),
    ]);
    if (unlinked !== undefined) forgetAccountStatuses(services, target);
    return { ok: true as const, unlinked: unlinked !== undefined };
  },
  wire: z.object({ ok: z.literal(true), unlinked: z.boolean() }),
});

const s = named(sessions, 's');

const sessionsStatement = authStatement(
  'account_sessions',
  { params: { user: s.userId }, answer: sessionJson(s) },
  ({ user }, answer) => sql`select ${answer} from ${from(s)} where ${s.userId} = ${user} and ${stands(s)}
    order by ${s.createdAt} desc, ${s.id} limit 500`,
);

const unlinkStatement = authStatement(
  'identity_unlink',
  // A session does not tell which of two accounts at one provider it began with: either's end then.
  {
    params: { user: identities.userId, provider: identities.provider, subject: identities.providerSub, session: s.id },
    answer: toJson(computed<string>('text', sql`gone.provider`)),
  },
  ({ user, provider, subject, session }, answer) => sql`with gone as (
      delete from ${identities} where ${identities.userId} = ${user} and ${identities.provider} = ${provider}
        and ${identities.providerSub} = ${subject} returning ${identities.provider}
    ), ended as (
      update ${from(s)} ${setOf(sessions, { revokedAt: sql`now()` })} from gone
      where ${s.userId} = ${user} and ${s.provider} = gone.provider and ${s.id} <> ${session} and ${s.revokedAt} is null
    )
    select ${answer} from gone`,
);
