import { again, defineErrors, type ErrorRow, edit, higherTier, row } from '../../core/error-codes.ts';

/** Codes of published versions and their forks. Contract 04, section 3.3. */
export const appErrors = defineErrors({
  APP_VERSION_NOT_FOUND: row(404, 'not_found', 'There is no such version of an app.'),
  APP_FORK_NOT_FOUND: row(404, 'not_found', 'The project is no fork of an app.'),
  APP_FORK_NOT_ALLOWED: row(403, 'auth', 'Whoever published this version lets nobody fork it.'),
  APP_NOTHING_TO_PUBLISH: row(409, 'conflict', 'The project has no live release: there is nothing to publish.', {
    nextActions: [{ type: 'deploy', why: 'Deploy it first.' }],
  }),
  APP_IS_BRANCH: row(409, 'conflict', 'The project is a branch. Publish the project that it came from.', {
    nextActions: [edit],
  }),
  APP_VERSION_NOT_READY: row(409, 'conflict', 'The version is still being prepared, or could not be.', {
    retryable: true,
    nextActions: [again],
  }),
  APP_VARIABLES_INVALID: row(400, 'validation', 'The variables are not those that the app asks for.', {
    nextActions: [edit],
  }),
  TIER_FEATURE_REQUIRED: row(403, 'billing', 'The tier of the organization does not allow this.', {
    nextActions: [higherTier],
  }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof appErrors, ErrorRow> {}
}
