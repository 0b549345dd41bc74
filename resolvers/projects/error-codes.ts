import { defineErrors, type ErrorRow, edit, row } from '../../core/error-codes.ts';

export const projectErrors = defineErrors({
  REPO_NAME_TAKEN: row(409, 'conflict', 'Another project of the organization goes by this name.', {
    nextActions: [edit],
  }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof projectErrors, ErrorRow> {}
}
