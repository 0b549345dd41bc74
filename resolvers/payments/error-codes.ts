import { again, defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

const namePayoutWallet = {
  type: 'edit_request',
  method: 'PATCH',
  path: '/orgs/v1/:org_id/payout-wallet',
  why: 'Name the wallet that earnings go to.',
} as const;

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
  PAYOUT_WALLET_REQUIRED: row(409, 'payment', 'A priced route pays a wallet of the organization, and it has none.', {
    nextActions: [namePayoutWallet],
  }),
  PAYOUT_WALLET_AMBIGUOUS: row(
    409,
    'payment',
    'A priced route pays a wallet of the organization, and several members have one: name the one to pay.',
    { nextActions: [namePayoutWallet] },
  ),
  PAYOUT_WALLET_UNRESOLVED: row(
    409,
    'payment',
    'Nothing is taken for this now: the organization has no wallet to be paid to.',
  ),
  PAYMENT_CALLER_IDENTITY_NOT_ACTIVE: row(409, 'payment', 'The wallet that pays is disabled here.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof paymentErrors, ErrorRow> {}
}
