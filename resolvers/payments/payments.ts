import type { Payments } from '../../kernel/run/payments.ts';
import { askGatewayPrice } from './gateway-price.ts';
import { payerOf } from './payer.ts';
import { runSale } from './run-sale.ts';
import { openSale } from './sale.ts';

/** The payments that `execute` asks for, over x402. */
export const payments: Payments = {
  askGatewayPrice,
  payerOf,
  openSale: async (run, price) => {
    const sale = await openSale(run, price);
    return sale && ((claim) => runSale({ ...sale, claim }));
  },
};
