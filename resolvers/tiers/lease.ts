import { columnsOf } from '../../db/columns-of.ts';
import type { Statement } from '../../db/pool.ts';
import { type Org, orgs, type Tier } from '../../db/schema/orgs.ts';
import { forgetProjectTargets } from '../../kernel/access/project-target.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { tiers } from '../../kernel/limits/tier-table.ts';

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
  const [row] = await rows<{ unused: bigint }>(unusedStatement, [id, price, leaseDays]);
  return row?.unused ?? 0n;
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
  const values = [orgId, tier, renews, tiers[tier].leaseDays * 24, paid, freeLeaseDaysMax * 24];
  const [org] = await work.rows<Org>(startStatement, values);
  work.afterCommit(() => forgetProjectTargets(work.services));
  return org!;
}

const unusedStatement: Statement = {
  name: 'tiers.unused',
  text: `select floor(greatest(extract(epoch from lease_expires_at - now()), 0) * $2::bigint / ($3::int * 86400))::bigint as unused
    from orgs o where id = $1 and exists (
      select from ledger_entries e
      where e.org_id = o.id and e.kind = 'tier_fee' and e.created_at >= o.lease_started_at
    )`,
};

// Days are 24 hours: an interval of days would follow the session's time zone. Each paid lease brings its allowance of
// requests with it; a free one brings it once in its length, however often it is renewed.
const startStatement: Statement = {
  name: 'tiers.start-lease',
  text: `update orgs o set tier = $2, lifecycle_state = 'active',
      lifecycle_entered_at = case when o.lifecycle_state = 'active' then o.lifecycle_entered_at else now() end,
      lease_started_at = case when $3::boolean then o.lease_started_at else now() end,
      lease_expires_at = case
        when not $3::boolean then now() + make_interval(hours => $4)
        when $5::boolean then o.lease_expires_at + make_interval(hours => $4)
        else greatest(o.lease_expires_at,
          least(o.lease_expires_at + make_interval(hours => $4), now() + make_interval(hours => $6))) end,
      usage_since = case
        when $5::boolean or o.usage_since <= now() - make_interval(hours => $4) then now() else o.usage_since end
    where o.id = $1 returning ${columnsOf(orgs, 'o')}`,
};
