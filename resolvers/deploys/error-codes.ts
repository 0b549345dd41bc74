import { again, defineErrors, type ErrorRow, edit, row } from '../../core/error-codes.ts';

const planAgain = { type: 'edit_request', why: 'Plan the deploy again.' } as const;
const refused = (message: string, status = 400) => row(status, 'validation', message, { nextActions: [edit] });

/** Contract 03, section 2.17. */
export const deployErrors = defineErrors({
  PLAN_REQUIRES_INLINE_SPEC: refused('A preview and a reviewed plan need the specification itself.'),
  DRY_RUN_PLAN_NOT_COMMITTABLE: refused('A preview is not kept, so it cannot be committed.'),
  OPERATION_NOT_FOUND: row(404, 'not_found', 'There is no such operation.'),
  RELEASE_NOT_FOUND: row(404, 'not_found', 'The project has no such release.'),
  PROMOTE_TARGET_NOT_FOUND: row(404, 'not_found', 'There is no such release.'),
  PROMOTE_PROJECT_MISMATCH: refused('The release is another project’s.'),
  PROMOTE_RELEASE_NOT_READY: row(409, 'conflict', 'The release was never live.'),
  PROMOTE_NO_OP: row(409, 'conflict', 'The release is live already.'),
  PROMOTE_WARNING_REQUIRES_ACK: row(409, 'conflict', 'A warning has to be agreed to.', {
    nextActions: [{ type: 'edit_request', why: 'Name the codes of the warnings in allow_warning_codes.' }],
  }),
  PLAN_APPROVAL_MISMATCH: row(409, 'conflict', 'The plan is not the one that was approved of.', {
    nextActions: [planAgain],
  }),
  BASE_RELEASE_CONFLICT: row(409, 'conflict', 'Another release went live since, or is about to.', {
    retryable: true,
    nextActions: [planAgain],
  }),
  MIGRATION_SQL_NOT_FOUND: row(409, 'conflict', 'The SQL of a migration was not uploaded.', {
    nextActions: [planAgain],
  }),
  NOT_RESUMABLE: row(409, 'conflict', 'The deploy waits for nothing that could be tried again.'),
  RESUME_FAILED: row(500, 'deploy', 'The deploy failed again.', { retryable: true, nextActions: [again] }),
  MIGRATION_FAILED: row(422, 'deploy', 'A migration failed.', {
    safeToRetry: false,
    nextActions: [{ type: 'edit_migration', why: 'Correct the SQL and deploy again.' }],
  }),
  SCHEMA_SETTLE_TIMEOUT: row(503, 'deploy', 'The project’s data does not show its new schema yet.', {
    retryable: true,
  }),
  ACTIVATION_FAILED: row(503, 'deploy', 'The release could not go live yet.', { retryable: true }),
  CI_ROUTE_SCOPE_DENIED: row(403, 'auth', 'The binding of CI does not cover a route that would change.'),
  CI_ASSET_SCOPE_DENIED: row(403, 'auth', 'The binding of CI does not cover an asset that would change.', {
    nextActions: [
      {
        type: 'edit_request',
        method: 'POST',
        path: '/ci/v1/bindings/:binding_id/asset-scopes',
        why: 'A new binding covers none.',
      },
    ],
  }),
  SITE_STAGE_FAILED: row(503, 'deploy', 'The release could not be prepared.', { retryable: true }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof deployErrors, ErrorRow> {}
}
