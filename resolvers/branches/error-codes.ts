import { defineErrors, type ErrorRow, edit, row } from '../../core/error-codes.ts';

/** Contract 03, section 7. */
export const branchErrors = defineErrors({
  BRANCH_NOT_FOUND: row(404, 'not_found', 'The project has no such branch.'),
  BRANCH_NOT_ACTIVE: row(409, 'conflict', 'The branch could not be made: there is nothing to renew.', {
    nextActions: [{ type: 'edit_request', why: 'Delete it, and create another one.' }],
  }),
  NESTED_BRANCH: row(
    409,
    'conflict',
    'The project is a branch: branches are made from the project that it came from.',
    {
      nextActions: [edit],
    },
  ),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof branchErrors, ErrorRow> {}
}
