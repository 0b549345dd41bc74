import { again, defineErrors, type ErrorRow, edit, row } from '../../core/error-codes.ts';

/** Contract 03, sections 2.5 and 2.17. */
export const rehearsalErrors = defineErrors({
  REHEARSAL_CI_UNSUPPORTED: row(403, 'auth', 'A session of CI cannot rehearse a deploy.'),
  REHEARSAL_CONTENT_MISSING: row(409, 'conflict', 'Content that the plan names was not uploaded yet.', {
    nextActions: [{ type: 'edit_request', why: 'Upload it, and rehearse the plan again.' }],
  }),
  INVALID_REHEARSAL_OPTIONS: row(400, 'validation', 'The rehearsal was asked for in a way that is not known.', {
    nextActions: [edit],
  }),
  REHEARSAL_FAILED: row(503, 'deploy', 'The rehearsal came to no result.', { retryable: true, nextActions: [again] }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof rehearsalErrors, ErrorRow> {}
}
