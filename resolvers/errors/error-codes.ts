import { defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

export const releaseErrors = defineErrors({
  NO_ACTIVE_RELEASE: row(409, 'conflict', 'No release of this project is active.', {
    nextActions: [{ type: 'edit_request', why: 'Name a release, or ask without `new_in`.' }],
  }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof releaseErrors, ErrorRow> {}
}
