import { z } from 'zod';
import { planPrices } from '../../engines/licences/claims.ts';
import { networks } from '../../engines/x402/networks.ts';
import { anyone } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { auditPrices, usdOf } from '../payments/shared/price-table.ts';
import { settlementAddress } from '../payments/shared/settlement-address.ts';

/** What is sold, and where it is to be paid. */
export interface Pricing {
  readonly settlement: {
    readonly network: string;
    readonly caip2: string;
    readonly chainId: number;
    readonly asset: string;
    readonly assetAddress: string;
    readonly decimals: number;
    readonly payTo: string;
  };
  readonly tiers: readonly PricedTier[];
  readonly plans: readonly PricedPlan[];
}

/** What is paid for by x402 at a path of its own. */
export interface PricedTier {
  readonly tier: string;
  readonly priceUsd: string;
  /** In the asset’s smallest unit. */
  readonly amount: string;
  readonly description: string;
  readonly path: string;
  readonly maxTimeoutSeconds: number;
}

/** A licence, paid on chain and had by the hash of what paid it. */
export interface PricedPlan {
  readonly plan: string;
  readonly priceUsd: string;
  readonly path: string;
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

/** What is asked before anything is paid, at `/api/pricing` and by agents’ tools and skills. Contract 00, sections 0.2, 4.2 and 4.4. */
export const getPricing = query({
  name: 'audit.getPricing',
  tool: 'get_audit_pricing',
  command: 'audit pricing',
  summary: 'What the audit gateway sells and for how much, and where it is paid.',
  access: anyone(),
  input: z.object({}),
  handler: async ({ services }): Promise<Pricing> => ({
    settlement: {
      network: name,
      caip2,
      chainId,
      asset: 'USDC',
      assetAddress: usdc.address,
      decimals: usdc.decimals,
      payTo: await settlementAddress(services),
    },
    tiers: Object.values(auditPrices).map(({ sku, amount, description, path, maxTimeoutSeconds }) => ({
      tier: sku,
      priceUsd: usdOf(amount),
      amount: String(amount),
      description,
      path,
      maxTimeoutSeconds,
    })),
    plans: Object.entries(planPrices).map(([plan, priceUsd]) => ({ plan, priceUsd, path: '/api/verify-tx' })),
  }),
  wire: PricingWire,
  toWire: ({ settlement, tiers, plans }) => ({
    ok: true as const,
    settlement: {
      network: settlement.network,
      caip2: settlement.caip2,
      chain_id: settlement.chainId,
      asset: settlement.asset,
      asset_address: settlement.assetAddress,
      decimals: settlement.decimals,
      pay_to: settlement.payTo,
    },
    tiers: tiers.map(({ priceUsd, maxTimeoutSeconds, ...tier }) => ({
      ...tier,
      price_usd: priceUsd,
      max_timeout_seconds: maxTimeoutSeconds,
    })),
    plans: plans.map(({ priceUsd, ...plan }) => ({ ...plan, price_usd: priceUsd })),
  }),
});
