import { z } from 'zod';
import { invalidField, ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { jsonObject, jsonOne } from '../../../db/json.ts';
import { passkeys, sessions } from '../../../db/project-schema/auth.ts';
import { computed, insertSelect, nameOf, pick, typed } from '../../../db/sql.ts';
import { passkeysPerUser, signInThrottles } from '../../../kernel/limits/limits.ts';
import { asUser, endpoint } from '../endpoint.ts';
import { lockUserStatement } from '../lock-user.ts';
import { ownRpId, requireOwnOrigin } from '../redirects.ts';
import { authBatch, authRow, authRows, authStatement } from '../shared/auth-rows.ts';
import { challengeId, label, passkeyOrigin, registrationResponse } from '../shared/passkeys/passkey-input.ts';
import { algorithms, checkRegistration, type NewCredential, webauthn } from '../shared/passkeys/webauthn.ts';
import { countTry } from '../throttle.ts';
import { beginChallenge, type PasskeyChallenge, passkeyMinutes, useChallenge } from './passkey-challenges.ts';
import {
  lockSettingsStatement,
  mayChange,
  type PasskeyStatus,
  requirePasskeyProof,
  statusJson,
  statusSelect,
} from './passkey-proof.ts';
import { type PasskeyRow, PasskeyWire, passkeyJson, passkeyToWire } from './passkey-rows.ts';

/** What browsers read as `options` of a ceremony: standard WebAuthn JSON. */
export const OptionsWire = z.object({ challenge_id: z.uuid(), options: z.record(z.string(), z.unknown()) });

/** `POST /auth/v1/passkeys/register/options`. Contract 01, section 3.9. */
export const beginPasskeyRegistration = endpoint({
  name: 'auth.beginPasskeyRegistration',
  summary: 'What a browser is to ask an authenticator for, to make the user a passkey.',
  input: z.object({ app_origin: passkeyOrigin }),
  admit: asUser,
  async handler({ services, target, account, session }, { app_origin }) {
    const rpId = await requireOwnOrigin(services, target, 'app_origin', app_origin);
    const own = { user: account.id, session: session.id };
    const standing = await authRow(services, target, statusStatement.with(own));
    requirePasskeyProof(standing, 'passkey.register');
    refuseMore(standing!);
    await countTry(services, target, signInThrottles.passkeyRegistration, 'passkey_registration', account.id);
    const known = await authRows(services, target, knownStatement.with({ user: account.id, rpId }));
    const ceremony = { purpose: 'register', rpId, origin: app_origin, sessionId: session.id } as const;
    const { id, bytes } = await beginChallenge(services, target, ceremony);
    const { generateRegistrationOptions } = await webauthn();
    const options = await generateRegistrationOptions({
      rpName: rpId,
      rpID: rpId,
      userID: new Uint8Array(userHandleOf(account.id)),
      userName: account.email,
      userDisplayName: account.display_name ?? account.email,
      challenge: bytes,
      timeout: passkeyMinutes * 60_000,
      attestationType: 'none',
      excludeCredentials: known.map(({ id: hex, transports }) => ({
        id: Buffer.from(hex, 'hex').toString('base64url'),
        transports: [...transports],
      })),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
      supportedAlgorithmIDs: algorithms,
    });
    return { challenge_id: id, options: { ...options } };
  },
  wire: OptionsWire,
});

/** `POST /auth/v1/passkeys/register/verify`. */
export const finishPasskeyRegistration = endpoint({
  name: 'auth.finishPasskeyRegistration',
  summary: 'Keep the passkey that an authenticator made.',
  input: z.object({ challenge_id: challengeId, response: registrationResponse, label: label.optional() }),
  admit: asUser,
  async handler({ services, target, account, session }, { challenge_id, response, label }) {
    const own = { purpose: 'register', sessionId: session.id } as const;
    const ceremony = await useChallenge(services, target, challenge_id, own);
    if (ceremony === undefined) throw invalidField('challenge_id', 'is unknown, used or older than five minutes');
    if ((await ownRpId(services, target, ceremony.origin)) === null)
      throw invalidField('challenge_id', 'was made for an origin that the project does not allow any more');
    const made = await checkRegistration(response, ceremony);
    if (made === undefined) throw invalidField('response', 'is not a passkey made for this challenge and origin');
    const keep = { userId: account.id, session: session.id, ...valuesOf(made, ceremony), label: label ?? null };
    const [, , [kept]] = await authBatch(services, target, [
      lockUserStatement.with({ user: account.id }),
      lockSettingsStatement.with({}),
      keepStatement.with(keep),
    ]);
    const { standing, passkey } = kept!;
    requirePasskeyProof(standing, 'passkey.register');
    refuseMore(standing!);
    if (passkey === null) throw new ServiceError('PASSKEY_ALREADY_REGISTERED');
    return passkeyToWire(passkey);
  },
  wire: PasskeyWire,
});

/** What authenticators know a user by: the bytes of its id. */
export const userHandleOf = (userId: string): Buffer => Buffer.from(userId.replaceAll('-', ''), 'hex');

function refuseMore({ passkeys }: PasskeyStatus): void {
  if (passkeys < passkeysPerUser) return;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message: `A user has at most ${passkeysPerUser} passkeys.`,
    details: { limit: passkeysPerUser },
  });
}

const valuesOf = (
  { credentialId, publicKey, signCount, transports, deviceType, backedUp }: NewCredential,
  { rp_id, origin }: PasskeyChallenge,
) => ({
  credentialId,
  publicKey,
  signCount,
  rpId: rp_id,
  createdOrigin: origin,
  transports: JSON.stringify(transports),
  credentialDeviceType: deviceType,
  credentialBackedUp: backedUp,
});

const statusStatement = authStatement(
  'passkey_standing',
  { params: { user: sessions.userId, session: sessions.id }, answer: statusJson },
  ({ user, session }, answer) => sql`select ${answer} from (${statusSelect(user, session)}) st`,
);

const knownStatement = authStatement(
  'passkey_known',
  {
    params: { user: passkeys.userId, rpId: passkeys.rpId },
    answer: jsonObject({
      id: computed<string>('text', sql`encode(${passkeys.credentialId}, 'hex')`),
      transports: passkeys.transports,
    }),
  },
  ({ user, rpId }, answer) =>
    sql`select ${answer} from ${passkeys} where ${passkeys.userId} = ${user} and ${passkeys.rpId} = ${rpId}`,
);

const made = computed<PasskeyRow>('json', sql`record`);

const keepStatement = authStatement(
  'passkey_keep',
  {
    params: {
      ...pick(
        passkeys,
        'userId',
        'credentialId',
        'publicKey',
        'signCount',
        'rpId',
        'createdOrigin',
        'credentialDeviceType',
        'credentialBackedUp',
        'label',
      ),
      transports: typed<string>('jsonb'),
      session: sessions.id,
    },
    answer: jsonObject({
      standing: jsonOne(statusJson, sql`from st`),
      passkey: jsonOne(made, sql`from made`),
    }),
  },
  ({ session, transports, ...given }, answer) => sql`with st as (${statusSelect(given.userId, session)}), made as (
      ${insertSelect(
        passkeys,
        { ...given, transports: sql`array(select jsonb_array_elements_text(${transports}::jsonb))` },
        sql`from st where ${mayChange} and st.passkeys < ${sql.raw(String(passkeysPerUser))}`,
      )}
      on conflict (${nameOf(passkeys.credentialId)}) do nothing
      returning ${passkeyJson(passkeys).sql} as record
    )
    select ${answer}`,
);
