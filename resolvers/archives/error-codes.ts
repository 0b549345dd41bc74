import { defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

/** Contract 03, section 8. */
export const archiveErrors = defineErrors({
  PROJECT_ARCHIVE_NOT_FOUND: row(404, 'not_found', 'The project has no such archive.'),
  ARCHIVE_NOT_READY: row(409, 'conflict', 'The archive is not ready: it is being made, or could not be made.', {
    retryable: true,
    nextActions: [{ type: 'poll', why: 'Read the archive until it is ready, or export another one.' }],
  }),
  ARCHIVE_UPLOAD_NOT_FOUND: row(404, 'not_found', 'The organization holds no such archive.', {
    nextActions: [{ type: 'upload', why: 'Send the bytes first: POST /archives/v1/uploads.' }],
  }),
  ARCHIVE_PATH_NOT_FOUND: row(
    404,
    'not_found',
    'There is no such file in the folder of archives, or this server has no such folder.',
    { nextActions: [{ type: 'upload', why: 'Send the bytes instead: POST /archives/v1/uploads.' }] },
  ),
  ARCHIVE_IMPORT_NOT_FOUND: row(404, 'not_found', 'The organization has no such import.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof archiveErrors, ErrorRow> {}
}
