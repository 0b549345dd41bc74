import { defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

export const projectDataErrors = defineErrors({
  ADMIN_SQL_READ_ONLY: row(403, 'auth', 'The platform admin reads a project’s data and does not change it.'),
  EXPOSE_CHANGED: row(409, 'conflict', 'Another manifest was applied since this one was begun.', {
    nextActions: [{ type: 'edit_request', why: 'Read the manifest that is applied, and make the change to it.' }],
  }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof projectDataErrors, ErrorRow> {}
}
