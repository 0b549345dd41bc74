import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { autoRecharges } from '../../db/schema/checkouts.ts';
import { memberships, orgBalances, orgs } from '../../db/schema/orgs.ts';
import { computed, orNull, pick, statement, typed } from '../../db/sql.ts';
import { onOrg, shownTo } from '../../kernel/access/access.ts';
import { principalIdOf } from '../../kernel/access/caller.ts';
import { orgId } from '../../kernel/input/fields.ts';
import type { Context, Services } from '../../kernel/run/context.ts';
import { query } from '../../kernel/run/operation.ts';
import { orgActions } from '../orgs/shared/actions.ts';
import { type Billing, BillingWire, billingToWire } from './wire.ts';

/** `GET /orgs/v1/:org_id/billing`. Contract 01, section 6.9. */
export const getBilling = query({
  name: 'billing.get',
  tool: 'check_balance',
  command: 'billing balance',
  summary: 'The prepaid balance of an organization, with its tier and lease.',
  path: 'GET /orgs/v1/:org_id/billing',
  access: onOrg(orgActions['org:billing:read'], ({ org }: { org: string }) => org),
  input: z.object({ org: orgId }),
  handler: ({ services, org }) => billingOf(services, org.id),
  wire: BillingWire,
  toWire: billingToWire,
});

/** The money of an organization that is there. */
export async function billingOf({ db }: Pick<Services, 'db'>, orgId: string): Promise<Billing> {
  const [billing] = await db.rows(billingStatement.with({ orgIds: [orgId], principal: null }));
  return billing!;
}

/** The money of several organizations in one statement; in place of what the caller may not see, its refusal. */
export async function loadBilling(ctx: Context, orgIds: readonly string[]): Promise<(Billing | Error)[]> {
  const caller = await ctx.caller();
  const principalId = caller.kind === 'delegate' ? null : principalIdOf(caller);
  const rows = await ctx.services.db.rows(billingStatement.with({ orgIds, principal: principalId }));
  const byId = new Map(rows.map((row) => [row.orgId, row]));
  return orgIds.map((id) => shownTo(caller, orgActions['org:billing:read'], byId.get(id)));
}

const billingStatement = statement(
  'billing.get',
  {
    params: { orgIds: typed<readonly string[]>('uuid[]'), principal: typed<string | null>('text') },
    row: {
      orgId: orgs.id,
      ...pick(orgs, 'tier', 'leaseExpiresAt', 'leasePerpetual'),
      ...orNull(pick(memberships, 'role')),
      available: computed<bigint>('bigint', sql`coalesce(${orgBalances.available}, 0)`),
      held: computed<bigint>('bigint', sql`coalesce(${orgBalances.held}, 0)`),
      owed: computed<bigint>('bigint', sql`coalesce(${orgBalances.owed}, 0)`),
      emailCredits: computed<bigint>('bigint', sql`coalesce(${orgBalances.emailCredits}, 0)`),
      rechargeEnabled: computed<boolean>('boolean', sql`coalesce(${autoRecharges.enabled}, false)`),
      rechargeThreshold: computed<bigint | null>('bigint', sql`${autoRecharges.threshold}`),
      rechargeCard: computed<string | null>('text', sql`${autoRecharges.cardLabel}`),
      rechargeStopped: computed<string | null>('text', sql`${autoRecharges.stoppedBecause}`),
    },
  },
  ({ orgIds, principal }, row) => sql`select ${row} from ${orgs}
    left join ${orgBalances} on ${orgBalances.orgId} = ${orgs.id}
    left join ${autoRecharges} on ${autoRecharges.orgId} = ${orgs.id}
    left join ${memberships} on ${memberships.orgId} = ${orgs.id} and ${memberships.principalId} = ${principal}
      and ${memberships.status} = 'active'
    where ${orgs.id} = any(${orgIds}::uuid[])`,
);
