import { z } from 'zod';
import { type SQL, sql } from '../../db/drizzle.ts';
import { auditDays, auditedDomains, audits } from '../../db/schema/audit-stats.ts';
import type { OrderTier } from '../../db/schema/products.ts';
import { computed, pick, statement } from '../../db/sql.ts';
import { registrableHost } from '../../engines/site-audit/public-suffix.ts';
import { anyone } from '../../kernel/access/access.ts';
import type { Services } from '../../kernel/run/context.ts';
import { query } from '../../kernel/run/operation.ts';
import { countSales, noSales, orderTiers, type Sales, type SettledSales } from './count-sales.ts';

/** How long statistics are given again before they are counted anew, in milliseconds. */
const keptMs = 1_000;

/** Sites that are shown, and the newest names that they are looked for among. */
const sitesShown = 20;
const namesLooked = 1_000;

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
  /** Newest first, each by one of its names, and only those whose robots.txt lets the gateway's crawler in. */
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
    recent_domains: z
      .array(z.object({ domain: z.string(), geo_score: z.int(), audited_at: z.iso.datetime() }))
      .max(sitesShown),
    generated_at: z.iso.datetime(),
  })
  .meta({ id: 'Stats' });

/** `GET /api/stats`. Contract 00, section 6.4. */
export const getAuditStats = query({
  name: 'audit.stats',
  tool: 'get_audit_stats',
  command: 'audit stats',
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

/** What a node knows of its statistics. */
interface Counted {
  /** What was counted last, and until when that is told again. */
  latest: { readonly stats: AuditStats; readonly until: number } | undefined;
  /** The count that runs: whoever asks meanwhile waits for that one. */
  running: Promise<AuditStats> | undefined;
  sales: SettledSales;
}

const counts = new WeakMap<Services, Counted>();

/** Anybody may ask as often as they like: it is counted once at a time, and then told again for a while. */
async function statsOf(services: Services): Promise<AuditStats> {
  let counted = counts.get(services);
  if (counted === undefined) {
    counted = { latest: undefined, running: undefined, sales: noSales };
    counts.set(services, counted);
  }
  const { latest } = counted;
  if (latest !== undefined && latest.until > performance.now()) return latest.stats;
  counted.running ??= countAgain(services, counted);
  return counted.running;
}

async function countAgain(services: Services, counted: Counted): Promise<AuditStats> {
  try {
    const { settled, stats } = await count(services, counted.sales);
    counted.sales = settled;
    // Not from its start: a count that takes longer than it is kept would be made by everybody.
    counted.latest = { stats, until: performance.now() + keptMs };
    return stats;
  } finally {
    counted.running = undefined;
  }
}

async function count(
  services: Services,
  before: SettledSales,
): Promise<{ readonly settled: SettledSales; readonly stats: AuditStats }> {
  const { db, now } = services;
  const generatedAt = now();
  const [[counted], { settled, all }, listed] = await Promise.all([
    db.rows(auditsStatement.with({})),
    countSales(services, before),
    db.rows(recentStatement.with({})),
  ]);
  const { total, free, last24h, uniqueDomains, geoPoints } = counted!;
  const audits = {
    total,
    free,
    paid: total - free,
    last24h,
    uniqueDomains,
    averageGeoScore: total === 0 ? null : Math.round((geoPoints / total) * 10) / 10,
  };
  return { settled, stats: { audits, orders: ordersOf(all), recentDomains: eachOnce(listed), generatedAt } };
}

const dollars = (cents: number) => (cents / 100).toFixed(2);

function ordersOf({ byTier, verified }: Sales): AuditStats['orders'] {
  const sums = orderTiers.map((tier) => byTier[tier]);
  return {
    total: sums.reduce((sum, { count }) => sum + count, 0),
    revenueUsd: dollars(sums.reduce((sum, { cents }) => sum + cents, 0)),
    byTier: Object.fromEntries(
      orderTiers.map((tier) => [tier, { count: byTier[tier].count, usd: dollars(byTier[tier].cents) }]),
    ) as Record<OrderTier, OrderSum>,
    verifiedTransactions: verified,
  };
}

/** Whoever has a domain has as many names as they like: the newest of them stands for all. */
function eachOnce(newestFirst: readonly RecentDomain[]): RecentDomain[] {
  const sites = new Map<string, RecentDomain>();
  for (const one of newestFirst) {
    const site = registrableHost(one.domain);
    if (!sites.has(site)) sites.set(site, one);
    if (sites.size === sitesShown) break;
  }
  return [...sites.values()];
}

// As doubles: whole numbers of 64 bits would come as bigint, and no count is beyond what a double holds exactly.
const double = (text: SQL) => computed<number>('double precision', sql`${text}::float8`);

const auditsStatement = statement(
  'audits.counts',
  {
    row: {
      total: double(sql`coalesce(sum(${auditDays.audits}), 0)`),
      free: double(sql`coalesce(sum(${auditDays.audits}) filter (where ${auditDays.tier} = 'free'), 0)`),
      uniqueDomains: double(sql`coalesce(sum(${auditDays.newDomains}), 0)`),
      geoPoints: double(sql`coalesce(sum(${auditDays.geoPoints}), 0)`),
      last24h: double(sql`(select count(*) from ${audits} where ${audits.createdAt} > now() - interval '24 hours')`),
    },
  },
  (_, row) => sql`select ${row} from ${auditDays}`,
);

const recentStatement = statement(
  'audits.recent-domains',
  { row: pick(auditedDomains, 'domain', 'geoScore', 'auditedAt') },
  (_, row) => sql`select ${row} from ${auditedDomains} where ${auditedDomains.listed}
    order by ${auditedDomains.auditedAt} desc limit ${sql.raw(String(namesLooked))}`,
);
