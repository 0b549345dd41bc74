import type { Statement } from '../../db/pool.ts';
import type { OrderTier } from '../../db/schema/products.ts';
import type { Services } from '../../kernel/run/context.ts';

export const orderTiers = ['audit', 'pro', 'buyout'] as const satisfies readonly OrderTier[];

interface Sum {
  readonly count: number;
  readonly cents: number;
}

/** What was sold, and how many payments were verified that somebody made by themselves. */
export interface Sales {
  readonly byTier: Readonly<Record<OrderTier, Sum>>;
  readonly verified: number;
}

/** All sales before a moment that no transaction is open from: their sums change no more, since none is ever deleted. */
export interface SettledSales extends Sales {
  readonly before: Date | null;
}

const none: Sum = { count: 0, cents: 0 };
export const noSales: SettledSales = { byTier: { audit: none, pro: none, buyout: none }, verified: 0, before: null };

/**
 * Counts all sales, of which it reads those alone that are not settled yet.
 *
 * @param settled as the last count left them
 */
export async function countSales(
  { db }: Pick<Services, 'db'>,
  settled: SettledSales,
): Promise<{ readonly settled: SettledSales; readonly all: Sales }> {
  const rows = await db.rows<SalesRow>(salesStatement, [orderTiers, settled.before ?? '-infinity']);
  const { before, verified, verifiedRecently } = rows[0]!;
  const older = rows.map(({ tier, count, cents }) => ({ tier, count, cents }));
  const recent = rows.map(({ tier, recentCount, recentCents }) => ({ tier, count: recentCount, cents: recentCents }));
  const next = { byTier: plus(settled.byTier, older), verified: settled.verified + verified, before };
  return { settled: next, all: { byTier: plus(next.byTier, recent), verified: next.verified + verifiedRecently } };
}

const plus = (sums: Sales['byTier'], more: readonly (Sum & { readonly tier: OrderTier })[]): Sales['byTier'] => ({
  ...sums,
  ...Object.fromEntries(
    more.map(({ tier, count, cents }) => [tier, { count: sums[tier].count + count, cents: sums[tier].cents + cents }]),
  ),
});

interface SalesRow extends Sum {
  readonly tier: OrderTier;
  readonly recentCount: number;
  readonly recentCents: number;
  readonly verified: number;
  readonly verifiedRecently: number;
  readonly before: Date;
}

// As doubles: whole numbers of 64 bits would come as bigint, and no count is beyond what a double holds exactly.
const salesStatement: Statement = {
  name: 'orders.counts',
  text: `with mark as (select date_trunc('milliseconds', now() - interval '1 hour') as before),
    paid as (
      select count(*) filter (where created_at < before)::float8 as older,
        count(*) filter (where created_at >= before)::float8 as recent
      from mark, chain_payments where created_at >= $2::timestamptz)
    select t.tier, count(o.id) filter (where o.created_at < before)::float8 as count,
      count(o.id) filter (where o.created_at >= before)::float8 as "recentCount",
      coalesce(sum(o.price_usd * 100) filter (where o.created_at < before), 0)::float8 as cents,
      coalesce(sum(o.price_usd * 100) filter (where o.created_at >= before), 0)::float8 as "recentCents",
      older as verified, recent as "verifiedRecently", before
    from mark cross join paid cross join unnest($1::text[]) as t (tier)
      left join orders o on o.tier = t.tier and o.created_at >= $2::timestamptz
    group by t.tier, older, recent, before`,
};
