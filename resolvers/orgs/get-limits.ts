import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { pick, statement } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { tierLimits } from '../../kernel/limits/limits.ts';
import { storageOfOrg } from '../../kernel/limits/storage.ts';
import { query } from '../../kernel/run/operation.ts';
import { LimitsWire, limitsToWire } from './limits-wire.ts';
import {
  type OperatedOrganization,
  OperatedOrganizationWire,
  operatedColumns,
  operatedToWire,
} from './operated-org.ts';

/** An organization with what its projects store, which is measured when it is asked. */
export interface MeasuredOrganization extends OperatedOrganization {
  readonly storageBytes: number;
}

/** `GET /orgs/v1/admin/:org_id/limits`: beside `orgs.setLimits`, which changes them. */
export const getLimits = query({
  name: 'orgs.getLimits',
  tool: 'admin_get_limits',
  command: 'admin limits get',
  summary: 'The limits that hold for one organization, those of its tier, its own, and what it uses of them.',
  path: 'GET /orgs/v1/admin/:org_id/limits',
  access: platformAdmin(),
  input: z.object({ org: orgId }),
  async handler({ services }, { org }): Promise<MeasuredOrganization> {
    const { db, usage } = services;
    // What this node has counted so far, so that the numbers are of now.
    await usage.flush();
    const [[row], storageBytes] = await Promise.all([
      db.rows(orgStatement.with({ id: org })),
      storageOfOrg(services, org),
    ]);
    if (row === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { details: { org_id: org } });
    return { ...row, storageBytes };
  },
  wire: OperatedOrganizationWire.extend({ tier_limits: LimitsWire, storage_bytes: z.number().int() }).meta({
    id: 'MeasuredOrganization',
  }),
  toWire: (org) => ({
    ...operatedToWire(org),
    tier_limits: limitsToWire(tierLimits[org.tier]),
    storage_bytes: org.storageBytes,
  }),
});

const orgStatement = statement(
  'orgs.operated',
  { params: pick(orgs, 'id'), row: operatedColumns },
  ({ id }, row) => sql`select ${row} from ${orgs} where ${orgs.id} = ${id}`,
);
