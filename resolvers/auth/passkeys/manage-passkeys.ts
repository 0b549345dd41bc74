import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { jsonObject, jsonOne, toJson } from '../../../db/json.ts';
import { passkeys as kept, named, sessions } from '../../../db/project-schema/auth.ts';
import { computed, from, setOf } from '../../../db/sql.ts';
import type { ProjectTarget } from '../../../kernel/access/project-target.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { asUser, endpoint } from '../endpoint.ts';
import type { LiveSession } from '../live-session.ts';
import { lockUserStatement } from '../lock-user.ts';
import { forgetAccountStatuses } from '../shared/account-status.ts';
import { authBatch, authRows, authStatement } from '../shared/auth-rows.ts';
import { passkeyId } from '../shared/passkeys/passkey-input.ts';
import { lockSettingsStatement, mayChange, requirePasskeyProof, statusJson, statusSelect } from './passkey-proof.ts';
import { PasskeyWire, passkeyJson, passkeyToWire } from './passkey-rows.ts';

const list = (name: 'auth.passkeys' | 'auth.accountPasskeys') =>
  endpoint({
    name,
    summary: 'The user’s passkeys, oldest first.',
    input: z.object({}),
    admit: asUser,
    handler: async ({ services, target, account }) => ({
      passkeys: (await authRows(services, target, listStatement.with({ user: account.id }))).map(passkeyToWire),
    }),
    wire: z.object({ passkeys: z.array(PasskeyWire) }),
  });

/** `GET /auth/v1/passkeys`. Contract 01, section 3.9. */
export const passkeys = list('auth.passkeys');

/** `GET /auth/v1/account/passkeys`. Contract 01, section 3.10. */
export const accountPasskeys = list('auth.accountPasskeys');

/** `DELETE /auth/v1/passkeys/:passkey_id`. */
export const deletePasskey = endpoint({
  name: 'auth.deletePasskey',
  summary: 'Have a passkey sign the user in no more; other sessions that began with it end.',
  input: z.object({ passkey_id: passkeyId }),
  admit: asUser,
  async handler(ctx, { passkey_id }) {
    const outcome = await removePasskey(ctx.services, ctx.target, ctx, passkey_id);
    if (outcome === undefined)
      throw new ServiceError('RESOURCE_NOT_FOUND', { message: 'The user has no such passkey.' });
    return { status: 'ok' as const };
  },
  wire: z.object({ status: z.literal('ok') }),
});

/** `POST /auth/v1/account/passkeys/remove`. Contract 01, section 3.10. */
export const removeAccountPasskey = endpoint({
  name: 'auth.removeAccountPasskey',
  summary: 'Remove a passkey if the user has it, and say what is left to sign in with.',
  input: z.object({ passkey_id: passkeyId }),
  admit: asUser,
  async handler(ctx, { passkey_id }) {
    const left = await removePasskey(ctx.services, ctx.target, ctx, passkey_id);
    const warning = left !== undefined && left === 0 && !ctx.account.has_password;
    return {
      ok: true as const,
      removed: left !== undefined,
      warning: warning ? ('no_svc_password_or_passkey_remaining' as const) : null,
    };
  },
  wire: z.object({
    ok: z.literal(true),
    removed: z.boolean(),
    warning: z.literal('no_svc_password_or_passkey_remaining').nullable(),
  }),
});

/**
 * Removes a passkey, and with it what sessions had gained by it: those that began with it end, save the one that asks,
 * which goes on as one without a passkey.
 *
 * @returns how many passkeys are left; undefined when the user had none such
 * @throws STEP_UP_REQUIRED, LAST_ADMIN_PASSKEY
 */
async function removePasskey(
  services: Services,
  target: ProjectTarget,
  { account, session }: LiveSession,
  id: string,
): Promise<number | undefined> {
  const [, [found], , [removal]] = await authBatch(services, target, [
    lockUserStatement.with({ user: account.id }),
    lockPasskeyStatement.with({ user: account.id, id }),
    lockSettingsStatement.with({}),
    removeStatement.with({ user: account.id, session: session.id, id }),
  ]);
  if (found === undefined) return undefined;
  const { standing, removed } = removal!;
  requirePasskeyProof(standing, 'passkey.remove');
  if (!removed) throw new ServiceError('LAST_ADMIN_PASSKEY');
  forgetAccountStatuses(services, target);
  return standing!.passkeys - 1;
}

const listStatement = authStatement(
  'passkey_list',
  { params: { user: kept.userId }, answer: passkeyJson(kept) },
  ({ user }, answer) =>
    sql`select ${answer} from ${kept} where ${kept.userId} = ${user} order by ${kept.createdAt}, ${kept.id}`,
);

const lockPasskeyStatement = authStatement(
  'passkey_lock',
  { params: { user: kept.userId, id: kept.id }, answer: toJson(kept.id) },
  ({ user, id }, answer) =>
    sql`select ${answer} from ${kept} where ${kept.userId} = ${user} and ${kept.id} = ${id} for update`,
);

const k = named(kept, 'k');
const s = named(sessions, 's');

const removeStatement = authStatement(
  'passkey_remove',
  {
    params: { user: k.userId, session: s.id, id: k.id },
    answer: jsonObject({
      standing: jsonOne(statusJson, sql`from st`),
      removed: computed<boolean>('boolean', sql`exists (select from gone)`),
    }),
  },
  ({ user, session, id }, answer) => sql`with st as (${statusSelect(user, session)}), gone as (
      delete from ${from(k)} using st
      where ${k.id} = ${id} and ${k.userId} = ${user} and ${mayChange} and not (st.obliged and st.passkeys = 1)
      returning ${k.id}
    ), changed as (
      update ${from(s)} ${setOf(sessions, {
        aal: sql`'aal1'`,
        passkeyId: sql`null`,
        passkeyTime: sql`null`,
        amr: sql`array_remove(${s.amr}, 'passkey')`,
        revokedAt: sql`case when ${s.id} = ${session} then ${s.revokedAt} else coalesce(${s.revokedAt}, now()) end`,
      })}
      from gone where ${s.passkeyId} = gone.id
    )
    select ${answer}`,
);
