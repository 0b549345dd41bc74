import { defineErrors, type ErrorRow, edit, row } from '../../core/error-codes.ts';

export const secretErrors = defineErrors({
  RESERVED_SECRET_KEY: row(400, 'validation', 'Keys that begin with SVC_ are the platform’s own.', {
    nextActions: [edit],
  }),
  SECRET_NOT_FOUND: row(404, 'not_found', 'The project has no such secret.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof secretErrors, ErrorRow> {}
}
