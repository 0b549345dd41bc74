import { z } from 'zod';
import { planPrices } from '../../engines/licences/claims.ts';
import { networks } from '../../engines/x402/networks.ts';
import { anyone } from '../access.ts';
import { query } from '../operation.ts';
import { settlementAddress } from '../payments/settlement-address.ts';
import { auditPrices, usdOf } from './price-table.ts';

/** What is sold, and where it is to be paid. */
export interface Pricing {
  readonly payTo: string;
}

const { name, caip2, chainId, usdc } = networks.base;

const PricingWire = z.object({
  ok: z.literal(true),
  settlement: z.object({
    network: z.string(),
    caip2: z.string(),
    chain_id: z.int(),
    asset: z.string(),
    asset_address: z.string(),
    decimals: z.int(),
    pay_to: z.string(),
  }),
  tiers: z.array(
    z.object({
      tier: z.string(),
      price_usd: z.string(),
      amount: z.string(),
      description: z.string(),
      path: z.string(),
      max_timeout_seconds: z.int(),
    }),
  ),
  plans: z.array(z.object({ plan: z.string(), price_usd: z.string(), path: z.string() })),
});

/** What agents ask before they pay: the tool `get_pricing`, and the skill `pricing`. Contract 00, sections 0.2, 4.2 and 4.4. */
export const getPricing = query({
  name: 'audit.getPricing',
  summary: 'What the audit gateway sells and for how much, and where it is paid.',
  access: anyone(),
  input: z.object({}),
  handler: async ({ services }): Promise<Pricing> => ({ payTo: await settlementAddress(services) }),
  wire: PricingWire,
  toWire: ({ payTo }) => ({
    ok: true as const,
    settlement: {
      network: name,
      caip2,
      chain_id: chainId,
      asset: 'USDC',
      asset_address: usdc.address,
      decimals: usdc.decimals,
      pay_to: payTo,
    },
    tiers: Object.values(auditPrices).map(({ sku, amount, description, path, maxTimeoutSeconds }) => ({
      tier: sku,
      price_usd: usdOf(amount),
      amount: String(amount),
      description,
      path,
      max_timeout_seconds: maxTimeoutSeconds,
    })),
    plans: Object.entries(planPrices).map(([plan, price_usd]) => ({
      plan,
      price_usd,
      path: '/api/verify-tx',
    })),
  }),
});
