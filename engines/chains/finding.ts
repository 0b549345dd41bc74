import type { ChainName } from './networks.ts';

/** What may change by waiting. Contract 00, section 2.2. */
export type PendingReason =
  | 'tx_not_found'
  | 'tx_unconfirmed'
  | 'awaiting_confirmations'
  | 'network_unavailable'
  | 'network_not_enabled';

/** What will not. */
export type RefusedReason = 'tx_failed' | 'no_payment_found' | 'unsupported_asset';

/** What a transaction paid, as its chain tells. */
export interface ChainPayment {
  readonly network: ChainName;
  /** Of the transaction that paid, in its normal form: `0x` and lower-case hex, on TON without `0x`. */
  readonly txHash: string;
  /** Where in it: the asset's contract; on TON the trace that it belongs to. */
  readonly logKey: string;
  /** Symbol of the asset. */
  readonly asset: string;
  readonly decimals: number;
  /** In the asset's smallest unit. */
  readonly amount: bigint;
  /** In the mixed case of EIP-55; on TON in raw form. */
  readonly payer: string;
  /** Number of the block; on TON of the masterchain's. */
  readonly block: number;
  readonly confirmations: number;
  /** Time of the block. */
  readonly paidAt: Date;
}

/** A signed authorization of a transfer (EIP-3009) that a transaction used. Addresses are in lower case. */
export interface UsedAuthorization {
  /** The token's contract. */
  readonly asset: string;
  readonly payer: string;
  readonly nonce: string;
}

/** What became of a transaction, as far as its chain tells by now. */
export type Finding =
  | {
      readonly state: 'pending';
      readonly reason: PendingReason;
      /** With `awaiting_confirmations`. */
      readonly depth?: { readonly reached: number; readonly required: number };
    }
  | { readonly state: 'refused'; readonly reason: RefusedReason }
  | {
      readonly state: 'paid';
      readonly payment: ChainPayment;
      /** Those of accepted assets: who signed one may have bought something by it. */
      readonly used: readonly UsedAuthorization[];
    };

export const pending = (reason: PendingReason): Finding => ({ state: 'pending', reason });
export const refused = (reason: RefusedReason): Finding => ({ state: 'refused', reason });

/** @param reached how deep the transaction lies by now, which a node that lags behind may put below zero */
export const awaiting = (reached: number, required: number): Finding => ({
  state: 'pending',
  reason: 'awaiting_confirmations',
  depth: { reached: Math.max(0, reached), required },
});

/**
 * A chain could not be asked, or answered what is no answer. The words are fixed ones: neither the address of the
 * endpoint nor what it said, which may hold its key.
 */
export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable';

  constructor(reason: string) {
    super(`The chain could not be asked (${reason}).`);
  }
}
