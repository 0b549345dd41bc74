import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { type Answer, jsonObject, toJson } from '../../../db/json.ts';
import { named, passkeys, users } from '../../../db/project-schema/auth.ts';
import { computed, from, pick, setOf } from '../../../db/sql.ts';
import type { ProjectTarget } from '../../../kernel/access/project-target.ts';
import { signInThrottles } from '../../../kernel/limits/limits.ts';
import type { Services } from '../../../kernel/run/context.ts';
import { email } from '../auth-input.ts';
import { endpoint, withKey } from '../endpoint.ts';
import { ownRpId, requireOwnOrigin } from '../redirects.ts';
import { SessionWire } from '../session-answer.ts';
import { type Proof, startSession } from '../sessions.ts';
import { authRow, authStatement } from '../shared/auth-rows.ts';
import { type Assertion, assertionResponse, challengeId, passkeyOrigin } from '../shared/passkeys/passkey-input.ts';
import { checkAssertion, webauthn } from '../shared/passkeys/webauthn.ts';
import { countTry, forgetTries } from '../throttle.ts';
import { beginChallenge, type PasskeyChallenge, passkeyMinutes, useChallenge } from './passkey-challenges.ts';
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
  const { id, bytes } = await beginChallenge(services, target, { purpose: 'login', rpId, origin: app_origin, email });
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
  const ceremony = await useChallenge(services, target, challengeId, { purpose: 'login' });
  if (ceremony === undefined) throw refused('challenge');
  if ((await ownRpId(services, target, ceremony.origin)) === null) throw refused('origin');
  const credentialId = Buffer.from(response.id, 'base64url');
  const known = await authRow(services, target, findStatement.with({ credentialId, rpId: ceremony.rp_id }));
  if (known === undefined || !isMeant(known, response, ceremony)) throw refused('assertion');
  const signedIn = await checkAssertion(response, ceremony, {
    publicKey: Buffer.from(known.public_key, 'hex'),
    signCount: known.sign_count,
  });
  if (signedIn === undefined) throw refused('assertion');
  // Two answers with one count come from two authenticators: the second is refused.
  const use = usedStatement.with({
    id: known.id,
    signCount: signedIn.signCount,
    lastUsedOrigin: ceremony.origin,
    credentialBackedUp: signedIn.backedUp,
  });
  const used = await authRow(services, target, use);
  if (used === undefined) throw refused('assertion');
  await forgetTries(services, target, 'passkey', response.id);
  return { userId: known.user_id, amr: ['passkey'], passkeyId: known.id };
}

const k = named(passkeys, 'k');
const u = named(users, 'u');

const knownJson = jsonObject({
  id: k.id,
  user_id: u.id,
  email: u.email,
  sign_count: k.signCount,
  public_key: computed<string>('text', sql`encode(${k.publicKey}, 'hex')`),
});

type Known = Answer<typeof knownJson>;

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

const findStatement = authStatement(
  'passkey_find',
  { params: pick(k, 'credentialId', 'rpId'), answer: knownJson },
  ({ credentialId, rpId }, answer) => sql`select ${answer} from ${from(k)} join ${from(u)} on ${u.id} = ${k.userId}
    where ${k.credentialId} = ${credentialId} and ${k.rpId} = ${rpId}`,
);

const usedStatement = authStatement(
  'passkey_used',
  { params: pick(passkeys, 'id', 'signCount', 'lastUsedOrigin', 'credentialBackedUp'), answer: toJson(passkeys.id) },
  ({ id, signCount, ...latest }, answer) => sql`update ${passkeys}
    ${setOf(passkeys, { signCount, lastUsedAt: sql`now()`, ...latest })}
    where ${passkeys.id} = ${id}
      and (${passkeys.signCount} < ${signCount} or (${passkeys.signCount} = 0 and ${signCount} = 0))
    returning ${answer}`,
);
