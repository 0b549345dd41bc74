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
  INVALID_CURSOR: row(400, 'validation', 'The cursor does not belong to this list.', { nextActions: [edit] }),
  INVALID_DISPLAY_NAME: row(400, 'validation', 'A display name has 1 to 64 characters and no control characters.', {
    nextActions: [edit],
  }),
  INVALID_DELEGATE_SCOPE: row(400, 'validation', 'A delegate’s scope lies within the grant it narrows.', {
    nextActions: [edit],
  }),
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
  SQL_ERROR: row(400, 'validation', 'The project’s database refused the SQL.', {
    nextActions: [{ type: 'edit_request', why: 'Correct the SQL: `details` has what PostgreSQL says of it.' }],
  }),
  RESULT_TOO_LARGE: row(400, 'validation', 'The answer would be larger than may be; nothing was changed.', {
    nextActions: [{ type: 'edit_request', why: 'Ask for less at a time, with LIMIT and fewer columns.' }],
  }),
  AUTH_REQUIRED: row(401, 'auth', 'This needs a credential.', { nextActions: [signIn] }),
  INVALID_AUTH: row(401, 'auth', 'The credential is not valid.', { nextActions: [signIn] }),
  OPERATOR_SESSION_INVALID: row(401, 'auth', 'The operator session has expired or was revoked.', {
    nextActions: [{ type: 'authenticate', command: 'svc operator login', why: 'Start a new operator session.' }],
  }),
  PAYMENT_REQUIRED: row(402, 'payment', 'This is paid from the prepaid balance, which does not cover it.', {
    nextActions: [
      fund,
      { type: 'check_usage', method: 'GET', path: '/orgs/v1/:org_id/billing', why: 'See what the balance is.' },
    ],
  }),
  SVC_AUTH_FRESHNESS_REQUIRED: row(401, 'auth', 'This needs a sign-in of the last few minutes.', {
    nextActions: [{ type: 'authenticate', why: 'Sign the user in again, then repeat the request.' }],
  }),
  FORBIDDEN: row(403, 'auth', 'This credential may not do that.'),
  NOT_AUTHORIZED: row(403, 'auth', 'The caller is not authorized for this.'),
  STEP_UP_REQUIRED: row(403, 'auth', 'This needs a fresh passkey confirmation.'),
  WRITE_AUTH_REQUIRED: row(403, 'auth', 'This needs a write approval.'),
  WRITE_AUTH_BINDING_MISMATCH: row(403, 'auth', 'The write approval is for another action, target or session.'),
  WRITE_AUTH_SESSION_INVALID: row(403, 'auth', 'The write approval has expired, was revoked or is unknown.'),
  ABOVE_WRITE_AUTH_CEILING: row(403, 'auth', 'The holder of this approval may not do this even with it.'),
  ADMIN_REQUIRED: row(403, 'auth', 'This is for the platform admin.'),
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
  SLUG_RESERVED: row(403, 'auth', 'This slug is a reserved word.', { nextActions: [edit] }),
  SLUG_PROTECTED: row(403, 'auth', 'This slug is a protected mark.', { nextActions: [edit] }),
  INSUFFICIENT_BALANCE: row(403, 'billing', 'The organization’s balance does not cover this.', {
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
  QUOTA_EXCEEDED: row(403, 'quota', 'A quota is used up.', {
    nextActions: [checkUsage],
  }),
  INVITE_NOT_FOUND: row(404, 'not_found', 'There is no such invitation.'),
  GRANT_NOT_FOUND: row(404, 'not_found', 'There is no such grant.'),
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
  LAST_OWNER: row(409, 'conflict', 'An organization keeps at least one active owner.', {
    nextActions: [{ type: 'edit_request', why: 'Make another member an owner first.' }],
  }),
  EMAIL_ALREADY_REGISTERED: row(409, 'conflict', 'A user with this address exists.', {
    nextActions: [{ type: 'authenticate', why: 'Sign in with this address, or recover its account by mail.' }],
  }),
  // In small letters, as the specification prints it.
  account_exists_requires_link: row(409, 'conflict', 'The address belongs to a user with a password.', {
    nextActions: [{ type: 'authenticate', why: 'Sign in with the password, or recover the account by mail.' }],
  }),
  ADMINS_WITHOUT_PASSKEY: row(409, 'conflict', 'No admin of the project has a passkey: all would be locked out.', {
    nextActions: [{ type: 'edit_request', why: 'Have an admin register a passkey first.' }],
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
  PRESENCE_EXPIRED: row(410, 'conflict', 'The presence has expired; join the room again.'),
  BODY_TOO_LARGE: row(413, 'validation', 'The request body is larger than this path accepts.'),
  UNSUPPORTED_MEDIA_TYPE: row(415, 'validation', 'The request body must be JSON.'),
  UNKNOWN_RECIPIENT: row(422, 'validation', 'A recipient is not in the room.', { nextActions: [edit] }),
  RATE_LIMITED: row(429, 'rate_limit', 'Too many requests.', { retryable: true, nextActions: [again] }),
  LIVE_CONNECTION_LIMIT: row(429, 'rate_limit', 'The project has as many live connections as it may have.', {
    retryable: true,
    nextActions: [again],
  }),
  FREE_ORG_OWNER_LIMIT_EXCEEDED: row(429, 'quota', 'An owner can hold only so many free organizations.'),
  HEADERS_TOO_LARGE: row(431, 'validation', 'The address or the headers are larger than this server accepts.'),
  INTERNAL_ERROR: row(500, 'internal', 'Something went wrong on our side.', {
    retryable: true,
    safeToRetry: false,
    mutationState: 'unknown',
  }),
  NOT_IMPLEMENTED: row(501, 'internal', 'This is not offered here.'),
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
