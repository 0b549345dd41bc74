import { defineErrors, type ErrorRow, edit, row } from '../../core/error-codes.ts';

export const accountErrors = defineErrors({
  INVALID_DISPLAY_NAME: row(400, 'validation', 'A display name has 1 to 64 characters and no control characters.', {
    nextActions: [edit],
  }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof accountErrors, ErrorRow> {}
}
