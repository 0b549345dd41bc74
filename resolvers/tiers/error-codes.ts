import { defineErrors, type ErrorRow, row, signIn } from '../../core/error-codes.ts';

export const tierErrors = defineErrors({
  TIER_PAYMENT_IDENTITY_REQUIRED: row(403, 'payment', 'Nothing has to be paid, so no wallet is known to act for.', {
    nextActions: [signIn],
  }),
  TIER_PAYMENT_IDENTITY_REUSED: row(409, 'payment', 'This payment was used by somebody else.'),
  TIER_PAYMENT_INTENT_MISMATCH: row(409, 'payment', 'This payment was used for another tier or organization.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof tierErrors, ErrorRow> {}
}
