import { defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

export const installationErrors = defineErrors({
  BACKUP_FOLDER_UNKNOWN: row(
    409,
    'conflict',
    'This gateway knows no folder for backups; its operator sets SVC_BACKUP_DIR.',
  ),
  BACKUP_RUNNING: row(409, 'conflict', 'A backup is running already.', { retryable: true }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof installationErrors, ErrorRow> {}
}
