import { defineErrors, type ErrorRow, edit, row } from '../../core/error-codes.ts';

export const roomErrors = defineErrors({
  PRESENCE_EXPIRED: row(410, 'conflict', 'The presence has expired; join the room again.'),
  NOT_A_RECIPIENT: row(
    422,
    'validation',
    'The message does not name this presence, so it is not asked to acknowledge.',
  ),
  UNKNOWN_RECIPIENT: row(422, 'validation', 'A recipient is not in the room.', { nextActions: [edit] }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof roomErrors, ErrorRow> {}
}
