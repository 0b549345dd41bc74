import { columnsOf } from '../../db/columns-of.ts';
import type { Statement } from '../../db/pool.ts';
import { type Org, orgs, type Tier } from '../../db/schema/orgs.ts';
import { forgetProjectTargets } from '../project-target.ts';
import type { Work } from '../unit-of-work.ts';
import { tiers } from './tier-table.ts';

/** How far ahead a free lease can be renewed, in days: what costs nothing could be renewed for ever. */
const freeLeaseDaysMax = 365;

/** What is left of a running lease, in micro-dollars, at the price of its tier and rounded down. */
export async function unusedValue(
  { rows }: Pick<Work, 'rows'>,
  { id, tier }: Pick<Org, 'id' | 'tier'>,
): Promise<bigint> {
  const { charge, leaseDays } = tiers[tier];
  const [row] = await rows<{ unused: bigint }>(unusedStatement, [id, charge, leaseDays]);
  return row!.unused;
}

/**
 * Writes a lease that begins, or one that goes on from its end, and makes the organization active. Its caller holds the
 * organization's lock.
 */
export async function startLease(work: Work, orgId: string, tier: Tier, renews: boolean): Promise<Org> {
  const { charge, leaseDays } = tiers[tier];
  const values = [orgId, tier, renews, leaseDays * 24, charge > 0n, freeLeaseDaysMax * 24];
  const [org] = await work.rows<Org>(startStatement, values);
  work.afterCommit(() => forgetProjectTargets(work.services));
  return org!;
}

const unusedStatement: Statement = {
  name: 'tiers.unused',
  text: `select floor(greatest(extract(epoch from lease_expires_at - now()), 0) * $2::bigint / ($3::int * 86400))::bigint as unused
    from orgs where id = $1`,
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
