/** A sale, as its pack tells of it. */
export interface PackOrder {
  readonly id: string;
  readonly transaction: string;
  /** The short name, such as `base`. */
  readonly network: string;
  readonly payer: string;
  readonly domain: string;
  /** For example `1.00`. */
  readonly priceUsd: string;
  /** Block time of the payment. */
  readonly paidAt: Date;
}
