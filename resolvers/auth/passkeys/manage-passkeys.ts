import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import type { ProjectTarget } from '../../../kernel/access/addressed-project.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { asUser, endpoint } from '../endpoint.ts';
import type { LiveSession } from '../live-session.ts';
import { lockUserStatement } from '../lock-user.ts';
import { type AuthStatement, authBatch, authRows } from '../shared/auth-rows.ts';
import { passkeyId } from '../shared/passkeys/passkey-input.ts';
import { forgetStandings } from '../shared/standing.ts';
import {
  lockSettingsStatement,
  mayChange,
  type PasskeyStanding,
  requirePasskeyProof,
  standingSelect,
} from './passkey-proof.ts';
import { type PasskeyRow, PasskeyWire, passkeyJson, passkeyToWire } from './passkey-rows.ts';

const list = (name: 'auth.passkeys' | 'auth.accountPasskeys') =>
  endpoint({
    name,
    summary: 'The user’s passkeys, oldest first.',
    input: z.object({}),
    admit: asUser,
    handler: async ({ services, target, account }) => ({
      passkeys: (await authRows<PasskeyRow>(services, target, listStatement, [account.id])).map(passkeyToWire),
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

interface Removal {
  readonly standing: PasskeyStanding | null;
  readonly removed: boolean;
}

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
  const [, [found], , [removal]] = (await authBatch(services, target, [
    [lockUserStatement, [account.id]],
    [lockPasskeyStatement, [account.id, id]],
    [lockSettingsStatement, []],
    [removeStatement, [account.id, session.id, id]],
  ])) as [unknown, [string?], unknown, [Removal]];
  if (found === undefined) return undefined;
  requirePasskeyProof(removal.standing, 'passkey.remove');
  if (!removal.removed) throw new ServiceError('LAST_ADMIN_PASSKEY');
  forgetStandings(services, target);
  return removal.standing!.passkeys - 1;
}

const listStatement: AuthStatement = {
  name: 'passkey_list',
  text: `select ${passkeyJson('k')} from auth.passkeys k where user_id = $1::uuid order by created_at, id`,
};

const lockPasskeyStatement: AuthStatement = {
  name: 'passkey_lock',
  text: 'select to_json(id) from auth.passkeys where user_id = $1::uuid and id = $2::uuid for update',
};

const removeStatement: AuthStatement = {
  name: 'passkey_remove',
  text: `with st as (${standingSelect}), gone as (
      delete from auth.passkeys k using st
      where k.id = $3::uuid and k.user_id = $1::uuid and ${mayChange} and not (st.obliged and st.passkeys = 1)
      returning k.id
    ), changed as (
      update auth.sessions s set aal = 'aal1', passkey_id = null, passkey_time = null, amr = array_remove(s.amr, 'passkey'),
        revoked_at = case when s.id = $2::uuid then s.revoked_at else coalesce(s.revoked_at, now()) end
      from gone where s.passkey_id = gone.id
    )
    select json_build_object('standing', (select to_json(st) from st), 'removed', exists (select from gone))`,
};
