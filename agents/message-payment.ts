import type { Context } from '../kernel/run/context.ts';
import { PaymentRequired } from '../resolvers/payments/payment-required.ts';

/** What is sold to an agent, and where its protocol says it is. */
interface Sold {
  /** An absolute URL, as challenges name it. */
  readonly resource: string;
  /** Payments for one are not good for another. */
  readonly path: string;
}

/** Lets one call pay by what its message holds, since messages have no headers of their own. */
export interface MessagePayment {
  readonly ctx: Context;
  /** The settlement object of what was paid; undefined while nothing was. Contract 00, section 1.11. */
  readonly receipt: () => object | undefined;
  /** To be told that the answer holds what was paid for, so that it is delivered once it was written out. */
  readonly packed: () => void;
}

/** @param payment the payment as the message holds it, a JSON object of x402; undefined when it holds none */
export function openMessagePayment(ctx: Context, payment: unknown, { resource, path }: Sold): MessagePayment {
  let receipt: object | undefined;
  let isPacked = false;
  const { paymentContext } = ctx;
  return {
    ctx: {
      ...ctx,
      setHeader(name, value) {
        if (settlementHeaders.has(name.toLowerCase())) receipt = decoded(value);
      },
      paymentContext: {
        signature: payment === undefined ? undefined : Buffer.from(JSON.stringify(payment)).toString('base64'),
        resource,
        path,
        sent: (act) => {
          const close = (written: boolean) => act(written && isPacked);
          if (paymentContext === undefined) close(true);
          else paymentContext.sent(close);
        },
      },
    },
    receipt: () => receipt,
    packed: () => {
      isPacked = true;
    },
  };
}

const settlementHeaders: ReadonlySet<string> = new Set(['payment-response', 'x-payment-response']);

const decoded = (header: string): object => JSON.parse(Buffer.from(header, 'base64').toString()) as object;

/** What a refusal for want of payment says, as messages carry it. */
export interface PaymentAsked {
  /** Version 2 of x402. */
  readonly challenge: object;
  /** Why the payment that was presented is not taken; undefined when none was. */
  readonly reason: string | undefined;
  /** What is known of its settlement. */
  readonly receipt: object | undefined;
}

/** What is asked for by a refusal; undefined when it is of another kind. */
export function paymentAsked(error: unknown): PaymentAsked | undefined {
  if (!(error instanceof PaymentRequired)) return undefined;
  const { challenge, details, headers } = error;
  const told = headers['payment-response'] ?? headers['x-payment-response'];
  const { x402_error: reason } = details;
  return {
    challenge: challenge.v2,
    reason: typeof reason === 'string' ? reason : undefined,
    receipt: told === undefined ? undefined : decoded(told),
  };
}
