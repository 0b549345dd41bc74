import type { Payment } from '../../db/schema/payments.ts';
import { paidOutcome } from '../../engines/x402/outcomes.ts';
import type { Settlement } from '../../engines/x402/payment-processor.ts';
import { encodeHeader } from '../../engines/x402/terms.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../kernel/feeds/append-event.ts';
import { orgOf } from '../../kernel/run/operation.ts';
import type { PaidFor } from '../../kernel/run/price.ts';
import { paymentEvents } from './event-types.ts';
import { type PaidSale, settlementHeader } from './sale.ts';

/** Sets the headers of a paid answer. Contract 00, section 1.11; contract 04, section 1.3. */
export function reportPayment(sale: PaidSale, { id, version }: Payment, settlement: Settlement): void {
  reportSettlement(sale, version, settlement);
  if (sale.facet.family === 'gateway') return;
  reportDelivery(sale, id, 'first');
  sale.ctx.setHeader?.('x-svc-payment-settled-at', settlement.blockTime.toISOString());
}

/** Says by headers whether an answer is the first one of its payment. Contract 04, section 1.3. */
export function reportDelivery({ ctx }: PaidSale, paymentId: string, delivery: 'first' | 'replay'): void {
  const isFirst = delivery === 'first';
  ctx.setHeader?.('x-svc-payment-id', paymentId);
  ctx.setHeader?.('x-svc-payment-deduplicated', String(!isFirst));
  ctx.setHeader?.('x-svc-payment-funds-moved', String(isFirst));
  ctx.setHeader?.('x-svc-payment-delivery', delivery);
}

/** Sets the header of the version that was paid with. A bare transaction hash has none, so it gets both. */
export function reportSettlement({ ctx }: PaidSale, version: number, settlement: Settlement): void {
  const versions = version === 0 ? ([1, 2] as const) : [version === 1 ? (1 as const) : (2 as const)];
  for (const one of versions) ctx.setHeader?.(settlementHeader(one), encodeHeader(paidOutcome(one, settlement)));
}

/** Appends the event of what an organization bought to its events. @returns the organization */
export function notifyOrg({ facet }: PaidSale, scope: object, work: Work, payment: PaidFor, output: unknown) {
  const received = facet.family === 'platform' ? facet.received?.(output) : undefined;
  if (received === undefined) return orgOf(scope)?.id;
  const { orgId, kind } = received;
  work.append(
    appendEvent({
      orgId,
      projectId: null,
      type: paymentEvents.platform_payment_received,
      payload: { kind, amount_usd_micros: Number(payment.price.amount), rail: 'x402', receipt_id: payment.id },
      onceKey: `payment:${payment.id}`,
    }),
  );
  return orgId;
}
