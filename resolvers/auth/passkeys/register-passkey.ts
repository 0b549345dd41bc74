import { z } from 'zod';
import { invalidField, ServiceError } from '../../../core/errors.ts';
import { passkeysPerUser, signInThrottles } from '../../../kernel/limits/limits.ts';
import { asUser, endpoint } from '../endpoint.ts';
import { lockUserStatement } from '../lock-user.ts';
import { ownRpId, requireOwnOrigin } from '../redirects.ts';
import { type AuthStatement, authBatch, authRow } from '../shared/auth-rows.ts';
import { challengeId, label, passkeyOrigin, registrationResponse } from '../shared/passkeys/passkey-input.ts';
import { algorithms, checkRegistration, type NewCredential, webauthn } from '../shared/passkeys/webauthn.ts';
import { countTry } from '../throttle.ts';
import { beginCeremony, type PasskeyChallenge, passkeyMinutes, useCeremony } from './passkey-challenges.ts';
import {
  lockSettingsStatement,
  mayChange,
  type PasskeyStanding,
  requirePasskeyProof,
  standingSelect,
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
    const standing = await authRow<PasskeyStanding>(services, target, standingStatement, [account.id, session.id]);
    requirePasskeyProof(standing, 'passkey.register');
    refuseMore(standing!);
    await countTry(services, target, signInThrottles.passkeyRegistration, 'passkey_registration', account.id);
    const known = await authRow<Known[]>(services, target, knownStatement, [account.id, rpId]);
    const ceremony = { purpose: 'register', rpId, origin: app_origin, sessionId: session.id } as const;
    const { id, bytes } = await beginCeremony(services, target, ceremony);
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
      excludeCredentials: known!.map(({ id: hex, transports }) => ({
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
    const ceremony = await useCeremony(services, target, challenge_id, own);
    if (ceremony === undefined) throw invalidField('challenge_id', 'is unknown, used or older than five minutes');
    if ((await ownRpId(services, target, ceremony.origin)) === null)
      throw invalidField('challenge_id', 'was made for an origin that the project does not allow any more');
    const made = await checkRegistration(response, ceremony);
    if (made === undefined) throw invalidField('response', 'is not a passkey made for this challenge and origin');
    const [, , [kept]] = (await authBatch(services, target, [
      [lockUserStatement, [account.id]],
      [lockSettingsStatement, []],
      [keepStatement, [account.id, session.id, ...valuesOf(made, ceremony), label ?? null]],
    ])) as [unknown, unknown, [Kept]];
    requirePasskeyProof(kept.standing, 'passkey.register');
    refuseMore(kept.standing!);
    if (kept.passkey === null) throw new ServiceError('PASSKEY_ALREADY_REGISTERED');
    return passkeyToWire(kept.passkey);
  },
  wire: PasskeyWire,
});

interface Known {
  readonly id: string;
  readonly transports: readonly string[];
}

interface Kept {
  readonly standing: PasskeyStanding | null;
  readonly passkey: PasskeyRow | null;
}

/** What authenticators know a user by: the bytes of its id. */
export const userHandleOf = (userId: string): Buffer => Buffer.from(userId.replaceAll('-', ''), 'hex');

function refuseMore({ passkeys }: PasskeyStanding): void {
  if (passkeys < passkeysPerUser) return;
  throw new ServiceError('QUOTA_EXCEEDED', {
    message: `A user has at most ${passkeysPerUser} passkeys.`,
    details: { limit: passkeysPerUser },
  });
}

const valuesOf = (
  { credentialId, publicKey, signCount, transports, deviceType, backedUp }: NewCredential,
  { rp_id, origin }: PasskeyChallenge,
) => [credentialId, publicKey, signCount, rp_id, origin, transports, deviceType, backedUp] as const;

const standingStatement: AuthStatement = {
  name: 'passkey_standing',
  text: `select to_json(st) from (${standingSelect}) st`,
};

const knownStatement: AuthStatement = {
  name: 'passkey_known',
  text: `select coalesce(json_agg(json_build_object('id', encode(credential_id, 'hex'), 'transports', transports)), '[]')
    from auth.passkeys where user_id = $1::uuid and rp_id = $2`,
};

const keepStatement: AuthStatement = {
  name: 'passkey_keep',
  text: `with st as (${standingSelect}), made as (
      insert into auth.passkeys as k (user_id, credential_id, public_key, sign_count, rp_id, created_origin, transports,
        credential_device_type, credential_backed_up, label)
      select $1::uuid, $3::bytea, $4::bytea, $5::bigint, $6, $7, array(select jsonb_array_elements_text($8::jsonb)),
        $9, $10::boolean, $11
      from st where ${mayChange} and st.passkeys < ${passkeysPerUser}
      on conflict (credential_id) do nothing
      returning ${passkeyJson('k')} as record
    )
    select json_build_object('standing', (select to_json(st) from st), 'passkey', (select record from made))`,
};
