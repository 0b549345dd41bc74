import { sql } from '../../db/drizzle.ts';
import { orgBalances, orgs, type Tier } from '../../db/schema/orgs.ts';
import { computed, pick, statement } from '../../db/sql.ts';
import type { NoScope, OrgScope } from '../../kernel/access/access.ts';
import { offerOf, tierNames } from '../../kernel/limits/tier-table.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { Price } from '../../kernel/run/price.ts';
import { unusedValue } from './shared/lease.ts';

/** How long a signed payment for a lease may take to arrive, in seconds. */
const paymentSeconds = 300;

/**
 * What a lease costs a caller on chain: its whole price, unless the balance covers it, together with what is left of the
 * lease before. What is refused anyway, and what is there already, costs nothing. Contract 04, section 1.2.
 */
export async function quoteLease(
  { services, org }: Context & Partial<OrgScope | NoScope>,
  { tier }: { readonly tier: Tier },
): Promise<Price | undefined> {
  const { price, leaseDays } = offerOf(tier, services.settings.leases);
  if (price === 0n) return undefined;
  const priceWith = (available: bigint): Price => ({
    sku: `tier_${tier}`,
    amount: price,
    network: services.settings.tierNetwork,
    description: `A lease of the ${tier} tier, ${leaseDays} days.`,
    maxTimeoutSeconds: paymentSeconds,
    details: { tier, required_usd_micros: Number(price), available_usd_micros: Number(available) },
  });
  // Whoever has no organization yet has no balance either.
  if (org === undefined) return priceWith(0n);
  const [standing] = await services.db.rows(statusStatement.with({ id: org.id }));
  const { leaseRuns, leasePerpetual, available } = standing!;
  const step = tierNames.indexOf(tier) - tierNames.indexOf(standing!.tier);
  if (leaseRuns && (step < 0 || (step === 0 && leasePerpetual))) return undefined;
  const left = leaseRuns && step > 0 ? await unusedValue(services.db, { id: org.id, tier: standing!.tier }) : 0n;
  return available + left >= price ? undefined : priceWith(available + left);
}

const statusStatement = statement(
  'tiers.standing',
  {
    params: pick(orgs, 'id'),
    row: {
      ...pick(orgs, 'tier', 'leasePerpetual'),
      leaseRuns: computed<boolean>('boolean', sql`${orgs.leasePerpetual} or ${orgs.leaseExpiresAt} > now()`),
      available: computed<bigint>('bigint', sql`coalesce(${orgBalances.available}, 0)`),
    },
  },
  ({ id }, row) => sql`select ${row} from ${orgs} left join ${orgBalances} on ${orgBalances.orgId} = ${orgs.id}
    where ${orgs.id} = ${id}`,
);
