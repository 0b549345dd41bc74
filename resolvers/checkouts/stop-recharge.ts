import { sql } from '../../db/drizzle.ts';
import { autoRecharges } from '../../db/schema/checkouts.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../kernel/feeds/append-event.ts';
import { checkoutEventTypes } from './event-types.ts';

/** Turns auto-recharge off, and tells whoever answers for the organization. */
export async function stopRecharge(work: Work, orgId: string, reason: string): Promise<void> {
  const stopped = await work.rows(stopStatement.with({ orgId, stoppedBecause: reason }));
  if (stopped.length === 0) return;
  const type = checkoutEventTypes.auto_recharge_stopped;
  work.append(appendEvent({ orgId, projectId: null, type, payload: { reason } }));
}

const stopStatement = statement(
  'checkouts.stop-recharge',
  { params: pick(autoRecharges, 'orgId', 'stoppedBecause'), row: pick(autoRecharges, 'orgId') },
  ({ orgId, stoppedBecause }, row) =>
    sql`update ${autoRecharges} ${setOf(autoRecharges, {
      enabled: sql`false`,
      stoppedBecause,
      updatedAt: sql`now()`,
    })} where ${autoRecharges.orgId} = ${orgId} and ${autoRecharges.enabled} returning ${row}`,
);
