import { again, defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

export const paymentErrors = defineErrors({
  PAYMENTS_UNAVAILABLE: row(503, 'payment', 'Payments cannot be taken right now; nothing was paid.', {
    retryable: true,
    nextActions: [again],
  }),
  PAYMENT_INTENT_PENDING: row(409, 'payment', 'The payment is being settled.', {
    retryable: true,
    mutationState: 'unknown',
    nextActions: [{ type: 'poll', why: 'Send the same request with the same payment again.' }],
  }),
  PAYMENT_RECOVERY_PENDING: row(503, 'payment', 'This is paid, and could not be made yet; do not pay again.', {
    retryable: true,
    mutationState: 'partial',
    nextActions: [{ type: 'reconcile_payment', why: 'Send the same request with the same payment again.' }],
  }),
  PAYMENT_PROOF_MISMATCH: row(409, 'payment', 'This payment was used for another request.'),
  PAYMENT_CALLER_IDENTITY_NOT_ACTIVE: row(409, 'payment', 'The wallet that pays is disabled here.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof paymentErrors, ErrorRow> {}
}
