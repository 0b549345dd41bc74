import {
  again,
  checkUsage,
  defineErrors,
  type ErrorRow,
  edit,
  fund,
  higherTier,
  renew,
  row,
  sendAdminKey,
  signIn,
} from './error-codes.ts';

/** Codes that belong to no domain alone. */
export const commonErrors = defineErrors({
  VALIDATION_FAILED: row(400, 'validation', 'The request is not valid.', { nextActions: [edit] }),
  MALFORMED_JSON: row(400, 'validation', 'The request body is not valid JSON.', { nextActions: [edit] }),
  UNKNOWN_FIELD: row(400, 'validation', 'The request has a field that is not known here.', { nextActions: [edit] }),
  INVALID_QUERY_PARAM: row(400, 'validation', 'A parameter of the address is not valid.', { nextActions: [edit] }),
  INVALID_CURSOR: row(400, 'validation', 'The cursor does not belong to this list.', { nextActions: [edit] }),
  SVC_AUTH_RETURN_TO_INVALID: row(400, 'validation', 'The way back must be a path of this host, such as /home.', {
    nextActions: [edit],
  }),
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
  DEVICE_PENDING: row(400, 'auth', 'The sign-in was not approved yet, or will not be; `error` says which.'),
  SQL_ERROR: row(400, 'validation', 'The project’s database refused the SQL.', {
    nextActions: [{ type: 'edit_request', why: 'Correct the SQL and send it again.' }],
  }),
  RESULT_TOO_LARGE: row(400, 'validation', 'The answer would be larger than may be; nothing was changed.', {
    nextActions: [{ type: 'edit_request', why: 'Ask for less at a time, with LIMIT and fewer columns.' }],
  }),
  AUTH_REQUIRED: row(401, 'auth', 'This needs a credential.', { nextActions: [signIn] }),
  INVALID_AUTH: row(401, 'auth', 'The credential is not valid.', { nextActions: [signIn] }),
  OPERATOR_SESSION_INVALID: row(401, 'auth', 'The operator session has expired or was revoked.', {
    nextActions: [{ type: 'authenticate', command: 'svc operator login', why: 'Start a new operator session.' }],
  }),
  // The diagnostics of archives have these names, too.
  ARCHIVE_EXPIRED: row(410, 'not_found', 'The archive has expired: its bytes are gone.', {
    nextActions: [{ type: 'create', why: 'Export another one.' }],
  }),
  EXPORT_SCOPE_UNSUPPORTED: row(400, 'validation', 'The scope of an archive can be portable-runtime-v1 alone.', {
    nextActions: [edit],
  }),
  PROJECT_ALREADY_EXISTS: row(409, 'conflict', 'The organization has a project of this name.', {
    nextActions: [{ type: 'edit_request', why: 'Give another name: an import never merges into a project.' }],
  }),
  PROJECT_HAS_PENDING_TRANSFER: row(
    409,
    'conflict',
    'The project is offered to somebody else: what is handed over with it stays as it is until that is over.',
  ),
  PAYMENT_REQUIRED: row(402, 'payment', 'This is paid from the prepaid balance, which does not cover it.', {
    nextActions: [
      fund,
      { type: 'check_usage', method: 'GET', path: '/orgs/v1/:org_id/billing', why: 'See what the balance is.' },
    ],
  }),
  CSRF_REFUSED: row(403, 'auth', 'A page of another site sent this, or its token is missing.'),
  FORBIDDEN: row(403, 'auth', 'This credential may not do that.'),
  NOT_AUTHORIZED: row(403, 'auth', 'The caller is not authorized for this.'),
  STEP_UP_REQUIRED: row(403, 'auth', 'This needs a fresh passkey confirmation.'),
  WRITE_AUTH_REQUIRED: row(403, 'auth', 'This needs a write approval.'),
  WRITE_AUTH_BINDING_MISMATCH: row(403, 'auth', 'The write approval is for another action, target or session.'),
  WRITE_AUTH_SESSION_INVALID: row(403, 'auth', 'The write approval has expired, was revoked or is unknown.'),
  ABOVE_WRITE_AUTH_CEILING: row(403, 'auth', 'The holder of this approval may not do this even with it.'),
  ADMIN_REQUIRED: row(403, 'auth', 'This is for the platform admin.', { nextActions: [sendAdminKey] }),
  SVC_CACHE_INVALIDATION_HOST_FORBIDDEN: row(403, 'auth', 'The host is not one of this project.', {
    nextActions: [edit],
  }),
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
  INSUFFICIENT_FUNDS: row(403, 'billing', 'The organization’s balance does not cover this.', {
    nextActions: [fund],
  }),
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
  HOST_NOT_FOUND: row(404, 'not_found', 'No project is served under this host.'),
  PROJECT_NOT_FOUND: row(404, 'not_found', 'The project is gone.'),
  PLAN_NOT_FOUND: row(404, 'not_found', 'There is no such plan.'),
  RESOURCE_NOT_FOUND: row(404, 'not_found', 'There is no such resource.'),
  ROUTE_NOT_FOUND: row(404, 'not_found', 'There is no such path.'),
  ROUTE_METHOD_NOT_ALLOWED: row(405, 'validation', 'This path of the site does not answer that method.'),
  METHOD_NOT_ALLOWED: row(405, 'validation', 'This path does not answer that method.'),
  NOT_ACCEPTABLE: row(406, 'validation', 'None of the accepted content types can be given.'),
  INVALID_STATE: row(409, 'conflict', 'This cannot be done in the state that it is in.'),
  IDEMPOTENCY_KEY_REUSED: row(409, 'conflict', 'This idempotency key was used with another request.', {
    nextActions: [{ type: 'edit_request', why: 'Use a new key for a new request.' }],
  }),
  IDEMPOTENCY_IN_PROGRESS: row(409, 'conflict', 'The first request with this idempotency key is still running.', {
    retryable: true,
    nextActions: [again],
  }),
  // In small letters, as the specification prints it.
  account_exists_requires_link: row(409, 'conflict', 'The address belongs to a user who signs in otherwise.', {
    nextActions: [
      { type: 'authenticate', why: 'Sign in as before, or recover the account by mail; then link the social account.' },
    ],
  }),
  SVC_AUTH_IDENTITY_LINK_CONFLICT: row(409, 'conflict', 'The social account signs another user in.', {
    nextActions: [{ type: 'authenticate', why: 'Sign in with it, and unlink it from that user first.' }],
  }),
  PASSKEY_ALREADY_REGISTERED: row(409, 'conflict', 'This passkey is registered already.'),
  PROJECT_NOT_READY: row(409, 'lifecycle', 'The project is still being provisioned.', {
    retryable: true,
    nextActions: [again],
  }),
  REQUEST_TIMEOUT: row(408, 'validation', 'The request did not arrive in time.', {
    retryable: true,
    nextActions: [again],
  }),
  PLAN_EXPIRED: row(410, 'conflict', 'The plan has expired.', {
    nextActions: [{ type: 'edit_request', why: 'Plan again.' }],
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
  RATE_LIMITED: row(429, 'rate_limit', 'Too many requests.', { retryable: true, nextActions: [again] }),
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
  PROVIDER_NOT_CONFIGURED: row(503, 'upstream', 'The operator has not set this way to sign in up.'),
  UPSTREAM_UNAVAILABLE: row(503, 'upstream', 'A service this depends on is not reachable.', {
    retryable: true,
    nextActions: [again],
  }),
  MIGRATE_GATE_ACTIVE: row(503, 'deploy', 'Migrations of the project run.', { retryable: true, nextActions: [again] }),
  INVALID_SPEC: row(400, 'validation', 'The release specification is not valid.', { nextActions: [edit] }),
  INVALID_WIRE_SCHEMA: row(
    400,
    'validation',
    'The specification has a form that clients resolve before they send it.',
    { nextActions: [edit] },
  ),
  MANIFEST_EMPTY: row(400, 'validation', 'The specification would change nothing.', { nextActions: [edit] }),
  SVC_LOCALE_NOT_CANONICAL: row(400, 'validation', 'A locale is not written as the standard writes it.', {
    nextActions: [edit],
  }),
  ASSET_DUPLICATE_KEY_IN_PUT: row(400, 'validation', 'An asset is put twice.', { nextActions: [edit] }),
  ASSET_KEY_IN_PUT_AND_DELETE: row(400, 'validation', 'An asset is put and deleted.', { nextActions: [edit] }),
  CONTENT_MISSING: row(409, 'conflict', 'Content of the release was not uploaded.', {
    nextActions: [{ type: 'edit_request', why: 'Plan the deploy again.' }],
  }),
  PRUNE_CONFIRMATION_REQUIRED: row(409, 'conflict', 'The deletion of assets has to be confirmed.', {
    nextActions: [{ type: 'edit_request', why: 'Plan the deploy again.' }],
  }),
  ASSET_SYNC_DRIFT: row(409, 'conflict', 'Assets have changed since the deletion was confirmed.', {
    nextActions: [{ type: 'edit_request', why: 'Plan the deploy again.' }],
  }),
  INVALID_ASSET_METADATA: row(400, 'validation', 'The metadata of an asset are not valid.', { nextActions: [edit] }),
  INVALID_EXIF_POLICY: row(400, 'validation', 'The policy for EXIF data is keep or strip.', { nextActions: [edit] }),
  SUBDOMAIN_MULTI_NOT_SUPPORTED: row(400, 'validation', 'A project has one subdomain at the most.', {
    nextActions: [edit],
  }),
  FUNCTION_CONFIG_INVALID: row(422, 'validation', 'A function cannot be configured so.', { nextActions: [edit] }),
  TIER_LIMIT_EXCEEDED: row(422, 'quota', 'The tier allows the organization no more of these.', {
    nextActions: [higherTier],
  }),
  FUNCTION_TIMEOUT_EXCEEDS_TIER: row(422, 'quota', 'The tier allows no such timeout.', {
    nextActions: [higherTier],
  }),
  FUNCTION_MEMORY_EXCEEDS_TIER: row(422, 'quota', 'The tier allows no such memory.', {
    nextActions: [higherTier],
  }),
  FUNCTION_SCHEDULE_INTERVAL_TOO_SHORT: row(422, 'quota', 'The tier allows no such schedule.', {
    nextActions: [higherTier],
  }),
  FUNCTION_SCHEDULE_LIMIT_EXCEEDED: row(422, 'quota', 'The tier allows no more schedules.', {
    nextActions: [higherTier],
  }),
  FUNCTIONS_NOT_AVAILABLE: row(
    422,
    'deploy',
    'This gateway cannot run a function of the release, so that it cannot go live.',
  ),
  ROUTE_MANIFEST_LOAD_FAILED: row(503, 'deploy', 'What the site serves cannot be looked up right now.', {
    retryable: true,
    nextActions: [again],
  }),
  MIGRATION_CHECKSUM_MISMATCH: row(409, 'conflict', 'A migration of this id was run with other SQL.', {
    safeToRetry: false,
    nextActions: [{ type: 'edit_migration', why: 'Give the new SQL an id of its own.' }],
  }),
  MISSING_REQUIRED_SECRET: row(409, 'conflict', 'Secrets that the release requires are not set.', {
    nextActions: [{ type: 'edit_request', command: 'svc secrets set', why: 'Set the secrets, then commit again.' }],
  }),
  STATIC_IMMUTABLE_PATH_CHANGED: row(409, 'conflict', 'A file that browsers keep for ever has other bytes.', {
    nextActions: [edit],
  }),
  STORAGE_UNAVAILABLE: row(503, 'upstream', 'The object store is not reachable, or is full.', { retryable: true }),
  SERVICE_UNAVAILABLE: row(503, 'upstream', 'The server cannot serve this right now.', {
    retryable: true,
    nextActions: [again],
  }),
});

declare module './error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof commonErrors, ErrorRow> {}
}
