import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import type { Role } from '../../db/schema/orgs.ts';
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
  access: onOrg(orgActions['org:billing:read'], ({ org }: { org: string }) => org),
  input: z.object({ org: orgId }),
  handler: ({ services, org }) => billingOf(services, org.id),
  wire: BillingWire,
  toWire: billingToWire,
});

/** The money of an organization that is there. */
export async function billingOf({ db }: Pick<Services, 'db'>, orgId: string): Promise<Billing> {
  const [billing] = await db.rows<Billing>(billingStatement, [[orgId], null]);
  return billing!;
}

/** The money of several organizations in one statement; in place of what the caller may not see, its refusal. */
export async function loadBilling(ctx: Context, orgIds: readonly string[]): Promise<(Billing | Error)[]> {
  const caller = await ctx.caller();
  const principalId = caller.kind === 'delegate' ? null : principalIdOf(caller);
  const rows = await ctx.services.db.rows<Billing & { role: Role | null }>(billingStatement, [orgIds, principalId]);
  const byId = new Map(rows.map((row) => [row.orgId, row]));
  return orgIds.map((id) => shownTo(caller, orgActions['org:billing:read'], byId.get(id)));
}

const billingStatement: Statement = {
  name: 'billing.get',
  text: `select o.id as "orgId", o.tier, o.lease_expires_at as "leaseExpiresAt",
      o.lease_perpetual as "leasePerpetual", m.role,
      coalesce(b.available_usd_micros, 0) as available, coalesce(b.held_usd_micros, 0) as held
    from orgs o left join org_balances b on b.org_id = o.id
    left join memberships m on m.org_id = o.id and m.principal_id = $2 and m.status = 'active'
    where o.id = any($1::uuid[])`,
};
