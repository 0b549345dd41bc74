/**
 * One row per error code: the code is the contract, the message is prose. Every surface renders the same row
 * (REST envelope, GraphQL extensions, sockets), so a code has one status and one pair of retry flags everywhere.
 */

export type ErrorCategory =
  | 'validation'
  | 'auth'
  | 'billing'
  | 'payment'
  | 'quota'
  | 'rate_limit'
  | 'lifecycle'
  | 'not_found'
  | 'conflict'
  | 'client_compatibility'
  | 'deploy'
  | 'storage'
  | 'upstream'
  | 'internal';

/** What became of the change a request asked for. `none`: the request would have changed nothing, or changed nothing. */
export type MutationState = 'none' | 'not_started' | 'committed' | 'rolled_back' | 'partial' | 'unknown';

/** Something a caller may do next; advisory, never run by a client on its own. */
export interface NextAction {
  readonly type: string;
  readonly method?: string;
  readonly path?: string;
  readonly auth?: string;
  readonly why?: string;
  readonly command?: string;
  readonly [extra: string]: unknown;
}

export interface ErrorRow {
  readonly status: number;
  readonly category: ErrorCategory;
  /** The same request may succeed later. */
  readonly retryable: boolean;
  /** Repeating the request cannot duplicate a change. */
  readonly safeToRetry: boolean;
  /** Default message; the thrower may say something more exact. */
  readonly message: string;
  readonly mutationState?: MutationState;
  readonly nextActions?: readonly NextAction[];
}

const row = (
  status: number,
  category: ErrorCategory,
  message: string,
  more: Partial<Omit<ErrorRow, 'status' | 'category' | 'message'>> = {},
): ErrorRow => ({ status, category, message, retryable: false, safeToRetry: true, ...more });

const signIn: NextAction = {
  type: 'authenticate',
  auth: 'SIWX',
  why: 'Send a signed wallet message in the SIGN-IN-WITH-X header.',
};
const sendAdminKey: NextAction = {
  type: 'authenticate',
  why: 'Send the admin key in the X-Admin-Key header; svc reads it from SVC_ADMIN_KEY. In development the gateway prints it at its start.',
};
const signInThere: NextAction = { type: 'authenticate', path: '/auth/sign-in', why: 'Sign in on this host.' };
const again: NextAction = { type: 'retry', why: 'Send the same request again after a short pause.' };
const edit: NextAction = { type: 'edit_request', why: 'Correct the named field and send the request again.' };
const fund: NextAction = {
  type: 'fund_wallet',
  why: 'Have the prepaid balance added to, then send the request again.',
};

export const renewTier = (tier: string) => ({
  type: 'renew_tier',
  method: 'POST',
  path: `/tiers/v1/${tier}`,
  why: 'Set a tier: the organization is active again at once.',
});
const renew = renewTier(':tier');

export const checkUsage: NextAction = {
  type: 'check_usage',
  method: 'GET',
  path: '/tiers/v1/status',
  why: 'See what is used.',
};

export const errorRows = {
  VALIDATION_FAILED: row(400, 'validation', 'The request is not valid.', { nextActions: [edit] }),
  MALFORMED_JSON: row(400, 'validation', 'The request body is not valid JSON.', { nextActions: [edit] }),
  UNKNOWN_FIELD: row(400, 'validation', 'The request has a field that is not known here.', { nextActions: [edit] }),
  INVALID_QUERY_PARAM: row(400, 'validation', 'A parameter of the address is not valid.', { nextActions: [edit] }),
  INVALID_EVENT_TYPE: row(400, 'validation', 'An event type is 3 to 64 lower-case letters, digits and underscores.', {
    nextActions: [edit],
  }),
  RESERVED_EVENT_TYPE: row(400, 'validation', 'This event type is the platform’s own.', { nextActions: [edit] }),
  INVALID_CURSOR: row(400, 'validation', 'The cursor does not belong to this list.', { nextActions: [edit] }),
  INVALID_DISPLAY_NAME: row(400, 'validation', 'A display name has 1 to 64 characters and no control characters.', {
    nextActions: [edit],
  }),
  INVALID_DELEGATE_SCOPE: row(400, 'validation', 'A delegate’s scope lies within the grant it narrows.', {
    nextActions: [edit],
  }),
  SVC_AUTH_RETURN_TO_INVALID: row(400, 'validation', 'The way back must be a path of this host, such as /home.', {
    nextActions: [edit],
  }),
  SVC_AUTH_BEARER_COOKIE_MISMATCH: row(400, 'validation', 'The bearer and the cookie are of different users.'),
  SVC_AUTH_TENANT_SUFFIX_REQUIRED: row(
    400,
    'validation',
    'The realm of the identity is missing, as in `tenant:acme`.',
    {
      nextActions: [edit],
    },
  ),
  INVALID_URL: row(400, 'validation', 'The target is no web address.', { nextActions: [edit] }),
  SCHEME_NOT_ALLOWED: row(400, 'validation', 'Only https addresses are audited.', { nextActions: [edit] }),
  IP_LITERAL: row(400, 'validation', 'The target is named by a host name, not by an address.', { nextActions: [edit] }),
  RESTRICTED_HOST: row(400, 'validation', 'The host name is not one of the public internet.', { nextActions: [edit] }),
  RESTRICTED_ADDRESS: row(400, 'validation', 'The host is not in the public internet.', { nextActions: [edit] }),
  RESTRICTED_REDIRECT: row(400, 'validation', 'The target leads to where nothing is audited.', { nextActions: [edit] }),
  REDIRECT_NOT_HTTPS: row(400, 'validation', 'The target leads away from https.', { nextActions: [edit] }),
  IDEMPOTENCY_KEY_REQUIRED: row(400, 'validation', 'This operation needs an Idempotency-Key header.'),
  IDEMPOTENCY_KEY_INVALID: row(400, 'validation', 'An idempotency key has 1 to 256 characters.'),
  GRAPHQL_PARSE_FAILED: row(400, 'validation', 'The GraphQL document has a syntax error.', { nextActions: [edit] }),
  GRAPHQL_VALIDATION_FAILED: row(400, 'validation', 'The GraphQL document does not fit the schema.', {
    nextActions: [edit],
  }),
  GRAPHQL_LIMIT_EXCEEDED: row(400, 'validation', 'The GraphQL document is larger than this server accepts.', {
    nextActions: [edit],
  }),
  PERSISTED_QUERY_NOT_FOUND: row(400, 'not_found', 'PersistedQueryNotFound', {
    retryable: true,
    nextActions: [{ type: 'retry', why: 'Send the document together with its SHA-256 hash once.' }],
  }),
  INVALID_PKCE: row(400, 'auth', 'The verifier does not belong to the challenge that the sign-in began with.', {
    nextActions: [{ type: 'authenticate', why: 'Begin the sign-in anew.' }],
  }),
  INVALID_GRANT: row(400, 'auth', 'The code is unknown, used or expired, or of another sign-in.', {
    nextActions: [{ type: 'authenticate', why: 'Begin the sign-in anew.' }],
  }),
  INVALID_REDIRECT_URI: row(400, 'validation', 'The redirect address is not this machine’s, with the path /callback.', {
    nextActions: [{ type: 'edit_request', why: 'Use http://127.0.0.1:PORT/callback.' }],
  }),
  DEVICE_PENDING: row(400, 'auth', 'The sign-in was not approved yet, or will not be; `error` says which.'),
  SQL_ERROR: row(400, 'validation', 'The project’s database refused the SQL.', {
    nextActions: [{ type: 'edit_request', why: 'Correct the SQL and send it again.' }],
  }),
  RESULT_TOO_LARGE: row(400, 'validation', 'The answer would be larger than may be; nothing was changed.', {
    nextActions: [{ type: 'edit_request', why: 'Ask for less at a time, with LIMIT and fewer columns.' }],
  }),
  AUTH_REQUIRED: row(401, 'auth', 'This needs a credential.', { nextActions: [signIn] }),
  INVALID_AUTH: row(401, 'auth', 'The credential is not valid.', { nextActions: [signIn] }),
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
  BAD_SIGNATURE: row(401, 'auth', 'The signature of the webhook is missing or wrong.'),
  OPERATOR_SESSION_INVALID: row(401, 'auth', 'The operator session has expired or was revoked.', {
    nextActions: [{ type: 'authenticate', command: 'svc operator login', why: 'Start a new operator session.' }],
  }),
  PAYMENT_REQUIRED: row(402, 'payment', 'This is paid from the prepaid balance, which does not cover it.', {
    nextActions: [
      fund,
      { type: 'check_usage', method: 'GET', path: '/orgs/v1/:org_id/billing', why: 'See what the balance is.' },
    ],
  }),
  PAYMENTS_UNAVAILABLE: row(503, 'payment', 'Payments cannot be taken right now; nothing was paid.', {
    retryable: true,
    nextActions: [again],
  }),
  PAYMENT_INTENT_PENDING: row(409, 'payment', 'The payment is being settled.', {
    retryable: true,
    mutationState: 'unknown',
    nextActions: [{ type: 'poll', why: 'Send the same request with the same payment again.' }],
  }),
  PAYMENT_RECOVERY_PENDING: row(503, 'payment', 'This is paid, and could not be made yet; do not pay again.', {
    retryable: true,
    mutationState: 'partial',
    nextActions: [{ type: 'reconcile_payment', why: 'Send the same request with the same payment again.' }],
  }),
  PAYMENT_PROOF_MISMATCH: row(409, 'payment', 'This payment was used for another request.'),
  PAYMENT_CALLER_IDENTITY_NOT_ACTIVE: row(409, 'payment', 'The wallet that pays is disabled here.'),
  TIER_PAYMENT_IDENTITY_REQUIRED: row(403, 'payment', 'Nothing has to be paid, so no wallet is known to act for.', {
    nextActions: [signIn],
  }),
  TIER_PAYMENT_IDENTITY_REUSED: row(409, 'payment', 'This payment was used by somebody else.'),
  TIER_PAYMENT_INTENT_MISMATCH: row(409, 'payment', 'This payment was used for another tier or organization.'),
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
  CSRF_REFUSED: row(403, 'auth', 'A page of another site sent this, or its token is missing.'),
  FORBIDDEN: row(403, 'auth', 'This credential may not do that.'),
  NOT_AUTHORIZED: row(403, 'auth', 'The caller is not authorized for this.'),
  STEP_UP_REQUIRED: row(403, 'auth', 'This needs a fresh passkey confirmation.'),
  RECENT_SIGN_IN_REQUIRED: row(403, 'auth', 'This needs a sign-in of the last five minutes.', {
    nextActions: [{ type: 'authenticate', why: 'Sign the user in again, then repeat the request.' }],
  }),
  WRITE_AUTH_REQUIRED: row(403, 'auth', 'This needs a write approval.'),
  WRITE_AUTH_BINDING_MISMATCH: row(403, 'auth', 'The write approval is for another action, target or session.'),
  WRITE_AUTH_SESSION_INVALID: row(403, 'auth', 'The write approval has expired, was revoked or is unknown.'),
  ABOVE_WRITE_AUTH_CEILING: row(403, 'auth', 'The holder of this approval may not do this even with it.'),
  ADMIN_REQUIRED: row(403, 'auth', 'This is for the platform admin.', { nextActions: [sendAdminKey] }),
  SVC_CACHE_INVALIDATION_HOST_FORBIDDEN: row(403, 'auth', 'The host is not one of this project.', {
    nextActions: [edit],
  }),
  ADMIN_SQL_READ_ONLY: row(403, 'auth', 'The platform admin reads a project’s data and does not change it.'),
  TABLE_NOT_LIVE: row(403, 'auth', 'The table is not marked live in the project’s manifest.'),
  TABLE_NOT_EXPOSED: row(403, 'auth', 'The table exists, and is not exposed to anonymous callers.', {
    nextActions: [
      {
        type: 'expose_table',
        command: 'svc projects apply-expose',
        why: 'Expose the table in the project’s manifest.',
      },
      { type: 'edit_request', why: 'Read a table that is exposed, or sign a user in.' },
      { type: 'use_function', why: 'Give access through a function of the project instead.' },
    ],
  }),
  SVC_AUTH_DOMAIN_NOT_ALLOWED: row(403, 'auth', 'The project admits no addresses of this domain.'),
  SVC_AUTH_CSRF_ORIGIN_MISMATCH: row(403, 'auth', 'The request does not come from a page of this host.'),
  SVC_AUTH_CSRF_TOKEN_MISMATCH: row(403, 'auth', 'The form has no `_csrf` of this session, or an old one.'),
  SVC_AUTH_INSUFFICIENT_ROLE: row(403, 'auth', 'The signed-in user does not have the role that this needs.'),
  SVC_AUTH_INSUFFICIENT_MEMBERSHIP: row(403, 'auth', 'The signed-in user is not a member of what this is for.'),
  SLUG_RESERVED: row(403, 'auth', 'This slug is a reserved word.', { nextActions: [edit] }),
  SLUG_PROTECTED: row(403, 'auth', 'This slug is a protected mark.', { nextActions: [edit] }),
  INSUFFICIENT_FUNDS: row(403, 'billing', 'The organization’s balance does not cover this.', {
    nextActions: [fund],
  }),
  ORG_HAS_NO_BILLING_WALLET: row(403, 'billing', 'The organization has no wallet that could be billed.'),
  PROJECT_PAST_DUE: row(403, 'lifecycle', 'The organization’s lease has run out.', { nextActions: [renew] }),
  PROJECT_FROZEN: row(403, 'lifecycle', 'The organization is frozen: its lease ran out two weeks ago.', {
    nextActions: [renew],
  }),
  PROJECT_DORMANT: row(403, 'lifecycle', 'The organization is dormant: its lease ran out six weeks ago.', {
    nextActions: [renew],
  }),
  ROOM_INVITE_OPEN_LIMIT: row(403, 'quota', 'The room has as many open invite keys as it may have.'),
  ROOM_INVITE_CLAIM_REQUIRES_WALLET: row(403, 'payment', 'A seat is for the wallet that pays for it.'),
  OPERATOR_PASSKEY_REQUIRED: row(403, 'auth', 'This needs an operator whose passkey is enrolled.', {
    nextActions: [{ type: 'authenticate', method: 'POST', path: '/agent/v1/contact/passkey/enroll', why: 'Enrol it.' }],
  }),
  QUOTA_EXCEEDED: row(403, 'quota', 'A quota is used up.', {
    nextActions: [checkUsage],
  }),
  FLOW_NOT_FOUND: row(404, 'not_found', 'There is no such sign-in, or it has expired.'),
  DEVICE_CODE_NOT_FOUND: row(404, 'not_found', 'There is no such code, or it has expired or was used.'),
  CLAIM_NOTHING_TO_CLAIM: row(404, 'not_found', 'The wallet owns no organization that could be claimed.'),
  HOST_NOT_FOUND: row(404, 'not_found', 'No project is served under this host.'),
  ROOM_INVITE_KEY_INVALID: row(404, 'not_found', 'There is no such invite key.'),
  INVITE_NOT_FOUND: row(404, 'not_found', 'There is no such invitation.'),
  GRANT_NOT_FOUND: row(404, 'not_found', 'There is no such grant.'),
  RESULT_REFERENCE_NOT_FOUND: row(
    404,
    'not_found',
    'Nothing is kept under this reference, or not any more: call the tool again.',
  ),
  DELEGATE_NOT_FOUND: row(404, 'not_found', 'There is no such delegate.'),
  PROJECT_NOT_FOUND: row(404, 'not_found', 'The project is gone.'),
  RESOURCE_NOT_FOUND: row(404, 'not_found', 'There is no such resource.'),
  ROUTE_NOT_FOUND: row(404, 'not_found', 'There is no such path.'),
  METHOD_NOT_ALLOWED: row(405, 'validation', 'This path does not answer that method.'),
  NOT_ACCEPTABLE: row(406, 'validation', 'None of the accepted content types can be given.'),
  IDEMPOTENCY_KEY_REUSED: row(409, 'conflict', 'This idempotency key was used with another request.', {
    nextActions: [{ type: 'edit_request', why: 'Use a new key for a new request.' }],
  }),
  IDEMPOTENCY_IN_PROGRESS: row(409, 'conflict', 'The first request with this idempotency key is still running.', {
    retryable: true,
    nextActions: [again],
  }),
  ROOM_INVITE_ID_CONFLICT: row(409, 'conflict', 'An invite key with this id exists; make a new one.'),
  ROOM_INVITE_KEY_ALREADY_CLAIMED: row(409, 'conflict', 'The invite key was redeemed by somebody else.'),
  LAST_OWNER: row(409, 'conflict', 'An organization keeps at least one active owner.', {
    nextActions: [{ type: 'edit_request', why: 'Make another member an owner first.' }],
  }),
  EMAIL_ALREADY_REGISTERED: row(409, 'conflict', 'A user with this address exists.', {
    nextActions: [{ type: 'authenticate', why: 'Sign in with this address, or recover its account by mail.' }],
  }),
  // In small letters, as the specification prints it.
  account_exists_requires_link: row(409, 'conflict', 'The address belongs to a user who signs in otherwise.', {
    nextActions: [
      { type: 'authenticate', why: 'Sign in as before, or recover the account by mail; then link the social account.' },
    ],
  }),
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
  OPERATOR_EMAIL_MISSING: row(409, 'conflict', 'The operator contact has no mail address.', {
    nextActions: [
      { type: 'edit_request', method: 'POST', path: '/agent/v1/contact', why: 'Name a mail address first.' },
    ],
  }),
  SVC_AUTH_IDENTITY_LINK_CONFLICT: row(409, 'conflict', 'The social account signs another user in.', {
    nextActions: [{ type: 'authenticate', why: 'Sign in with it, and unlink it from that user first.' }],
  }),
  ADMINS_WITHOUT_PASSKEY: row(409, 'conflict', 'No admin of the project has a passkey: all would be locked out.', {
    nextActions: [{ type: 'edit_request', why: 'Have an admin register a passkey first.' }],
  }),
  LAST_ADMIN_PASSKEY: row(409, 'conflict', 'An admin of this project keeps at least one passkey.', {
    nextActions: [{ type: 'edit_request', why: 'Register another passkey first.' }],
  }),
  PASSKEY_ALREADY_REGISTERED: row(409, 'conflict', 'This passkey is registered already.'),
  NO_ACTIVE_RELEASE: row(409, 'conflict', 'No release of this project is active.', {
    nextActions: [{ type: 'edit_request', why: 'Name a release, or ask without `new_in`.' }],
  }),
  SLUG_TAKEN: row(409, 'conflict', 'Another organization goes by this slug.', { nextActions: [edit] }),
  SLUG_RELEASED: row(409, 'conflict', 'The organization that went by this slug has another one now.'),
  REPO_NAME_TAKEN: row(409, 'conflict', 'Another project of the organization goes by this name.', {
    nextActions: [edit],
  }),
  GITVAULT_WRITER_NOT_ADMITTED: row(409, 'conflict', 'The caller’s key is not a writer of every vault.', {
    nextActions: [{ type: 'request_writer_sync', why: 'Have a writer of the vaults admit this key.' }],
  }),
  EPOCH_ROTATION_REQUIRED: row(409, 'conflict', 'A writer was removed; the vault’s key has to be rotated first.', {
    nextActions: [{ type: 'rotate_epoch', why: 'A remaining writer rotates the vault’s key.' }],
  }),
  GITVAULT_KEY_ROTATION_REQUIRED: row(409, 'conflict', 'The member’s keystore was lost or rebuilt.', {
    nextActions: [{ type: 'revoke_key', why: 'An owner revokes the member’s key; then a new one can be enrolled.' }],
  }),
  PROJECT_NOT_READY: row(409, 'lifecycle', 'The project is still being provisioned.', {
    retryable: true,
    nextActions: [again],
  }),
  REQUEST_TIMEOUT: row(408, 'validation', 'The request did not arrive in time.', {
    retryable: true,
    nextActions: [again],
  }),
  SVC_AUTH_CHALLENGE_ENDED: row(410, 'auth', 'This code can be entered no more.', {
    nextActions: [{ type: 'edit_request', why: 'Have another code sent.' }],
  }),
  ROOM_INVITE_KEY_EXPIRED: row(410, 'conflict', 'The invite key has expired; ask for a new one.'),
  ROOM_INVITE_KEY_REVOKED: row(410, 'conflict', 'The invite key was taken back.'),
  PRESENCE_EXPIRED: row(410, 'conflict', 'The presence has expired; join the room again.'),
  OPERATOR_EMAIL_NOT_VERIFIED: row(412, 'auth', 'The operator contact has no verified mail address.', {
    nextActions: [
      { type: 'edit_request', method: 'POST', path: '/agent/v1/contact', why: 'Name a mail address and verify it.' },
    ],
  }),
  BODY_TOO_LARGE: row(413, 'validation', 'The request body is larger than this path accepts.'),
  UNSUPPORTED_MEDIA_TYPE: row(415, 'validation', 'The request body must be JSON.'),
  HOST_NOT_ALLOWED: row(421, 'validation', 'This server does not answer under this host name.', {
    nextActions: [
      {
        type: 'edit_request',
        why: 'Use the address that the operator gave you. The operator adds a name of this server to ALLOWED_HOSTS.',
      },
    ],
  }),
  NOT_A_RECIPIENT: row(
    422,
    'validation',
    'The message does not name this presence, so it is not asked to acknowledge.',
  ),
  UNKNOWN_RECIPIENT: row(422, 'validation', 'A recipient is not in the room.', { nextActions: [edit] }),
  RATE_LIMITED: row(429, 'rate_limit', 'Too many requests.', { retryable: true, nextActions: [again] }),
  LIVE_CONNECTION_LIMIT: row(429, 'rate_limit', 'The project has as many live connections as it may have.', {
    retryable: true,
    nextActions: [again],
  }),
  FREE_ORG_OWNER_LIMIT_EXCEEDED: row(
    429,
    'quota',
    'An owner can hold only so many organizations on the prototype tier.',
  ),
  HEADERS_TOO_LARGE: row(431, 'validation', 'The address or the headers are larger than this server accepts.'),
  INTERNAL_ERROR: row(500, 'internal', 'Something went wrong on our side.', {
    retryable: true,
    safeToRetry: false,
    mutationState: 'unknown',
  }),
  SVC_SSR_RUNTIME_ERROR: row(500, 'internal', 'The page’s own code failed while it was rendered.', {
    safeToRetry: false,
    mutationState: 'unknown',
    nextActions: [{ type: 'fetch_logs', why: 'Read the log of this request by its id.' }],
  }),
  NOT_IMPLEMENTED: row(501, 'internal', 'This is not offered here.'),
  DNS_FAILURE: row(502, 'upstream', 'The target’s host name does not resolve.', { retryable: true }),
  CONNECT_FAILURE: row(502, 'upstream', 'The target could not be reached.', { retryable: true }),
  TLS_FAILURE: row(502, 'upstream', 'No secure connection to the target could be made.', { retryable: true }),
  TARGET_TIMEOUT: row(502, 'upstream', 'The target took too long to answer.', { retryable: true }),
  TOO_MANY_REDIRECTS: row(502, 'upstream', 'The target leads on and on.'),
  BAD_ENCODING: row(502, 'upstream', 'The target’s answer is packed in a way that is not read.'),
  CHAT_CHANNEL_NOT_CONFIGURED: row(503, 'upstream', 'The operator has not set a chat provider up.', {
    nextActions: [
      {
        type: 'edit_request',
        method: 'POST',
        path: '/agent/v1/contact',
        why: 'Notices go by mail until there is a chat provider: name a mail address and verify it.',
      },
    ],
  }),
  SIGNING_UNAVAILABLE: row(503, 'upstream', 'The operator has not set up a key to sign licences and orders with.'),
  PROVIDER_NOT_CONFIGURED: row(503, 'upstream', 'The operator has not set this way to sign in up.'),
  UPSTREAM_UNAVAILABLE: row(503, 'upstream', 'A service this depends on is not reachable.', {
    retryable: true,
    nextActions: [again],
  }),
  SERVICE_UNAVAILABLE: row(503, 'upstream', 'The server cannot serve this right now.', {
    retryable: true,
    nextActions: [again],
  }),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorRows;
