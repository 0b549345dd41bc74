import { ServiceError } from '../../../core/errors.ts';
import { type SQL, sql } from '../../../db/drizzle.ts';
import { type JsonRow, toJson } from '../../../db/json.ts';
import { named, passkeys, sessions, settings, users } from '../../../db/project-schema/auth.ts';
import { computed, from, selected } from '../../../db/sql.ts';
import { sessionOver } from '../session-over.ts';
import { authStatement } from '../shared/auth-rows.ts';
import { stands } from '../stands.ts';

/** How old a proof may be that passkeys are changed by, in seconds. Contract 01, section 3.9. */
const proofSeconds = 300;

const u = named(users, 'u');
const s = named(sessions, 's');
const k = named(passkeys, 'k');

const isRecent = (time: SQL) => sql`${time} > now() - interval '${sql.raw(String(proofSeconds))} seconds'`;
const isProven = sql`${s.passkeyId} is not null`;

const standing = {
  /** Whether the session has not ended. */
  live: computed<boolean>('boolean', stands(s)),
  /** Whether the user is an admin whom the project demands a passkey of. */
  obliged: computed<boolean>('boolean', sql`${u.isAdmin} and ${settings.requirePasskeyForProjectAdmin}`),
  passkeys: computed<number>('integer', sql`(select count(*)::int from ${from(k)} where ${k.userId} = ${u.id})`),
  /** Whether the user signed in a moment ago, by whatever means. */
  fresh: computed<boolean>('boolean', isRecent(sql`${s.authTime}`)),
  /** Whether the session rests on a passkey that still is one. */
  proven: computed<boolean>('boolean', isProven),
  /** Whether that one was shown a moment ago. */
  recent: computed<boolean>('boolean', sql`${isProven} and coalesce(${isRecent(sql`${s.passkeyTime}`)}, false)`),
};

/** What decides whether a session may change its user's passkeys. */
export type PasskeyStatus = JsonRow<typeof standing>;

/** The standing of a session of a user: one row, or none when there is no such session. */
export const statusSelect = (user: SQL, session: SQL): SQL => sql`select ${selected(standing)}
  from ${from(u)} join ${from(s)} on ${s.userId} = ${u.id}, ${settings}
  where ${u.id} = ${user} and ${s.id} = ${session}`;

/** A row `st` of {@link statusSelect} as JSON. */
export const statusJson = computed<PasskeyStatus>('json', sql`to_json(st)`);

/** Whether a row `st` of {@link statusSelect} may change passkeys; the same as {@link requirePasskeyProof}. */
export const mayChange = sql`st.live and (not st.obliged or st.recent or (st.fresh and st.passkeys = 0))`;

/** Locks what the project demands of admins: statements behind it in the batch find it as the last change left it. */
export const lockSettingsStatement = authStatement(
  'passkey_lock_settings',
  { answer: toJson(settings.singleton) },
  (_none, answer) => sql`select ${answer} from ${settings} for share`,
);

/**
 * Asks of an admin whom the project demands a passkey of to have just shown one. One who has none shows a fresh sign-in
 * of any kind instead: nobody else could ever become an admin.
 *
 * @throws INVALID_AUTH, STEP_UP_REQUIRED, RECENT_SIGN_IN_REQUIRED
 */
export function requirePasskeyProof(
  standing: PasskeyStatus | undefined | null,
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
