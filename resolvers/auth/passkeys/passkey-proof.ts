import { ServiceError } from '../../../core/errors.ts';
import { sessionOver } from '../session-over.ts';
import type { AuthStatement } from '../shared/auth-rows.ts';

/** How old a proof may be that passkeys are changed by, in seconds. Contract 01, section 3.9. */
const proofSeconds = 300;

/** What decides whether a session may change its user's passkeys. */
export interface PasskeyStanding {
  /** Whether the session stands. */
  readonly live: boolean;
  /** Whether the user is an admin whom the project demands a passkey of. */
  readonly obliged: boolean;
  readonly passkeys: number;
  /** Whether the user signed in a moment ago, by whatever means. */
  readonly fresh: boolean;
  /** Whether the session rests on a passkey that still is one. */
  readonly proven: boolean;
  /** Whether that one was shown a moment ago. */
  readonly recent: boolean;
}

/** The standing of session `$2` of user `$1`: one row, or none when there is no such session. */
export const standingSelect = `select
    s.revoked_at is null and s.expires_at > now() and s.hard_expires_at > now() as live,
    u.is_admin and a.require_passkey_for_project_admin as obliged,
    (select count(*)::int from auth.passkeys k where k.user_id = u.id) as passkeys,
    s.auth_time > now() - interval '${proofSeconds} seconds' as fresh,
    s.passkey_id is not null as proven,
    s.passkey_id is not null and coalesce(s.passkey_time > now() - interval '${proofSeconds} seconds', false) as recent
  from auth.users u join auth.sessions s on s.user_id = u.id, auth.settings a
  where u.id = $1::uuid and s.id = $2::uuid`;

/** Whether a row `st` of {@link standingSelect} may change passkeys; the same as {@link requirePasskeyProof}. */
export const mayChange = 'st.live and (not st.obliged or st.recent or (st.fresh and st.passkeys = 0))';

/** Locks what the project demands of admins: statements behind it in the batch find it as the last change left it. */
export const lockSettingsStatement: AuthStatement = {
  name: 'passkey_lock_settings',
  text: 'select to_json(true) from auth.settings for share',
};

/**
 * Asks of an admin whom the project demands a passkey of to have just shown one. One who has none shows a fresh sign-in
 * of any kind instead: nobody else could ever become an admin.
 *
 * @throws INVALID_AUTH, STEP_UP_REQUIRED, RECENT_SIGN_IN_REQUIRED
 */
export function requirePasskeyProof(
  standing: PasskeyStanding | undefined | null,
  opClass: 'passkey.register' | 'passkey.remove',
): void {
  if (standing?.live !== true) throw sessionOver();
  const { obliged, fresh, proven, recent, passkeys } = standing;
  if (!obliged || recent || (fresh && passkeys === 0)) return;
  if (passkeys === 0) throw new ServiceError('RECENT_SIGN_IN_REQUIRED', { details: { max_age_seconds: proofSeconds } });
  throw new ServiceError('STEP_UP_REQUIRED', {
    details: {
      op_class: opClass,
      required_amr: ['passkey'],
      max_age_seconds: proofSeconds,
      challenge_url: optionsPath,
      reason: proven ? 'stale' : 'missing',
    },
    nextActions: [
      {
        type: 'authenticate',
        method: 'POST',
        path: optionsPath,
        why: 'Sign in with a passkey, then repeat the request.',
      },
    ],
  });
}

const optionsPath = '/auth/v1/passkeys/login/options';
