import { again, defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

/** Contract 03, section 6. */
export const snapshotErrors = defineErrors({
  SNAPSHOT_NOT_FOUND: row(404, 'not_found', 'The project has no such snapshot.'),
  SNAPSHOT_NOT_READY: row(409, 'conflict', 'The snapshot is not ready: it is being taken, has failed or has expired.', {
    nextActions: [{ type: 'poll', why: 'Read the snapshot until it is ready, or take another one.' }],
  }),
  SNAPSHOT_IN_USE: row(409, 'conflict', 'A restore or a branch that is under way needs the snapshot.', {
    nextActions: [again],
  }),
  RESTORE_CONFIRM_INVALID: row(
    409,
    'conflict',
    'The confirmation has expired, or is of another snapshot or another state of the project.',
    { nextActions: [{ type: 'edit_request', why: 'Ask for the plan anew, and confirm with its token.' }] },
  ),
  RESTORE_CONFLICT: row(409, 'conflict', 'A deploy or a restore of the project is under way.', {
    retryable: true,
    nextActions: [again],
  }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof snapshotErrors, ErrorRow> {}
}
