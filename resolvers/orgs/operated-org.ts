import { z } from 'zod';
import { alias, sql } from '../../db/drizzle.ts';
import { memberships, type Org, orgBalances, orgs } from '../../db/schema/orgs.ts';
import { projects, projectUsage } from '../../db/schema/projects.ts';
import { computed, from, pick } from '../../db/sql.ts';
import { limitsOf } from '../../kernel/limits/limits.ts';
import { LimitsWire, limitsToWire } from './limits-wire.ts';
import { leaseEndToWire, lifecycleWire, tierWire } from './shared/wire.ts';

/** An organization as the platform admin sees it: its limits, and what it uses of them. */
export interface OperatedOrganization
  extends Pick<
    Org,
    | 'id'
    | 'displayName'
    | 'slug'
    | 'tier'
    | 'lifecycleState'
    | 'leasePerpetual'
    | 'leaseExpiresAt'
    | 'limitOverrides'
    | 'createdAt'
  > {
  /** Active ones. */
  readonly members: bigint;
  /** Those that are not deleted. */
  readonly projects: bigint;
  /** Requests to data planes of this period that have been written: about a second late. */
  readonly apiCalls: bigint;
  /** Spendable balance in micro-dollars. */
  readonly balance: bigint;
}

const m = alias(memberships, 'm');
const p = alias(projects, 'p');
const u = alias(projectUsage, 'u');
const b = alias(orgBalances, 'b');

/** The columns of an {@link OperatedOrganization}, of a statement that reads `orgs`. */
export const operatedColumns = {
  ...pick(
    orgs,
    'id',
    'displayName',
    'slug',
    'tier',
    'lifecycleState',
    'leasePerpetual',
    'leaseExpiresAt',
    'limitOverrides',
    'createdAt',
  ),
  members: computed<bigint>(
    'bigint',
    sql`(select count(*) from ${from(m)} where ${m.orgId} = ${orgs.id} and ${m.status} = 'active')`,
  ),
  projects: computed<bigint>(
    'bigint',
    sql`(select count(*) from ${from(p)} where ${p.orgId} = ${orgs.id} and ${p.deletedAt} is null)`,
  ),
  apiCalls: computed<bigint>(
    'bigint',
    sql`(select coalesce(sum(${u.apiCalls}), 0)::bigint from ${from(u)}
      where ${u.orgId} = ${orgs.id} and ${u.since} = ${orgs.usageSince})`,
  ),
  balance: computed<bigint>(
    'bigint',
    sql`coalesce((select ${b.available} from ${from(b)} where ${b.orgId} = ${orgs.id}), 0)`,
  ),
};

export const OperatedOrganizationWire = z
  .object({
    org_id: z.uuid(),
    display_name: z.string().nullable(),
    slug: z.string().nullable(),
    tier: tierWire,
    lifecycle_state: lifecycleWire,
    lease_perpetual: z.boolean(),
    lease_expires_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    members: z.number().int(),
    projects: z.number().int(),
    api_calls: z.number().int(),
    balance_usd_micros: z.number().int(),
    limits: LimitsWire,
    overrides: LimitsWire,
  })
  .meta({ id: 'InstallationOrganization' });

export const operatedToWire = (org: OperatedOrganization) => ({
  org_id: org.id,
  display_name: org.displayName,
  slug: org.slug,
  tier: org.tier,
  lifecycle_state: org.lifecycleState,
  lease_perpetual: org.leasePerpetual,
  lease_expires_at: leaseEndToWire(org),
  created_at: org.createdAt.toISOString(),
  members: Number(org.members),
  projects: Number(org.projects),
  api_calls: Number(org.apiCalls),
  balance_usd_micros: Number(org.balance),
  limits: limitsToWire(limitsOf(org)),
  overrides: limitsToWire(org.limitOverrides),
});
