import type { Hex } from './networks.ts';

/** Reasons that the service gives of its own accord. Contract 00, section 1.10; a facilitator's own pass unchanged. */
export type OwnReason =
  | 'invalid_payload'
  | 'invalid_x402_version'
  | 'unsupported_payload_type'
  | 'unsupported_scheme'
  | 'invalid_exact_evm_scheme'
  | 'invalid_network'
  | 'invalid_exact_evm_network_mismatch'
  | 'no_matching_requirements'
  | 'resource_mismatch'
  | 'invalid_exact_evm_recipient_mismatch'
  | 'invalid_exact_evm_authorization_value'
  | 'invalid_exact_evm_payload_authorization_value_mismatch'
  | 'invalid_exact_evm_payload_authorization_valid_before'
  | 'invalid_exact_evm_payload_authorization_valid_after'
  | 'invalid_exact_evm_nonce_already_used'
  | 'invalid_exact_evm_transaction_simulation_failed'
  | 'invalid_exact_evm_transfer_event_mismatch'
  | 'asset_not_deployed_contract'
  | 'unexpected_verify_error'
  | 'unexpected_settle_error';

/** A payment is not taken, and nothing was paid by it: 402 with the reason. */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused';
  readonly reason: string;
  /** A transaction that was sent for it and failed. */
  readonly transaction: Hex | undefined;

  /** @param reason one of {@link OwnReason}, or what a facilitator said */
  constructor(reason: OwnReason | (string & {}), transaction?: Hex) {
    super(`The payment is refused: ${reason}.`);
    this.reason = reason;
    this.transaction = transaction;
  }
}

/**
 * A payment was handed over and what came of it is not known yet: 402 with `settlement_pending`. It may have been paid,
 * and may still be; never to be counted as failed.
 */
export class PaymentPending extends Error {
  override readonly name = 'PaymentPending';
  /** The transaction that may settle it; empty when a facilitator gave none. */
  readonly transaction: Hex | '';

  constructor(transaction: Hex | '') {
    super('Whether the payment was settled is not known yet.');
    this.transaction = transaction;
  }
}

/** Payments cannot be taken now; none was handed over: 503. Its message tells why, without addresses or secrets. */
export class PaymentsUnavailable extends Error {
  override readonly name = 'PaymentsUnavailable';
}
