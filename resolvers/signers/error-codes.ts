import { again, defineErrors, type ErrorRow, edit, fund, row } from '../../core/error-codes.ts';

/** Codes of signers and their calls. Contract 04, section 2. */
export const signerErrors = defineErrors({
  SIGNER_SUSPENDED: row(403, 'billing', 'The signer is suspended: its rent was not paid.', { nextActions: [fund] }),
  SIGNER_NOT_EMPTY: row(409, 'conflict', 'The signer still holds something. Drain it first.', {
    nextActions: [{ type: 'run_command', command: 'svc contracts drain', why: 'Send what it holds elsewhere.' }],
  }),
  SIGNER_HAS_PENDING_CALLS: row(409, 'conflict', 'Calls of the signer are not over yet.', {
    retryable: true,
    nextActions: [again],
  }),
  SIGNER_LACKS_FUNDS: row(409, 'conflict', 'The signer’s account does not cover the value and the gas.', {
    nextActions: [{ type: 'fund_wallet', why: 'Send some of the chain’s own coin to the signer’s address.' }],
  }),
  NOTHING_TO_DRAIN: row(409, 'conflict', 'The signer holds no more than the transaction would cost.'),
  CONTRACT_CALL_REVERTED: row(409, 'conflict', 'The contract would revert the call, so nothing was sent.', {
    nextActions: [edit],
  }),
  SIGNER_DELETED: row(410, 'conflict', 'The signer was deleted.'),
  CHAIN_NOT_CONFIGURED: row(503, 'upstream', 'The operator has named no endpoint of this chain.'),
});

declare module '../../core/error-codes.ts' {
  interface ErrorRows extends Record<keyof typeof signerErrors, ErrorRow> {}
}
