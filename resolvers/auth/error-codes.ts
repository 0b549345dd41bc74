import { defineErrors, type ErrorRow, edit, row, signInThere } from '../../core/error-codes.ts';

export const authErrors = defineErrors({
  SVC_AUTH_BEARER_COOKIE_MISMATCH: row(400, 'validation', 'The bearer and the cookie are of different users.'),
  SVC_AUTH_TENANT_SUFFIX_REQUIRED: row(
    400,
    'validation',
    'The realm of the identity is missing, as in `tenant:acme`.',
    {
      nextActions: [edit],
    },
  ),
  SVC_AUTH_FRESHNESS_REQUIRED: row(401, 'auth', 'This needs a sign-in of the last few minutes.', {
    nextActions: [{ type: 'authenticate', why: 'Sign the user in again, then repeat the request.' }],
  }),
  SVC_AUTH_REQUIRED: row(401, 'auth', 'This needs a signed-in user.', { nextActions: [signInThere] }),
  SVC_AUTH_SESSION_EXPIRED: row(401, 'auth', 'The session has expired.', { nextActions: [signInThere] }),
  SVC_AUTH_SESSION_INVALID: row(401, 'auth', 'The session has ended, or is none.', { nextActions: [signInThere] }),
  SVC_AUTH_INVALID_BEARER: row(401, 'auth', 'The bearer is no valid access token of this project.'),
  SVC_AUTH_INVALID_CREDENTIALS: row(401, 'auth', 'What was given does not sign in.'),
  SVC_AUTH_UNKNOWN_IDENTITY: row(401, 'auth', 'No user has this identity.'),
  SVC_AUTH_SESSION_BRIDGE_UNVERIFIED: row(401, 'auth', 'The identity was handed over without its proof.'),
  RECENT_SIGN_IN_REQUIRED: row(403, 'auth', 'This needs a sign-in of the last five minutes.', {
    nextActions: [{ type: 'authenticate', why: 'Sign the user in again, then repeat the request.' }],
  }),
  SVC_AUTH_DOMAIN_NOT_ALLOWED: row(403, 'auth', 'The project admits no addresses of this domain.'),
  SVC_AUTH_CSRF_ORIGIN_MISMATCH: row(403, 'auth', 'The request does not come from a page of this host.'),
  SVC_AUTH_CSRF_TOKEN_MISMATCH: row(403, 'auth', 'The form has no `_csrf` of this session, or an old one.'),
  SVC_AUTH_INSUFFICIENT_ROLE: row(403, 'auth', 'The signed-in user does not have the role that this needs.'),
  SVC_AUTH_INSUFFICIENT_MEMBERSHIP: row(403, 'auth', 'The signed-in user is not a member of what this is for.'),
  EMAIL_ALREADY_REGISTERED: row(409, 'conflict', 'A user with this address exists.', {
    nextActions: [{ type: 'authenticate', why: 'Sign in with this address, or recover its account by mail.' }],
  }),
  ADMINS_WITHOUT_PASSKEY: row(409, 'conflict', 'No admin of the project has a passkey: all would be locked out.', {
    nextActions: [{ type: 'edit_request', why: 'Have an admin register a passkey first.' }],
  }),
  LAST_ADMIN_PASSKEY: row(409, 'conflict', 'An admin of this project keeps at least one passkey.', {
    nextActions: [{ type: 'edit_request', why: 'Register another passkey first.' }],
  }),
  SVC_AUTH_CHALLENGE_ENDED: row(410, 'auth', 'This code can be entered no more.', {
    nextActions: [{ type: 'edit_request', why: 'Have another code sent.' }],
  }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof authErrors, ErrorRow> {}
}
