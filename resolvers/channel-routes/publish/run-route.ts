import { sql } from '../../../db/drizzle.ts';
import { channelDeliveries, channelRoutes } from '../../../db/schema/channel-routes.ts';
import { setOf, statement } from '../../../db/sql.ts';
import type { LeasedItem } from '../../../kernel/durability/leased-statements.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { lookAtMembers, noteMembers } from '../authorize.ts';
import { routeColumns } from '../route.ts';
import { takeEvents } from '../take-events.ts';
import { deliver } from './deliver.ts';
import { heldBy, heldRoute, nextDelivery } from './held.ts';

/** Messages of one route that are sent before others have their turn. */
const messagesMax = 20;

/**
 * Does what is due on a route that this node has: looks for members where somebody has to become one, queues what has
 * happened, and sends what is due, one message after the other. A route is in the hands of one node at a time.
 */
export async function runRoute(ctx: Context, held: LeasedItem): Promise<void> {
  const { rows } = ctx.services.db;
  const members = await lookAtMembers(ctx, held.id);
  const isActive = await unitOfWork(ctx, async (work) => {
    const [route] = await work.rows(lockStatement.with({ id: held.id, lease: held.lease }));
    if (route === undefined) return false;
    if (members !== undefined) await noteMembers(work, route, members);
    const [now] = await work.rows(lockStatement.with({ id: held.id, lease: held.lease }));
    if (now!.status === 'active') await takeEvents(work, now!);
    return now!.status === 'active';
  });
  const [route] = isActive ? await rows(heldRoute.with({ id: held.id, lease: held.lease })) : [];
  for (let sent = 0; route !== undefined && sent < messagesMax && !ctx.signal.aborted; sent++) {
    const [delivery] = await rows(nextDelivery.with({ routeId: held.id }));
    if (delivery === undefined || !(await deliver(ctx, route, delivery, held))) break;
  }
  // The row first: what somebody queues meanwhile is there by the time that it is looked for.
  await unitOfWork(ctx, async (work) => {
    await work.rows(lockStatement.with({ id: held.id, lease: held.lease }));
    await work.rows(letGoStatement.with({ id: held.id, lease: held.lease }));
  });
}

const lockStatement = statement(
  'channels.lock-run-route',
  { params: heldBy, row: routeColumns },
  ({ id, lease }, row) => sql`select ${row} from ${channelRoutes}
    where ${channelRoutes.id} = ${id} and ${channelRoutes.lease} = ${lease} for update`,
);

// One that waits for its key to be a member looks every minute at first, and every ten later.
const letGoStatement = statement(
  'channels.let-go',
  { params: heldBy },
  ({ id, lease }) =>
    sql`update ${channelRoutes} ${setOf(channelRoutes, {
      lease: sql`null`,
      dueAt: sql`case ${channelRoutes.status}
      when 'active' then least(now() + interval '1 minute', (select min(${channelDeliveries.nextAttemptAt})
        from ${channelDeliveries} where ${channelDeliveries.routeId} = ${channelRoutes.id}
          and ${channelDeliveries.nextAttemptAt} is not null))
      when 'pending_authorization' then now()
        + case when ${channelRoutes.updatedAt} > now() - interval '1 hour' then interval '1 minute' else interval '10 minutes' end
      end`,
    })} where ${channelRoutes.id} = ${id} and ${channelRoutes.lease} = ${lease}`,
);
