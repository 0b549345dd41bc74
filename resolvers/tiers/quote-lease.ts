import type { Statement } from '../../db/pool.ts';
import type { Tier } from '../../db/schema/orgs.ts';
import type { NoScope, OrgScope } from '../../kernel/access/access.ts';
import { offerOf, tierNames } from '../../kernel/limits/tier-table.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { Price } from '../../kernel/run/price.ts';
import { unusedValue } from './lease.ts';

/** How long a signed payment for a lease may take to arrive, in seconds. */
const paymentSeconds = 300;

interface Standing {
  readonly tier: Tier;
  readonly leaseRuns: boolean;
  readonly leasePerpetual: boolean;
  readonly available: bigint;
}

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
  const [standing] = await services.db.rows<Standing>(standingStatement, [org.id]);
  const { leaseRuns, leasePerpetual, available } = standing!;
  const step = tierNames.indexOf(tier) - tierNames.indexOf(standing!.tier);
  if (leaseRuns && (step < 0 || (step === 0 && leasePerpetual))) return undefined;
  const left = leaseRuns && step > 0 ? await unusedValue(services.db, { id: org.id, tier: standing!.tier }) : 0n;
  return available + left >= price ? undefined : priceWith(available + left);
}

const standingStatement: Statement = {
  name: 'tiers.standing',
  text: `select o.tier, (o.lease_perpetual or o.lease_expires_at > now()) as "leaseRuns",
      o.lease_perpetual as "leasePerpetual", coalesce(b.available_usd_micros, 0) as available
    from orgs o left join org_balances b on b.org_id = o.id where o.id = $1`,
};
