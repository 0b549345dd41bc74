/** Where a request pays: what it presents, and how its answer is written. Absent where nothing can be paid. */
export interface PaymentContext {
  /** The header `PAYMENT-SIGNATURE`, or whatever carries the same elsewhere. */
  readonly signature?: string | undefined;
  /** The header `X-PAYMENT`. */
  readonly legacy?: string | undefined;
  /** What is bought, as an absolute URL: as the client called it, without a payment in it. */
  readonly resource: string;
  /** Path of the same: a payment for one is not good for another. */
  readonly path: string;
  /** Whether the request only looks, by HEAD: it pays by no input, since there would be no answer to have. @default false */
  readonly looksOnly?: boolean;
  /** Has something done once the answer was written out, or will never be. */
  readonly sent: (act: (written: boolean) => void) => void;
}
