import { getPricing, type PricedPlan, type PricedTier, type Pricing } from '../resolvers/site-audits/get-pricing.ts';
import { builder } from './builder.ts';
import { readField } from './operation-field.ts';

const SettlementTermsRef = builder.objectRef<Pricing['settlement']>('SettlementTerms').implement({
  description: 'Where the audit gateway is paid.',
  fields: (t) => ({
    network: t.exposeString('network', { description: 'Name of the network.' }),
    caip2: t.exposeString('caip2', { description: 'The network as CAIP-2 writes it.' }),
    chainId: t.exposeInt('chainId', { description: 'Number of its chain.' }),
    asset: t.exposeString('asset', { description: 'Name of the token.' }),
    assetAddress: t.exposeString('assetAddress', { description: 'Contract of the token.' }),
    decimals: t.exposeInt('decimals', { description: 'Decimals of its smallest unit.' }),
    payTo: t.exposeString('payTo', { description: 'Address that is paid.' }),
  }),
});

const PricedTierRef = builder.objectRef<PricedTier>('PricedTier').implement({
  description: 'Something that is paid for by x402.',
  fields: (t) => ({
    tier: t.exposeString('tier', { description: '`audit`, `pro` or `buyout`.' }),
    priceUsd: t.exposeString('priceUsd', { description: 'Price in dollars with two decimals.' }),
    amount: t.exposeString('amount', { description: 'Price in the smallest unit of the token.' }),
    description: t.exposeString('description', { description: 'What is had for it.' }),
    path: t.exposeString('path', { description: 'Where it is bought.' }),
    maxTimeoutSeconds: t.exposeInt('maxTimeoutSeconds', { description: 'How long a payment may stay open.' }),
  }),
});

const PricedPlanRef = builder.objectRef<PricedPlan>('PricedPlan').implement({
  description: 'A licence, which is paid on chain.',
  fields: (t) => ({
    plan: t.exposeString('plan', { description: 'Its name.' }),
    priceUsd: t.exposeString('priceUsd', { description: 'Price in dollars with two decimals.' }),
    path: t.exposeString('path', { description: 'Where the transaction that paid is turned into the licence.' }),
  }),
});

const AuditPricingRef = builder.objectRef<Pricing>('AuditPricing').implement({
  description: 'What the audit gateway sells.',
  fields: (t) => ({
    settlement: t.expose('settlement', { type: SettlementTermsRef, description: 'Where it is paid.' }),
    tiers: t.field({
      type: [PricedTierRef],
      description: 'What is paid for by x402.',
      resolve: ({ tiers }) => [...tiers],
    }),
    plans: t.field({
      type: [PricedPlanRef],
      description: 'Licences, which are paid on chain.',
      resolve: ({ plans }) => [...plans],
    }),
  }),
});

readField('auditPricing', getPricing, { type: AuditPricingRef });
