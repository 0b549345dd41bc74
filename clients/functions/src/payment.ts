import { currentRequest } from './context.ts';

/** What was paid for a call by a route with a price. */
export interface RoutedPaymentContext {
  readonly scheme: 'x402';
  /** `txp_…` */
  readonly paymentId: string;
  /** As the caller gave it; null for none. */
  readonly idempotencyKey: string | null;
  /** Whether the same payment has had this function called before, which then failed. */
  readonly deduplicated: boolean;
  readonly delivery: 'first' | 'replay';
  /** In micro-dollars. */
  readonly amountUsdMicros: number;
  readonly payer: string | null;
  /** As in `eip155:8453`. */
  readonly network: string;
  /** Address of the token. */
  readonly asset: string | null;
  readonly payTo: string;
  readonly transaction: string | null;
  /** ISO 8601: when the payment was in a block. */
  readonly settledAt: string;
  /** ISO 8601: until then the same payment may be presented again. */
  readonly contextExpiresAt?: string;
}

/**
 * What was paid for the call, by a route with a price. Null for a call by any other way. The platform tells it: no caller can.
 *
 * @param request @default the one of the call that asks
 */
export function getRoutedPaymentContext(request = currentRequest()): RoutedPaymentContext | null {
  const of = (name: string) => request?.headers.get(`x-svc-payment-${name}`) ?? null;
  const [paymentId, delivery, network, payTo, settledAt] = ['id', 'delivery', 'network', 'pay-to', 'settled-at'].map(
    of,
  );
  const amountUsdMicros = Number(of('amount-usd-micros'));
  const expires = of('context-expires-at');
  if (
    of('scheme') !== 'x402' ||
    (delivery !== 'first' && delivery !== 'replay') ||
    !paymentId ||
    !network ||
    !payTo ||
    !settledAt ||
    !(amountUsdMicros > 0)
  )
    return null;
  return {
    scheme: 'x402',
    paymentId,
    idempotencyKey: of('idempotency-key'),
    deduplicated: of('deduplicated') === 'true',
    delivery,
    amountUsdMicros,
    payer: of('payer'),
    network,
    asset: of('asset'),
    payTo,
    transaction: of('transaction'),
    settledAt,
    ...(expires === null ? {} : { contextExpiresAt: expires }),
  };
}
