import { defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

export const memberErrors = defineErrors({
  LAST_OWNER: row(409, 'conflict', 'An organization keeps at least one active owner.', {
    nextActions: [{ type: 'edit_request', why: 'Make another member an owner first.' }],
  }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof memberErrors, ErrorRow> {}
}
