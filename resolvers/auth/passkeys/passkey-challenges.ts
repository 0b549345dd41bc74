import { randomBytes } from 'node:crypto';
import type { ProjectTarget } from '../../../kernel/access/addressed-project.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { type AuthStatement, authRow } from '../shared/auth-rows.ts';

/** How long an authenticator is waited for, in minutes. Contract 01, section 3.9. */
export const passkeyMinutes = 5;

/** A ceremony that is under way. */
export interface PasskeyChallenge {
  readonly id: string;
  readonly challenge: string;
  readonly rp_id: string;
  readonly origin: string;
  readonly email: string | null;
}

/** What a ceremony is about. */
export interface Ceremony {
  readonly purpose: 'register' | 'login';
  readonly rpId: string;
  readonly origin: string;
  /** The session that registers a passkey. */
  readonly sessionId?: string;
  /** Whose sign-in it is to be. */
  readonly email?: string | undefined;
}

/** Begins a ceremony. The same statement whomever it is about, so that it tells nothing of who is a user. */
export async function beginCeremony(
  services: Services,
  target: ProjectTarget,
  { purpose, rpId, origin, sessionId, email }: Ceremony,
): Promise<{ readonly id: string; readonly bytes: Uint8Array<ArrayBuffer> }> {
  const bytes = new Uint8Array(randomBytes(32));
  const challenge = Buffer.from(bytes).toString('base64url');
  const values = [purpose, challenge, rpId, origin, sessionId ?? null, email ?? null];
  return { id: (await authRow<string>(services, target, beginStatement, values))!, bytes };
}

/** Uses a challenge up, once however many answer it at once, and whether or not the answer is right. */
export const useCeremony = (
  services: Services,
  target: ProjectTarget,
  id: string,
  { purpose, sessionId }: Pick<Ceremony, 'purpose' | 'sessionId'>,
): Promise<PasskeyChallenge | undefined> =>
  authRow<PasskeyChallenge>(services, target, useStatement, [id, purpose, sessionId ?? null]);

const beginStatement: AuthStatement = {
  name: 'passkey_begin',
  text: `with swept as (
      delete from auth.passkey_challenges where id in (
        select id from auth.passkey_challenges where expires_at < now()
        order by expires_at limit 10 for update skip locked)
    )
    insert into auth.passkey_challenges (purpose, challenge, rp_id, origin, session_id, email, expires_at)
    values ($1, $2, $3, $4, $5::uuid, $6, now() + interval '${passkeyMinutes} minutes')
    returning to_json(id)`,
};

const useStatement: AuthStatement = {
  name: 'passkey_challenge_use',
  text: `update auth.passkey_challenges set used_at = now()
    where id = $1::uuid and purpose = $2 and session_id is not distinct from $3::uuid
      and used_at is null and expires_at > now()
    returning json_build_object('id', id, 'challenge', challenge, 'rp_id', rp_id, 'origin', origin, 'email', email)`,
};
