import type { OrderTier } from '../db/schema/products.ts';
import {
  type AuditStats,
  getAuditStats,
  type OrderSum,
  type RecentDomain,
} from '../resolvers/site-audits/audit-stats.ts';
import { orderTiers } from '../resolvers/site-audits/count-sales.ts';
import { builder } from './builder.ts';
import { readField } from './operation-field.ts';

const OrderSumRef = builder.objectRef<OrderSum & { readonly tier: OrderTier }>('OrderSum').implement({
  description: 'Orders of one tier.',
  fields: (t) => ({
    tier: t.exposeString('tier', { description: '`audit`, `pro` or `buyout`.' }),
    count: t.exposeFloat('count', { description: 'How many there were.' }),
    usd: t.exposeString('usd', { description: 'What was paid for them, in dollars with two decimals.' }),
  }),
});

const RecentDomainRef = builder.objectRef<RecentDomain>('RecentDomain').implement({
  description: 'A site that was audited lately.',
  fields: (t) => ({
    domain: t.exposeString('domain', { description: 'Its host name.' }),
    geoScore: t.exposeInt('geoScore', { description: 'Its score over all parts, of 100.' }),
    auditedAt: t.expose('auditedAt', { type: 'DateTime', description: 'When it was audited last.' }),
  }),
});

const AuditStatsRef = builder.objectRef<AuditStats>('AuditStats').implement({
  description: 'How many audits and orders there were.',
  fields: (t) => ({
    total: t.float({ description: 'Audits that were carried out.', resolve: ({ audits }) => audits.total }),
    free: t.float({ description: 'Those that nobody paid for.', resolve: ({ audits }) => audits.free }),
    paid: t.float({ description: 'Those that were paid for.', resolve: ({ audits }) => audits.paid }),
    last24h: t.float({ description: 'Those of the last 24 hours.', resolve: ({ audits }) => audits.last24h }),
    uniqueDomains: t.float({ description: 'Sites that were audited.', resolve: ({ audits }) => audits.uniqueDomains }),
    averageGeoScore: t.float({
      nullable: true,
      description: 'Average score over all parts; null before the first audit.',
      resolve: ({ audits }) => audits.averageGeoScore,
    }),
    orders: t.float({ description: 'Orders that were paid for.', resolve: ({ orders }) => orders.total }),
    revenueUsd: t.string({
      description: 'What was paid for all orders, in dollars with two decimals.',
      resolve: ({ orders }) => orders.revenueUsd,
    }),
    ordersByTier: t.field({
      type: [OrderSumRef],
      description: 'Orders by what was bought.',
      resolve: ({ orders }) => orderTiers.map((tier) => ({ tier, ...orders.byTier[tier] })),
    }),
    verifiedTransactions: t.float({
      description: 'Transactions that were verified for a licence.',
      resolve: ({ orders }) => orders.verifiedTransactions,
    }),
    recentDomains: t.field({
      type: [RecentDomainRef],
      description: 'Sites that were audited last, newest first, at most 20; without those whose robots.txt forbids it.',
      resolve: ({ recentDomains }) => [...recentDomains],
    }),
    generatedAt: t.expose('generatedAt', { type: 'DateTime', description: 'When it was counted.' }),
  }),
});

readField('auditStats', getAuditStats, { type: AuditStatsRef });
