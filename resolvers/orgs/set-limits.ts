import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { type Org, orgs } from '../../db/schema/orgs.ts';
import { allOf, setOf, statement } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { forgetProjectTargets } from '../../kernel/access/project-target.ts';
import { orgId } from '../../kernel/input/fields.ts';
import { limitsOf } from '../../kernel/limits/limits.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { LimitsWire, limitSpellings, limitsToWire } from './limits-wire.ts';

const limitToSet = z.number().int().min(0).max(1e12).nullable().optional();

/** `POST /orgs/v1/admin/:org_id/limits`: limits are data per tier; only the platform admin bends them for one organization. */
export const setLimits = mutation({
  name: 'orgs.setLimits',
  tool: 'admin_set_limits',
  command: 'admin limits',
  effects: ['destructive', 'idempotent'],
  summary: 'Set limits of one organization apart from its tier; null puts the tier’s own back.',
  path: 'POST /orgs/v1/admin/:org_id/limits',
  access: platformAdmin(),
  input: z.object({
    org: orgId,
    limits: z
      .strictObject({
        reads_per_second: limitToSet,
        reads_burst: limitToSet,
        writes_per_second: limitToSet,
        writes_burst: limitToSet,
        projects: limitToSet,
        members: limitToSet,
        grants_per_project: limitToSet,
        delegates_per_project: limitToSet,
        live_connections_per_project: limitToSet,
        api_calls: limitToSet,
        storage_bytes: limitToSet,
        secrets: limitToSet,
        messages_per_day: limitToSet,
        events_per_day: limitToSet,
        emails_per_day: limitToSet,
        mail_recipients: limitToSet,
      })
      .describe('Limits by name; those not named stay as they are.'),
  }),
  async handler(work, { org, limits }): Promise<Org> {
    const given = Object.fromEntries(limitSpellings.map(([name, wire]) => [name, limits[wire]]));
    const [row] = await work.rows(updateStatement.with({ id: org, limits: JSON.stringify(given) }));
    if (row === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { details: { org_id: org } });
    work.afterCommit(() => forgetProjectTargets(work.services));
    return row;
  },
  audit: (org, { limits }) => ({
    action: 'org.limits_set',
    object: { kind: 'organization', id: org.id },
    orgId: org.id,
    details: { limits },
  }),
  wire: z.object({ org_id: z.uuid(), limits: LimitsWire, overrides: LimitsWire }),
  toWire: (org) => ({
    org_id: org.id,
    limits: limitsToWire(limitsOf(org)),
    overrides: limitsToWire(org.limitOverrides),
  }),
});

const updateStatement = statement(
  'orgs.set-limits',
  { params: { id: orgs.id, limits: orgs.limitOverrides }, row: allOf(orgs) },
  ({ id, limits }, row) =>
    sql`update ${orgs} ${setOf(orgs, {
      limitOverrides: sql`jsonb_strip_nulls(${orgs.limitOverrides} || ${limits}::jsonb)`,
    })} where ${orgs.id} = ${id} returning ${row}`,
);
