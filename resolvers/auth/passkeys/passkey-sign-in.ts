import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import type { ProjectTarget } from '../../../kernel/access/addressed-project.ts';
import { signInThrottles } from '../../../kernel/limits/limits.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { email } from '../auth-input.ts';
import { endpoint, withKey } from '../endpoint.ts';
import { ownRpId, requireOwnOrigin } from '../redirects.ts';
import { SessionWire } from '../session-answer.ts';
import { type Proof, startSession } from '../sessions.ts';
import { type AuthStatement, authRow } from '../shared/auth-rows.ts';
import { type Assertion, assertionResponse, challengeId, passkeyOrigin } from '../shared/passkeys/passkey-input.ts';
import { checkAssertion, webauthn } from '../shared/passkeys/webauthn.ts';
import { countTry, forgetTries } from '../throttle.ts';
import { beginCeremony, type PasskeyChallenge, passkeyMinutes, useCeremony } from './passkey-challenges.ts';
import { OptionsWire, userHandleOf } from './register-passkey.ts';

/** `POST /auth/v1/passkeys/login/options`. Contract 01, section 3.9. */
export const beginPasskeySignIn = endpoint({
  name: 'auth.beginPasskeySignIn',
  summary: 'What a browser is to ask an authenticator for, to sign somebody in; the same whoever it is.',
  input: z.object({
    app_origin: passkeyOrigin,
    email: email.optional().describe('Whose sign-in it is to be; another user’s passkey is refused then.'),
  }),
  admit: withKey,
  handler: ({ services, target }, { app_origin, email }) => askForPasskey(services, target, app_origin, email),
  wire: OptionsWire,
});

/** Begins a sign-in. @throws VALIDATION_FAILED for an origin that is not the project's */
export async function askForPasskey(
  services: Services,
  target: ProjectTarget,
  app_origin: string,
  email: string | undefined,
): Promise<z.output<typeof OptionsWire>> {
  const rpId = await requireOwnOrigin(services, target, 'app_origin', app_origin);
  const { id, bytes } = await beginCeremony(services, target, { purpose: 'login', rpId, origin: app_origin, email });
  const { generateAuthenticationOptions } = await webauthn();
  // No credentials are named: whose address it is, and whether anybody's, stays unsaid.
  const options = await generateAuthenticationOptions({
    rpID: rpId,
    challenge: bytes,
    timeout: passkeyMinutes * 60_000,
    userVerification: 'required',
  });
  return { challenge_id: id, options: { ...options } };
}

/** `POST /auth/v1/passkeys/login/verify`. */
export const finishPasskeySignIn = endpoint({
  name: 'auth.finishPasskeySignIn',
  summary: 'Trade what an authenticator signed for a session.',
  input: z.object({ challenge_id: challengeId, response: assertionResponse }),
  admit: withKey,
  handler: async ({ services, target }, { challenge_id, response }) =>
    startSession(services, target, await provePasskey(services, target, challenge_id, response)),
  wire: SessionWire,
});

/**
 * Checks an assertion, and counts it as the passkey's latest.
 *
 * @returns what a session is begun with
 * @throws INVALID_AUTH, RATE_LIMITED
 */
export async function provePasskey(
  services: Services,
  target: ProjectTarget,
  challengeId: string,
  response: Assertion,
): Promise<Proof> {
  await countTry(services, target, signInThrottles.passkey, 'passkey', response.id);
  const ceremony = await useCeremony(services, target, challengeId, { purpose: 'login' });
  if (ceremony === undefined) throw refused('challenge');
  if ((await ownRpId(services, target, ceremony.origin)) === null) throw refused('origin');
  const credentialId = Buffer.from(response.id, 'base64url');
  const known = await authRow<Known>(services, target, findStatement, [credentialId, ceremony.rp_id]);
  if (known === undefined || !isMeant(known, response, ceremony)) throw refused('assertion');
  const signedIn = await checkAssertion(response, ceremony, {
    publicKey: Buffer.from(known.public_key, 'hex'),
    signCount: known.sign_count,
  });
  if (signedIn === undefined) throw refused('assertion');
  // Two answers with one count come from two authenticators: whoever is counted second is refused.
  const used = await authRow(services, target, usedStatement, [
    known.id,
    signedIn.signCount,
    ceremony.origin,
    signedIn.backedUp,
  ]);
  if (used === undefined) throw refused('assertion');
  await forgetTries(services, target, 'passkey', response.id);
  return { userId: known.user_id, amr: ['passkey'], passkeyId: known.id };
}

interface Known {
  readonly id: string;
  readonly user_id: string;
  readonly email: string;
  readonly public_key: string;
  readonly sign_count: number;
}

/** Whether a passkey is of the user that the sign-in, and the authenticator, are about. */
function isMeant({ email, user_id }: Known, { response }: Assertion, ceremony: PasskeyChallenge): boolean {
  if (ceremony.email !== null && ceremony.email !== email) return false;
  if (response.userHandle === undefined || response.userHandle === null) return true;
  const [shown, own] = [Buffer.from(response.userHandle, 'base64url'), userHandleOf(user_id)];
  return shown.length === own.length && timingSafeEqual(shown, own);
}

const reasons = {
  challenge: 'The challenge is unknown, used or older than five minutes.',
  origin: 'The project does not allow the origin that the challenge was made for any more.',
  assertion: 'No passkey of this project signed this challenge.',
} as const;

const refused = (reason: keyof typeof reasons) =>
  new ServiceError('INVALID_AUTH', {
    message: reasons[reason],
    details: { reason },
    nextActions: [],
  });

const findStatement: AuthStatement = {
  name: 'passkey_find',
  text: `select json_build_object('id', k.id, 'user_id', u.id, 'email', u.email, 'sign_count', k.sign_count,
      'public_key', encode(k.public_key, 'hex'))
    from auth.passkeys k join auth.users u on u.id = k.user_id where k.credential_id = $1::bytea and k.rp_id = $2`,
};

const usedStatement: AuthStatement = {
  name: 'passkey_used',
  text: `update auth.passkeys set sign_count = $2::bigint, last_used_at = now(), last_used_origin = $3,
      credential_backed_up = $4::boolean
    where id = $1::uuid and (sign_count < $2::bigint or (sign_count = 0 and $2::bigint = 0))
    returning to_json(id)`,
};
