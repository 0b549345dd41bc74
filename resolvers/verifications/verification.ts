import type { Finding, PendingReason, RefusedReason } from '../../engines/chains/finding.ts';
import type { ChainName } from '../../engines/chains/networks.ts';
import type { Licence } from '../licences/shared/issue-licence.ts';
import type { VerifiedPayment } from '../payments/shared/chain-payments.ts';

/** Waiting may help; besides what the chain says, the order that brings the licence may have yet to be made. */
type WaitingReason = PendingReason | 'order_pending';

/** Why a transaction gives no licence, now or ever. Contract 00, section 2.2. */
export type UnverifiedReason = WaitingReason | RefusedReason | 'amount_too_low' | 'tx_too_old' | 'tx_already_used';

/** A transaction that paid for a licence. */
export interface Verified extends VerifiedPayment {
  readonly verified: true;
  readonly licence: Licence;
  /** Whether the payment was looked at for the first time. */
  readonly isNew: boolean;
}

/** A transaction that did not, as far as is known. */
export interface Unverified {
  readonly verified: false;
  /** Whether waiting may help. */
  readonly pending: boolean;
  readonly code: UnverifiedReason;
  /** The code, and what it means. */
  readonly reason: string;
  readonly network: ChainName;
  readonly txHash: string;
}

export type Verification = Verified | Unverified;

/** Those that waiting may help with, and what each means. */
const pendingReasons: Readonly<Record<WaitingReason, string>> = {
  tx_not_found: 'the network does not know this transaction',
  tx_unconfirmed: 'the transaction is not in a block yet',
  awaiting_confirmations: 'blocks on top of the transaction',
  network_unavailable: 'the network cannot be asked right now',
  network_not_enabled: 'payments on this network are not looked at here',
  order_pending: 'the order that it pays for by x402 has yet to be made',
};

const refusedReasons: Readonly<Record<Exclude<UnverifiedReason, WaitingReason>, string>> = {
  tx_failed: 'the transaction did not succeed',
  no_payment_found: 'nothing was paid to the settlement address',
  unsupported_asset: 'what was paid is not accepted here',
  amount_too_low: 'less was paid than the plan costs',
  tx_too_old: 'the transaction is older than 30 days',
  tx_already_used: 'the transaction has paid for something else',
};

const isPending = (code: UnverifiedReason): code is WaitingReason => code in pendingReasons;

/** @param depth of `awaiting_confirmations` */
export function unverified(
  code: UnverifiedReason,
  network: ChainName,
  txHash: string,
  depth?: Extract<Finding, { state: 'pending' }>['depth'],
): Unverified {
  const words = isPending(code) ? pendingReasons[code] : refusedReasons[code];
  const reached = depth === undefined ? '' : ` ${depth.reached}/${depth.required}`;
  return { verified: false, pending: isPending(code), code, reason: `${code}${reached}: ${words}`, network, txHash };
}
