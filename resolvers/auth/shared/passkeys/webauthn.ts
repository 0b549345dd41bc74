import type { WebAuthnCredential } from '@simplewebauthn/server';
import type { PasskeyChallenge } from '../../passkeys/passkey-challenges.ts';
import type { Assertion, Registration } from './passkey-input.ts';

/** Loaded with the first passkey: most projects have none. */
export const webauthn = () => import('@simplewebauthn/server');

/** Signatures that passkeys may use (COSE): Ed25519, ES256 and RS256, which every authenticator has one of. */
export const algorithms = [-8, -7, -257];

export interface NewCredential {
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly deviceType: string;
  readonly backedUp: boolean;
}

/**
 * Checks what an authenticator made: the challenge, the origin and the relying party, and that it verified its user.
 * Undefined when anything is wrong with it.
 */
export async function checkRegistration(
  { id, rawId, type, response }: Registration,
  { challenge, origin, rp_id }: PasskeyChallenge,
): Promise<NewCredential | undefined> {
  const { verifyRegistrationResponse } = await webauthn();
  const { clientDataJSON, attestationObject } = response;
  if ((await isFramed(clientDataJSON)) || !(await isUnattested(attestationObject))) return undefined;
  const checked = await whenWellFormed(() =>
    verifyRegistrationResponse({
      response: { id, rawId, type, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rp_id,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    }),
  );
  if (checked?.verified !== true || checked.registrationInfo.credential.id !== id) return undefined;
  const { credential, credentialDeviceType, credentialBackedUp } = checked.registrationInfo;
  return {
    credentialId: Buffer.from(credential.id, 'base64url'),
    publicKey: Buffer.from(credential.publicKey),
    signCount: credential.counter,
    transports: response.transports,
    deviceType: credentialDeviceType,
    backedUp: credentialBackedUp,
  };
}

/** Whether a page of another origin had the app in a frame: the gateway cannot know what the user saw. */
async function isFramed(clientDataJSON: string): Promise<boolean> {
  const { decodeClientDataJSON } = await import('@simplewebauthn/server/helpers');
  return (await whenWellFormed(async () => decodeClientDataJSON(clientDataJSON).crossOrigin === true)) ?? true;
}

/**
 * Whether nobody vouches for a credential but itself. Nobody was asked to: to judge certificates, their own lists of
 * revoked ones would have to be fetched, from wherever whoever sent them says.
 */
async function isUnattested(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const format = await whenWellFormed(async () => {
    const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
    return decoded.get('fmt') === 'packed' && decoded.get('attStmt').get('x5c') === undefined
      ? 'none'
      : decoded.get('fmt');
  });
  return format === 'none';
}

export interface SignIn {
  readonly signCount: number;
  readonly backedUp: boolean;
}

/** Checks what an authenticator signed, with the credential that it says it is. Undefined when anything is wrong. */
export async function checkAssertion(
  { id, rawId, type, response }: Assertion,
  { challenge, origin, rp_id }: PasskeyChallenge,
  { publicKey, signCount }: { readonly publicKey: Buffer; readonly signCount: number },
): Promise<SignIn | undefined> {
  const { verifyAuthenticationResponse } = await webauthn();
  const { clientDataJSON, authenticatorData, signature } = response;
  if (await isFramed(clientDataJSON)) return undefined;
  const credential: WebAuthnCredential = { id, publicKey: new Uint8Array(publicKey), counter: signCount };
  const checked = await whenWellFormed(() =>
    verifyAuthenticationResponse({
      response: {
        id,
        rawId,
        type,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rp_id,
      credential,
      requireUserVerification: true,
    }),
  );
  if (checked?.verified !== true) return undefined;
  const { newCounter, credentialBackedUp } = checked.authenticationInfo;
  return { signCount: newCounter, backedUp: credentialBackedUp };
}

/** The library throws at whatever it cannot read or does not expect: all of that is the sender's doing. */
async function whenWellFormed<Result>(check: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await check();
  } catch {
    return undefined;
  }
}
