import { defineErrors, type ErrorRow, edit, row } from '../../core/error-codes.ts';

export const grantErrors = defineErrors({
  INVALID_DELEGATE_SCOPE: row(400, 'validation', 'A delegate’s scope lies within the grant it narrows.', {
    nextActions: [edit],
  }),
  GRANT_NOT_FOUND: row(404, 'not_found', 'There is no such grant.'),
  DELEGATE_NOT_FOUND: row(404, 'not_found', 'There is no such delegate.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof grantErrors, ErrorRow> {}
}
