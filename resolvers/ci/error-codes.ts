import { defineErrors, type ErrorRow, edit, row } from '../../core/error-codes.ts';

/** Contract 03, section 9. What exactly is wrong is in the label, as the contract names it. */
export const ciErrors = defineErrors({
  CI_BINDING_NOT_FOUND: row(404, 'not_found', 'There is no such binding.'),
  CI_BINDING_EXISTS: row(409, 'conflict', 'The project has such a binding already.', { nextActions: [edit] }),
  CI_BINDING_REVOKED: row(409, 'conflict', 'The binding was revoked: make another one.', { nextActions: [edit] }),
  CI_BINDING_AMBIGUOUS: row(409, 'conflict', 'Several bindings of the project match the token.', {
    nextActions: [{ type: 'edit_request', why: 'Revoke all of them but one.' }],
  }),
  CI_NONCE_USED: row(409, 'conflict', 'The nonce of the delegation was used before.', { nextActions: [edit] }),
  CI_DELEGATION_INVALID: row(400, 'validation', 'The signed delegation does not hold.', { nextActions: [edit] }),
  CI_ISSUER_UNAVAILABLE: row(503, 'upstream', 'The issuer of the tokens of CI cannot be asked now.', {
    retryable: true,
  }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof ciErrors, ErrorRow> {}
}
