import type { Context } from '../../kernel/run/context.ts';
import type { GatewayPrice } from '../../kernel/run/price.ts';
import { paymentProofText } from './payment-proof.ts';
import { paymentRequired, termsOf } from './payment-required.ts';
import { requirePaymentProof } from './sale.ts';

/**
 * Asks for the price before anything else of a request is looked at, its input among it: without a payment, and with one
 * that cannot be for it, nothing is told but the price.
 *
 * @throws PaymentRequired
 */
export async function askGatewayPrice(facet: GatewayPrice, ctx: Context, raw: object): Promise<void> {
  ctx.chargeAddress();
  const terms = await termsOf(ctx, facet.price);
  if (paymentProofText(ctx, facet, raw) === undefined) throw paymentRequired(facet, facet.price, terms);
  requirePaymentProof(facet, ctx, raw, facet.price, terms);
}
