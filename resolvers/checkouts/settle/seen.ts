import type { Checkout } from '../checkout-rows.ts';
import type { Payment } from './book-payment.ts';

/** What a look at the provider has shown. */
export interface Seen {
  /** The state that the checkout goes to. */
  readonly state: Checkout['state'];
  readonly failure?: string | null;
  /** Set once the money is there, and ever after. */
  readonly payment?: Payment;
  /** Micro-dollars that went back to the payer so far. */
  readonly back?: bigint;
  /** Seconds until it is looked at again; null: when an event says so. */
  readonly again: number | null;
}
