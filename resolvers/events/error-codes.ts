import { defineErrors, type ErrorRow, edit, row } from '../../core/error-codes.ts';

export const eventErrors = defineErrors({
  INVALID_EVENT_TYPE: row(400, 'validation', 'An event type is 3 to 64 lower-case letters, digits and underscores.', {
    nextActions: [edit],
  }),
  RESERVED_EVENT_TYPE: row(400, 'validation', 'This event type is the platform’s own.', { nextActions: [edit] }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof eventErrors, ErrorRow> {}
}
