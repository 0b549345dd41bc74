import type { Sold } from '../resolvers/orders/shared/record-order.ts';
import { builder } from './builder.ts';

export const AuditOrderRef = builder.objectRef<Sold>('AuditOrder').implement({
  description: 'What the audit gateway sold, and by which payment.',
  fields: (t) => ({
    orderId: t.exposeString('id', { description: 'Native id, `ord_…`.' }),
    tier: t.exposeString('tier', { description: 'What was bought: `audit`, `pro` or `buyout`.' }),
    domain: t.exposeString('domain', { description: 'The site that was audited, or the domain of the buyer.' }),
    priceUsd: t.exposeString('priceUsd', { description: 'What it cost, in dollars.' }),
    network: t.exposeString('network', { description: 'Where it was paid, for example `base`.' }),
    transaction: t.exposeString('transaction', { description: 'The payment’s transaction.' }),
    payer: t.exposeString('payer', { description: 'The wallet that paid.' }),
    paidAt: t.expose('paidAt', { type: 'DateTime', description: 'Time of the payment’s block.' }),
    auditedAt: t.expose('auditedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the site was read for it; null where it could not be.',
    }),
  }),
});
