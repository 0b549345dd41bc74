import { again, defineErrors, type ErrorRow, row } from '../../core/error-codes.ts';

export const faucetErrors = defineErrors({
  FAUCET_NOT_CONFIGURED: row(503, 'upstream', 'This gateway gives no test money away.'),
  TREASURY_LOW: row(503, 'upstream', 'The faucet has not enough to give; nothing was sent.'),
  FAUCET_TRANSFER_REVERTED: row(502, 'upstream', 'The chain refused the transfer of the faucet.', {
    nextActions: [again],
  }),
  FAUCET_CONFIRMATION_PENDING: row(503, 'upstream', 'The transfer is on its way, and in no block yet.', {
    retryable: true,
    nextActions: [again],
  }),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof faucetErrors, ErrorRow> {}
}
