import { isGatewayPriced } from '../price.ts';
import type { Run } from '../run.ts';

/** Asks the constant price of what is sold under `/api`, before anything else of the request is read. @throws PaymentRequired */
export async function askPrice({ op, ctx }: Run, raw: object): Promise<void> {
  if (op.kind === 'mutation' && isGatewayPriced(op)) await ctx.services.payments.askGatewayPrice(op.price, ctx, raw);
}
