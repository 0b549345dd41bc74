import { defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

export const inviteErrors = defineErrors({
  INVITE_NOT_FOUND: row(404, 'not_found', 'There is no such invitation.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof inviteErrors, ErrorRow> {}
}
