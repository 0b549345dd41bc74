import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { type Org, orgs } from '../../db/schema/orgs.ts';
import { allOf, setOf, statement } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { forgetProjectTargets } from '../../kernel/access/project-target.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { leaseSet } from '../orgs/shared/lease-mode.ts';
import { leaseEndToWire, lifecycleWire } from '../orgs/shared/wire.ts';

/** `POST /orgs/v1/admin/:org_id/lease-perpetual`. Contract 01, section 6.9. */
export const setLeasePerpetual = mutation({
  name: 'orgs.setLeasePerpetual',
  tool: 'admin_set_lease_perpetual',
  command: 'admin lease-perpetual',
  effects: ['destructive', 'idempotent'],
  summary: 'Keep an organization active for ever, or have its lease count again.',
  path: 'POST /orgs/v1/admin/:org_id/lease-perpetual',
  access: platformAdmin(),
  input: z.object({
    org: orgId,
    lease_perpetual: z.boolean().describe('Whether the organization stays active whatever its lease.'),
  }),
  async handler(work, { org, lease_perpetual }): Promise<Org> {
    const [row] = await work.rows(updateStatement.with({ id: org, perpetual: lease_perpetual }));
    if (row === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { details: { org_id: org } });
    work.afterCommit(() => forgetProjectTargets(work.services));
    return row;
  },
  audit: (org) => leaseSet(org.id, org.leasePerpetual),
  wire: z.object({
    org_id: z.uuid(),
    lease_perpetual: z.boolean(),
    organization_lifecycle_state: lifecycleWire,
    lease_expires_at: z.iso.datetime().nullable(),
  }),
  toWire: (org) => ({
    org_id: org.id,
    lease_perpetual: org.leasePerpetual,
    organization_lifecycle_state: org.lifecycleState,
    lease_expires_at: leaseEndToWire(org),
  }),
});

// Nothing brings a purged organization back. One whose lease ended while it did not count has its days of grace from
// now on, or it would be purged the moment that its pin is taken out.
const updateStatement = statement(
  'orgs.set-lease-perpetual',
  { params: { id: orgs.id, perpetual: orgs.leasePerpetual }, row: allOf(orgs) },
  ({ id, perpetual }, row) =>
    sql`update ${orgs} ${setOf(orgs, {
      leasePerpetual: perpetual,
      lifecycleState: sql`case when ${perpetual} then 'active' else ${orgs.lifecycleState} end`,
      lifecycleEnteredAt: sql`case when ${perpetual} and ${orgs.lifecycleState} <> 'active'
      then now() else ${orgs.lifecycleEnteredAt} end`,
      leaseExpiresAt: sql`case when ${orgs.leasePerpetual} and not ${perpetual}
      then greatest(${orgs.leaseExpiresAt}, now()) else ${orgs.leaseExpiresAt} end`,
    })} where ${orgs.id} = ${id} and ${orgs.lifecycleState} <> 'purged' returning ${row}`,
);
