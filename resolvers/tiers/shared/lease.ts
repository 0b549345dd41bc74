import { sql } from '../../../db/drizzle.ts';
import { ledgerEntries, type Org, orgs, type Tier } from '../../../db/schema/orgs.ts';
import { allOf, computed, pick, setOf, statement, typed } from '../../../db/sql.ts';
import { forgetProjectTargets } from '../../../kernel/access/project-target.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { tiers } from '../../../kernel/limits/tier-table.ts';

/** How far ahead a free lease can be renewed, in days: what costs nothing could be renewed for ever. */
const freeLeaseDaysMax = 365;

/**
 * What is left of a running lease, in micro-dollars, at the price of its tier and rounded down. A lease that was given
 * away while leases were off is worth nothing.
 */
export async function unusedValue(
  { rows }: Pick<Work, 'rows'>,
  { id, tier }: Pick<Org, 'id' | 'tier'>,
): Promise<bigint> {
  const { price, leaseDays } = tiers[tier];
  const [row] = await rows(unusedStatement.with({ id, price, leaseDays }));
  return row?.unused ?? 0n;
}

/** How much of a refund is promotional credit: as much as the lease was paid with, so that none of it turns into money. */
export async function promotionalShare({ rows }: Pick<Work, 'rows'>, orgId: string, refund: bigint): Promise<bigint> {
  const [fee] = await rows(feeStatement.with({ orgId }));
  const promotional = fee?.promotional ?? 0n;
  return promotional < refund ? promotional : refund;
}

/**
 * Writes a lease that begins, or one that goes on from its end, and makes the organization active. Its caller holds the
 * organization's lock.
 *
 * @param paid whether money was taken for it
 */
export async function startLease(
  work: Work,
  { orgId, tier, renews, paid }: { orgId: string; tier: Tier; renews: boolean; paid: boolean },
): Promise<Org> {
  const lease = { id: orgId, tier, renews, paid, hours: tiers[tier].leaseDays * 24, hoursMax: freeLeaseDaysMax * 24 };
  const [org] = await work.rows(startStatement.with(lease));
  work.afterCommit(() => forgetProjectTargets(work.services));
  return org!;
}

const feeStatement = statement(
  'tiers.last-fee',
  { params: pick(ledgerEntries, 'orgId'), row: pick(ledgerEntries, 'promotional') },
  ({ orgId }, row) => sql`select ${row} from ${ledgerEntries}
    where ${ledgerEntries.orgId} = ${orgId} and ${ledgerEntries.kind} = 'tier_fee'
    order by ${ledgerEntries.seq} desc limit 1`,
);

const unusedStatement = statement(
  'tiers.unused',
  {
    params: { id: orgs.id, price: typed<bigint>('bigint'), leaseDays: typed<number>('integer') },
    row: { unused: computed<bigint>('bigint', sql`rest.unused`) },
  },
  ({ id, price, leaseDays }, row) => sql`select ${row} from ${orgs} cross join lateral (
      select floor(greatest(extract(epoch from ${orgs.leaseExpiresAt} - now()), 0)
        * ${price}::bigint / (${leaseDays}::int * 86400))::bigint as unused
    ) rest
    where ${orgs.id} = ${id} and exists (
      select from ${ledgerEntries} where ${ledgerEntries.orgId} = ${orgs.id} and ${ledgerEntries.kind} = 'tier_fee'
        and ${ledgerEntries.createdAt} >= ${orgs.leaseStartedAt})`,
);

// Days are 24 hours: an interval of days would follow the session's time zone. Each paid lease brings its allowance of
// requests with it; a free one brings it once in its length, however often it is renewed.
const startStatement = statement(
  'tiers.start-lease',
  {
    params: {
      id: orgs.id,
      tier: orgs.tier,
      renews: typed<boolean>('boolean'),
      paid: typed<boolean>('boolean'),
      hours: typed<number>('integer'),
      hoursMax: typed<number>('integer'),
    },
    row: allOf(orgs),
  },
  ({ id, tier, renews, paid, hours, hoursMax }, row) => {
    const length = sql`make_interval(hours => ${hours})`;
    return sql`update ${orgs} ${setOf(orgs, {
      tier,
      lifecycleState: sql`'active'`,
      lifecycleEnteredAt: sql`case when ${orgs.lifecycleState} = 'active' then ${orgs.lifecycleEnteredAt} else now() end`,
      leaseStartedAt: sql`case when ${renews}::boolean then ${orgs.leaseStartedAt} else now() end`,
      leaseExpiresAt: sql`case
        when not ${renews}::boolean then now() + ${length}
        when ${paid}::boolean then ${orgs.leaseExpiresAt} + ${length}
        else greatest(${orgs.leaseExpiresAt},
          least(${orgs.leaseExpiresAt} + ${length}, now() + make_interval(hours => ${hoursMax}))) end`,
      usageSince: sql`case when ${paid}::boolean or ${orgs.usageSince} <= now() - ${length}
        then now() else ${orgs.usageSince} end`,
    })} where ${orgs.id} = ${id} returning ${row}`;
  },
);
