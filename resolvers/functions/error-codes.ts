import { again, defineErrors, type ErrorRow, edit, row } from '../../core/error-codes.ts';

/** Contract 03, sections 2.17 and 3. */
export const functionErrors = defineErrors({
  FUNCTION_NOT_FOUND: row(404, 'not_found', 'The project has no such function.'),
  authentication_required: row(401, 'auth', 'The function answers signed-in users of the project alone.', {
    nextActions: [{ type: 'authenticate', why: 'Send the access token of a user of the project.' }],
  }),
  ROLE_FORBIDDEN: row(403, 'auth', 'The role of the user is none of those that the function answers.'),
  DEPLOY_INVALID_ROLE_GATE: row(422, 'deploy', 'A gate asks a table or column that is not there.', {
    safeToRetry: false,
    nextActions: [{ type: 'edit_request', why: 'Name a table of the project, or add it by a migration.' }],
  }),
  FUNCTION_BUSY: row(503, 'deploy', 'As many calls of the project run and wait as may.', {
    retryable: true,
    nextActions: [again],
  }),
  FUNCTION_TIMEOUT: row(504, 'deploy', 'The function took longer than it may.'),
  FUNCTION_FAILED: row(500, 'deploy', 'The function failed.'),
  FUNCTION_CRASHED: row(502, 'deploy', 'The process of the function ended before it answered.'),
  FUNCTION_BUILD_FAILED: row(422, 'deploy', 'The code of a function cannot be built.', {
    safeToRetry: false,
    nextActions: [{ type: 'edit_request', why: 'Mend what the build log names.' }],
  }),
  FUNCTION_HAS_ROUTES: row(409, 'conflict', 'Routes of the live release lead to the function.', {
    nextActions: [{ type: 'edit_request', why: 'Deploy routes that lead elsewhere, and delete it then.' }],
  }),
  CANNOT_REBUILD_UNLOCKED_DEPS: row(409, 'conflict', 'The versions of the packages of the function were not kept.', {
    nextActions: [{ type: 'edit_request', why: 'Deploy the function anew: that chooses versions.' }],
  }),
  PACKAGE_REGISTRY_UNAVAILABLE: row(503, 'upstream', 'The registry of packages is not reachable.', { retryable: true }),
  // In small letters, as the specification prints them.
  invalid_function_run_request: row(400, 'validation', 'The run is not asked for as it has to be.', {
    nextActions: [edit],
  }),
  function_run_not_found: row(404, 'not_found', 'There is no such run.'),
  function_run_idempotency_conflict: row(409, 'conflict', 'The key was used for another run.', {
    nextActions: [{ type: 'edit_request', why: 'Use a new key for a new run.' }],
  }),
  FUNCTION_TRIGGER_NOT_FOUND: row(404, 'not_found', 'The function has no such trigger.'),
  ROUTED_RESPONSE_TOO_LARGE: row(502, 'deploy', 'The function answered with more than it may.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof functionErrors, ErrorRow> {}
}
