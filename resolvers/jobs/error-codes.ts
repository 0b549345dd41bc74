import { again, defineErrors, type ErrorRow, edit, fund, row } from '../../core/error-codes.ts';

/** Codes of managed jobs. Contract 04, section 3.1. */
export const jobErrors = defineErrors({
  // In small letters, as the specification prints it.
  invalid_job_request: row(400, 'validation', 'The job is not asked for as it has to be.', { nextActions: [edit] }),
  INVALID_CALLBACK_URL: row(
    400,
    'validation',
    'The callback has to be an https address of at most 2048 characters, without credentials.',
    { nextActions: [edit] },
  ),
  INSUFFICIENT_BALANCE: row(403, 'billing', 'The organization’s balance does not cover the cap of the job.', {
    nextActions: [fund],
  }),
  JOB_NOT_FOUND: row(404, 'not_found', 'The project has no such job.'),
  JOB_ARTIFACT_NOT_FOUND: row(404, 'not_found', 'The job has no such artifact, or has not completed.'),
  JOB_TYPE_NOT_FOUND: row(404, 'not_found', 'No such type of jobs is registered.'),
  JOB_TYPE_EXISTS: row(409, 'conflict', 'A type of jobs has this name already.', { nextActions: [edit] }),
  JOB_QUOTA_EXCEEDED: row(429, 'quota', 'As many jobs of the project wait and run as may.', {
    retryable: true,
    nextActions: [again],
  }),
  JOB_QUEUE_FULL: row(503, 'quota', 'Too many jobs wait.', { retryable: true, nextActions: [again] }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof jobErrors, ErrorRow> {}
}
