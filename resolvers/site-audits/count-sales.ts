import { type SQL, sql } from '../../db/drizzle.ts';
import { chainPayments } from '../../db/schema/chain-payments.ts';
import { type OrderTier, orders } from '../../db/schema/products.ts';
import { computed, statement, typed } from '../../db/sql.ts';
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
  const rows = await db.rows(salesStatement.with({ tiers: orderTiers, since: settled.before ?? '-infinity' }));
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

// As doubles: whole numbers of 64 bits would come as bigint, and no count is beyond what a double holds exactly.
const double = (text: SQL) => computed<number>('double precision', sql`${text}::float8`);
const older = sql`${orders.createdAt} < mark.before`;
const recent = sql`${orders.createdAt} >= mark.before`;

const salesStatement = statement(
  'orders.counts',
  {
    params: {
      tiers: typed<readonly OrderTier[]>('text[]'),
      since: typed<Date | '-infinity'>('timestamp with time zone'),
    },
    row: {
      tier: computed<OrderTier>('text', sql`sold.tier`),
      count: double(sql`count(${orders.id}) filter (where ${older})`),
      recentCount: double(sql`count(${orders.id}) filter (where ${recent})`),
      cents: double(sql`coalesce(sum(${orders.priceUsd} * 100) filter (where ${older}), 0)`),
      recentCents: double(sql`coalesce(sum(${orders.priceUsd} * 100) filter (where ${recent}), 0)`),
      verified: double(sql`paid.older`),
      verifiedRecently: double(sql`paid.recent`),
      before: computed<Date>('timestamp with time zone', sql`mark.before`),
    },
  },
  ({ tiers, since }, row) => sql`with mark as (select date_trunc('milliseconds', now() - interval '1 hour') as before),
    paid as (
      select count(*) filter (where ${chainPayments.createdAt} < mark.before) as older,
        count(*) filter (where ${chainPayments.createdAt} >= mark.before) as recent
      from mark, ${chainPayments} where ${chainPayments.createdAt} >= ${since}::timestamptz
    )
    select ${row} from mark cross join paid cross join unnest(${tiers}::text[]) as sold (tier)
      left join ${orders} on ${orders.tier} = sold.tier and ${orders.createdAt} >= ${since}::timestamptz
    group by sold.tier, paid.older, paid.recent, mark.before`,
);
