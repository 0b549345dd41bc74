import { defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

export const signInErrors = defineErrors({
  INVALID_PKCE: row(400, 'auth', 'The verifier does not belong to the challenge that the sign-in began with.', {
    nextActions: [{ type: 'authenticate', why: 'Begin the sign-in anew.' }],
  }),
  INVALID_GRANT: row(400, 'auth', 'The code is unknown, used or expired, or of another sign-in.', {
    nextActions: [{ type: 'authenticate', why: 'Begin the sign-in anew.' }],
  }),
  INVALID_REDIRECT_URI: row(400, 'validation', 'The redirect address is not this machine’s, with the path /callback.', {
    nextActions: [{ type: 'edit_request', why: 'Use http://127.0.0.1:PORT/callback.' }],
  }),
  WALLET_PROOF_INVALID: row(401, 'auth', 'The wallet’s signature over the nonce of the claim is missing or wrong.', {
    nextActions: [
      {
        type: 'authenticate',
        auth: 'SIWX',
        method: 'POST',
        path: '/agent/v1/operator/claim-wallet-org/challenge',
        why: 'Begin a claim, and sign its nonce with the wallet.',
      },
    ],
  }),
  FLOW_NOT_FOUND: row(404, 'not_found', 'There is no such sign-in, or it has expired.'),
  DEVICE_CODE_NOT_FOUND: row(404, 'not_found', 'There is no such code, or it has expired or was used.'),
  CLAIM_NOTHING_TO_CLAIM: row(404, 'not_found', 'The wallet owns no organization that could be claimed.'),
  OWNER_NEEDS_PASSKEY: row(409, 'conflict', 'Who owns an organization keeps at least one passkey.', {
    nextActions: [
      {
        type: 'authenticate',
        method: 'POST',
        path: '/agent/v1/control-plane/passkey/enroll/options',
        why: 'Enrol another passkey first.',
      },
    ],
  }),
  EMAIL_BELONGS_TO_OTHER_PRINCIPAL: row(409, 'conflict', 'The address is somebody else’s here.', {
    nextActions: [{ type: 'authenticate', why: 'Sign in with that address instead.' }],
  }),
  FLOW_NOT_PENDING: row(409, 'conflict', 'The sign-in was approved or used before.'),
  CLAIM_CONFLICT: row(409, 'conflict', 'The wallet owns this organization no more, or is no agent’s.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof signInErrors, ErrorRow> {}
}
