import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { type DeliveryAttempt, type Escalation, escalationAttempts } from '../../db/schema/escalations.ts';
import { allOf, statement, typed } from '../../db/sql.ts';
import { onOrgByGrant } from '../../kernel/access/access.ts';
import type { Services } from '../../kernel/run/context.ts';
import { query } from '../../kernel/run/operation.ts';
import { escalationAddress, findEscalation, ownerSeen } from './escalation-scope.ts';
import { escalationActions } from './shared/actions.ts';
import { attemptToWire, DeliveryAttemptWire, EscalationWire, escalationToWire } from './wire.ts';

export interface ShownEscalation {
  readonly escalation: Escalation;
  /** Undefined unless they were asked for. */
  readonly attempts: readonly DeliveryAttempt[] | undefined;
}

/** `GET /orgs/v1/:org_id/escalations/:escalation_id`. Contract 02, section 3.3. */
export const getEscalation = query({
  name: 'escalations.get',
  tool: 'get_escalation',
  command: 'escalations get',
  summary: 'One escalation as it stands: what its raiser polls.',
  access: onOrgByGrant<{ org: string; escalation: string }>(escalationActions['escalation:read']),
  input: z.object({
    ...escalationAddress,
    include: z
      .literal('delivery', 'must be `delivery`')
      .optional()
      .describe('`delivery` shows what became of each page, too.'),
  }),
  async handler(ctx, { escalation: id, include }): Promise<ShownEscalation> {
    const { services, org } = ctx;
    const escalation = await findEscalation(services.db, org.id, id, await ownerSeen(ctx));
    return {
      escalation,
      attempts: include === undefined ? undefined : (await loadAttempts(services, [escalation]))[0],
    };
  },
  wire: EscalationWire.extend({ delivery_attempts: z.array(DeliveryAttemptWire).optional() }),
  toWire: ({ escalation, attempts }) => ({
    ...escalationToWire(escalation),
    ...(attempts === undefined ? {} : { delivery_attempts: attempts.map(attemptToWire) }),
  }),
});

/** What became of the pages of escalations that the caller sees, in the order of the tries. */
export async function loadAttempts(
  { db }: Pick<Services, 'db'>,
  escalations: readonly Escalation[],
): Promise<DeliveryAttempt[][]> {
  const asked = { orgIds: escalations.map(({ orgId }) => orgId), ids: escalations.map(({ id }) => id) };
  const rows = await db.rows(attemptsStatement.with(asked));
  const byId = Map.groupBy(rows, ({ escalationId }) => escalationId);
  return escalations.map(({ id }) => byId.get(id) ?? []);
}

const attemptsStatement = statement(
  'escalations.attempts',
  {
    params: { orgIds: typed<readonly string[]>('uuid[]'), ids: typed<readonly string[]>('uuid[]') },
    row: allOf(escalationAttempts),
  },
  ({ orgIds, ids }, row) => sql`select ${row} from ${escalationAttempts}
    where (${escalationAttempts.orgId}, ${escalationAttempts.escalationId})
      in (select * from unnest(${orgIds}::uuid[], ${ids}::uuid[]))
    order by ${escalationAttempts.at}, ${escalationAttempts.mailId}, ${escalationAttempts.attempt}`,
);
