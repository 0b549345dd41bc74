import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import { anyone } from '../access.ts';
import type { Services } from '../context.ts';
import { query } from '../operation.ts';

/** How long statistics are given again before they are counted anew, in milliseconds. */
const keptMs = 1_000;

export const orderTiers = ['audit', 'pro', 'buyout'] as const;
export type OrderTier = (typeof orderTiers)[number];

export interface OrderSum {
  readonly count: number;
  /** Dollars, with two decimals. */
  readonly usd: string;
}

export interface RecentDomain {
  readonly domain: string;
  readonly geoScore: number;
  readonly auditedAt: Date;
}

export interface AuditStats {
  readonly audits: {
    readonly total: number;
    readonly free: number;
    readonly paid: number;
    readonly last24h: number;
    readonly uniqueDomains: number;
    /** With one decimal; null before the first audit. */
    readonly averageGeoScore: number | null;
  };
  readonly orders: {
    readonly total: number;
    readonly revenueUsd: string;
    readonly byTier: Readonly<Record<OrderTier, OrderSum>>;
    readonly verifiedTransactions: number;
  };
  /** Newest first, each once, and only those whose robots.txt lets the gateway's crawler in. */
  readonly recentDomains: readonly RecentDomain[];
  readonly generatedAt: Date;
}

const OrderSumWire = z.object({ count: z.int(), usd: z.string().regex(/^\d+\.\d{2}$/) });

const StatsWire = z
  .object({
    ok: z.literal(true),
    audits: z.object({
      total: z.int(),
      free: z.int(),
      paid: z.int(),
      last_24h: z.int(),
      unique_domains: z.int(),
      average_geo_score: z.number().nullable(),
    }),
    orders: z.object({
      total: z.int(),
      revenue_usd: z.string().regex(/^\d+\.\d{2}$/),
      by_tier: z.object({ audit: OrderSumWire, pro: OrderSumWire, buyout: OrderSumWire }),
      verified_transactions: z.int(),
    }),
    recent_domains: z.array(z.object({ domain: z.string(), geo_score: z.int(), audited_at: z.iso.datetime() })).max(20),
    generated_at: z.iso.datetime(),
  })
  .meta({ id: 'Stats' });

/** `GET /api/stats`. Contract 00, section 6.4. */
export const getAuditStats = query({
  name: 'audit.stats',
  summary: 'How many audits and orders there were, and which sites were audited last.',
  access: anyone(),
  input: z.object({}),
  handler: async ({ services }): Promise<AuditStats> => statsOf(services),
  wire: StatsWire,
  toWire: ({ audits, orders, recentDomains, generatedAt }) => ({
    ok: true as const,
    audits: {
      total: audits.total,
      free: audits.free,
      paid: audits.paid,
      last_24h: audits.last24h,
      unique_domains: audits.uniqueDomains,
      average_geo_score: audits.averageGeoScore,
    },
    orders: {
      total: orders.total,
      revenue_usd: orders.revenueUsd,
      by_tier: { ...orders.byTier },
      verified_transactions: orders.verifiedTransactions,
    },
    recent_domains: recentDomains.map(({ domain, geoScore, auditedAt }) => ({
      domain,
      geo_score: geoScore,
      audited_at: auditedAt.toISOString(),
    })),
    generated_at: generatedAt.toISOString(),
  }),
});

/** Anybody may ask as often as they like: what was counted a moment ago is told again. */
const kept = new WeakMap<Services, { readonly stats: Promise<AuditStats>; readonly until: number }>();

function statsOf(services: Services): Promise<AuditStats> {
  const known = kept.get(services);
  if (known !== undefined && known.until > performance.now()) return known.stats;
  const stats = count(services);
  const entry = { stats, until: performance.now() + keptMs };
  kept.set(services, entry);
  stats.catch(() => {
    if (kept.get(services) === entry) kept.delete(services);
  });
  return stats;
}

async function count({ db, now }: Services): Promise<AuditStats> {
  const generatedAt = now();
  const [[counted], orders, recentDomains] = await Promise.all([
    db.rows<AuditCounts>(auditsStatement, []),
    db.rows<OrderRow>(ordersStatement, [orderTiers]),
    db.rows<RecentDomain>(recentStatement, []),
  ]);
  const { total, free, last24h, uniqueDomains, geoPoints } = counted!;
  const byTier = Object.fromEntries(
    orders.flatMap(({ tier, count, usd }) => (tier === null ? [] : [[tier, { count, usd }]])),
  ) as Record<OrderTier, OrderSum>;
  const all = orders.find(({ tier }) => tier === null)!;
  return {
    audits: {
      total,
      free,
      paid: total - free,
      last24h,
      uniqueDomains,
      averageGeoScore: total === 0 ? null : Math.round((geoPoints / total) * 10) / 10,
    },
    orders: { total: all.count, revenueUsd: all.usd, byTier, verifiedTransactions: all.verified },
    recentDomains,
    generatedAt,
  };
}

interface AuditCounts {
  readonly total: number;
  readonly free: number;
  readonly last24h: number;
  readonly uniqueDomains: number;
  readonly geoPoints: number;
}

// As doubles: whole numbers of 64 bits would come as bigint, and no count is beyond what a double holds exactly.
const auditsStatement: Statement = {
  name: 'audits.counts',
  text: `select coalesce(sum(audits), 0)::float8 as total,
      coalesce(sum(audits) filter (where tier = 'free'), 0)::float8 as free,
      coalesce(sum(new_domains), 0)::float8 as "uniqueDomains",
      coalesce(sum(geo_points), 0)::float8 as "geoPoints",
      (select count(*)::float8 from audits where created_at > now() - interval '24 hours') as last24h
    from audit_days`,
};

interface OrderRow extends OrderSum {
  /** Null: of all tiers together. */
  readonly tier: OrderTier | null;
  readonly verified: number;
}

const ordersStatement: Statement = {
  name: 'orders.counts',
  text: `select t.tier, count(o.id)::float8 as count, to_char(coalesce(sum(o.price_usd), 0), 'FM999999999990.00') as usd,
      (select count(*)::float8 from chain_payments) as verified
    from unnest($1::text[]) as t (tier) left join orders o on o.tier = t.tier
    group by rollup (t.tier)`,
};

const recentStatement: Statement = {
  name: 'audits.recent-domains',
  text: `select domain, geo_score as "geoScore", audited_at as "auditedAt" from audited_domains
    where listed order by audited_at desc limit 20`,
};
