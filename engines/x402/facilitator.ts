import type { Hex } from './networks.ts';
import type { Presented } from './presented.ts';
import type { Receipt } from './receipts.ts';
import { requirementV2, type Terms } from './terms.ts';

/** A payment and what it has to meet. */
export interface Payment {
  readonly presented: Presented;
  readonly terms: Terms;
}

/** What a facilitator made of a payment that was handed over to it. */
export type Handed =
  /** With what the chain itself says of it, where that was asked. */
  | { readonly state: 'settled'; readonly transaction: Hex; readonly receipt?: Receipt | undefined }
  | { readonly state: 'refused'; readonly reason: string; readonly transaction?: Hex | undefined }
  /** It may be settled, or may be yet. */
  | { readonly state: 'unknown'; readonly transaction?: Hex | undefined };

/** Who verifies payments and brings them onto the chain: this process, or a service somewhere else. */
export interface Facilitator {
  /**
   * @returns why the payment will not do, or undefined when it will
   * @throws PaymentsUnavailable when nobody could tell
   */
  readonly verify: (payment: Payment) => Promise<string | undefined>;
  /**
   * @param announce is told the hash of the payment's transaction as soon as it is known
   * @param until when to stop waiting for an outcome, in milliseconds of the monotonic clock
   * @throws PaymentsUnavailable when the payment was not handed over
   */
  readonly settle: (payment: Payment, announce: (transaction: Hex) => Promise<void>, until: number) => Promise<Handed>;
}

/**
 * A payment as every facilitator gets it: in version 2, which all of them speak, whatever the payer spoke, since nothing
 * that is signed names a version. It is made of what was read and of the service's own terms; whatever else somebody
 * put into the payment goes no further.
 */
export const payloadOf = ({ presented, terms }: Payment) => ({
  x402Version: 2 as const,
  resource: { url: terms.resource, description: terms.description, mimeType: terms.mimeType },
  accepted: requirementV2(terms),
  payload: {
    signature: presented.signature,
    authorization: {
      from: presented.payer,
      to: presented.payTo,
      value: String(presented.value),
      validAfter: String(presented.validAfter),
      validBefore: String(presented.validBefore),
      nonce: presented.nonce,
    },
  },
});

/** A reason as it may be passed on: a short word, not a sentence that might hold an address or a key. */
export const reasonOr = (said: unknown, otherwise: string): string =>
  typeof said === 'string' && /^[A-Za-z0-9_.:-]{1,120}$/.test(said) ? said : otherwise;
