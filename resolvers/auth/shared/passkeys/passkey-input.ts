import { z } from 'zod';

/** What authenticators answer, as browsers write it (`PublicKeyCredential.toJSON()`). Members not named here are ignored. */

const base64url = (most: number, what: string) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[\w-]+$/, 'must be base64url')
    .describe(what);

const credential = {
  id: base64url(1_366, 'Id of the credential.'),
  rawId: base64url(1_366, 'The same.'),
  type: z.literal('public-key').describe('Always `public-key`.'),
};

const clientDataJSON = base64url(8_192, 'What the browser was asked, and where.');

export const passkeyOrigin = z
  .string()
  .max(2_048)
  .describe('Origin of the page that asks, such as `http://localhost:3000`; its host is what the passkey is bound to.');

export const challengeId = z.uuid('must be a challenge id (a UUID)').describe('The challenge that is answered.');

export const passkeyId = z.uuid('must be a passkey id (a UUID)').describe('The passkey.');

export const registrationResponse = z
  .object({
    ...credential,
    response: z
      .object({
        clientDataJSON,
        attestationObject: base64url(65_536, 'The new credential, and what vouches for it.'),
        transports: z
          .array(z.string().regex(/^[a-z-]{1,32}$/, 'must be a transport, such as internal'))
          .max(16)
          .default([])
          .describe('How the authenticator is reached.'),
      })
      .describe('What the authenticator made.'),
  })
  .describe('The credential that the browser gave.');

export const assertionResponse = z
  .object({
    ...credential,
    response: z
      .object({
        clientDataJSON,
        authenticatorData: base64url(65_536, 'What the authenticator says of the sign-in.'),
        signature: base64url(8_192, 'Its signature.'),
        userHandle: base64url(128, 'The user, as the authenticator knows it.').nullish(),
      })
      .describe('What the authenticator signed.'),
  })
  .describe('The assertion that the browser gave.');

export const label = z
  .string()
  .trim()
  .min(1)
  .refine((text) => [...text].length <= 100, 'at most 100 characters')
  .describe('What the user calls it.');

export type Registration = z.output<typeof registrationResponse>;
export type Assertion = z.output<typeof assertionResponse>;
