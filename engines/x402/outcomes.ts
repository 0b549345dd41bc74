import { type NetworkName, networks } from './networks.ts';
import type { Settlement } from './payment-processor.ts';

/** What `PAYMENT-RESPONSE` (version 2) and `X-PAYMENT-RESPONSE` (version 1) hold. Contract 00, section 1.11. */
export interface Outcome {
  readonly success: boolean;
  /** Empty when none was sent. */
  readonly transaction: string;
  readonly network: string;
  readonly payer: string;
  readonly errorReason?: string;
  readonly amount?: string;
}

const nameOf = (version: 1 | 2, network: NetworkName) => (version === 1 ? network : networks[network].caip2);

/** Of a payment that was settled. */
export const paidOutcome = (version: 1 | 2, settlement: Settlement): Outcome => ({
  success: true,
  transaction: settlement.transaction,
  network: nameOf(version, settlement.network),
  payer: settlement.payer,
  ...(version === 1 ? {} : { amount: String(settlement.amount) }),
});

/**
 * Of a payment that was handed over and not settled, or not yet.
 *
 * @param reason one of contract 00, section 1.10
 * @param transaction @default '' for none
 */
export const failedOutcome = (
  version: 1 | 2,
  network: NetworkName,
  payer: string,
  reason: string,
  transaction = '',
): Outcome => ({
  success: false,
  errorReason: reason,
  transaction,
  network: nameOf(version, network),
  payer,
});
