import { defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

const ask = { type: 'authenticate', why: 'Ask an owner of the project for another credential, or use its own key.' };

export const identityErrors = defineErrors({
  PROJECT_CREDENTIAL_INVALID: row(401, 'auth', 'The credential of the project was revoked, or has ended.', {
    nextActions: [ask],
  }),
  PROJECT_CREDENTIAL_EXPIRED: row(401, 'auth', 'The credential of the project has expired.', { nextActions: [ask] }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof identityErrors, ErrorRow> {}
}
