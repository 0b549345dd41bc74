import type { Caller } from '../access/caller.ts';
import type { IdempotencyLease } from '../durability/idempotency.ts';
import type { Context } from './context.ts';
import type { AnyMutation } from './operation.ts';
import type { AnyPrice, GatewayPrice } from './price.ts';
import type { Run } from './run.ts';

/**
 * Carries a sale out: settles what was presented, and makes the change in one transaction with the payment.
 *
 * @param claim on the idempotency key, whose outcome is stored with what was bought
 */
export type SettleAndRun = (claim: IdempotencyLease | undefined) => Promise<unknown>;

/** The payment processor as a run needs it: `execute` knows when something is asked for, this knows how it is paid. */
export interface Payments {
  /** Asks the constant price before anything else of a request is looked at. @throws PaymentRequired */
  readonly askGatewayPrice: (price: GatewayPrice, ctx: Context, raw: object) => Promise<void>;
  /** Who acts, of a request without a credential: the wallet that pays, where the price says so; else no principal. */
  readonly payerOf: (op: object, ctx: Context, input: object) => Promise<Caller>;
  /**
   * Asks for a payment where one is due.
   *
   * @returns undefined when nothing is to be paid
   * @throws PaymentRequired
   */
  readonly openSale: (run: Run<AnyMutation>, price: AnyPrice) => Promise<SettleAndRun | undefined>;
}

declare module './context.ts' {
  interface Services {
    /** Asks for what priced operations cost. */
    readonly payments: Payments;
  }
}
