import type { Payments } from '../../kernel/run/payments.ts';
import { authorizationSteps } from './authorization.ts';
import { operationGoods } from './operation-goods.ts';
import { payerOf } from './payer.ts';
import { runSale } from './payment-machine.ts';
import { isTransfer } from './payment-proof.ts';
import { askGatewayPrice, openSale } from './sale.ts';
import { transferSteps } from './transfer-proof.ts';

/** The payments that `execute` asks for, over x402. */
export const payments: Payments = {
  askGatewayPrice,
  payerOf,
  openSale: async (run, price) => {
    const sale = await openSale(run, price, operationGoods(run));
    return (
      sale && ((claim) => runSale({ ...sale, claim }, isTransfer(sale.proof) ? transferSteps : authorizationSteps))
    );
  },
};
