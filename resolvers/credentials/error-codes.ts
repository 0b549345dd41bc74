import { defineErrors, type ErrorRow, edit, row } from '../../core/error-codes.ts';

export const credentialErrors = defineErrors({
  CREDENTIAL_NAME_TAKEN: row(409, 'conflict', 'The project has a credential of this name that is not revoked.', {
    nextActions: [edit],
  }),
  CREDENTIAL_NOT_FOUND: row(404, 'not_found', 'There is no such credential.'),
  CREDENTIAL_REVOKED: row(409, 'conflict', 'The credential is revoked already.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof credentialErrors, ErrorRow> {}
}
