import { defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

export const operatorContactErrors = defineErrors({
  OPERATOR_PASSKEY_REQUIRED: row(403, 'auth', 'This needs an operator whose passkey is enrolled.', {
    nextActions: [{ type: 'authenticate', method: 'POST', path: '/agent/v1/contact/passkey/enroll', why: 'Enrol it.' }],
  }),
  OPERATOR_EMAIL_MISSING: row(409, 'conflict', 'The operator contact has no mail address.', {
    nextActions: [
      { type: 'edit_request', method: 'POST', path: '/agent/v1/contact', why: 'Name a mail address first.' },
    ],
  }),
  OPERATOR_EMAIL_NOT_VERIFIED: row(412, 'auth', 'The operator contact has no verified mail address.', {
    nextActions: [
      { type: 'edit_request', method: 'POST', path: '/agent/v1/contact', why: 'Name a mail address and verify it.' },
    ],
  }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof operatorContactErrors, ErrorRow> {}
}
