import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { channelDeliveries, channelRoutes } from '../../db/schema/channel-routes.ts';
import { computed, insertInto, pick, setOf, statement } from '../../db/sql.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockOrgFor } from '../orgs/shared/lock-org.ts';
import { channelActions } from './actions.ts';
import { lookAtMembers, noteMembers } from './authorize.ts';
import {
  type ChannelDelivery,
  ChannelRouteDeliveryWire,
  deliveryColumns,
  deliveryToWire,
  testType,
} from './delivery.ts';
import { lockRoute, onRoute, routeId } from './route.ts';

/** Tests of one route that wait, at most. */
const testsMax = 10;

/** `POST /channel-routes/v1/:channel_route_id/test`. Contract 02, section 5.7. */
export const testRoute = mutation({
  name: 'channelRoutes.test',
  command: 'channel-route test',
  effects: ['openWorld'],
  summary:
    'Say in a channel that this is a test. Of one that waits for its key to be a member, it is first looked whether the key is.',
  access: onRoute(channelActions['channel:routes:write']),
  stepUp: 'channel.route',
  idempotency: 'required',
  reusedKeyCode: 'CHANNEL_IDEMPOTENCY_CONFLICT',
  lifecycle: 'gated',
  path: 'POST /channel-routes/v1/:channel_route_id/test 202',
  input: z.object({ channel_route_id: routeId }),
  prepare: (ctx, { channel_route_id: id }) => lookAtMembers(ctx, id),
  async handler(work, { channel_route_id: id }, members): Promise<ChannelDelivery> {
    const { id: owner } = await lockOrgFor(work, work.org.id, channelActions['channel:routes:write']);
    const route = await lockRoute(work.rows, owner, id);
    if (members !== undefined) await noteMembers(work, route, members);
    const [waiting] = await work.rows(countStatement.with({ routeId: id }));
    if (waiting!.count >= testsMax)
      throw new ServiceError('CHANNEL_ROUTE_LIMIT_REACHED', {
        details: { resource: 'channel_route_tests', limit: testsMax, used: waiting!.count },
      });
    const [made] = await work.rows(
      insertStatement.with({ id: work.services.newId('chrd'), orgId: owner, routeId: route.id, eventType: testType }),
    );
    await work.rows(wakeStatement.with({ id }));
    work.afterCommit(() => work.services.channelPublishing.wake());
    return made!;
  },
  audit: ({ id, routeId: route }) => ({
    action: 'channel_route.tested',
    object: { kind: 'channel_route_delivery', id },
    details: { channel_route_id: route },
  }),
  wire: ChannelRouteDeliveryWire.extend({ poll: z.object({ path: z.string() }) }),
  toWire(made, ctx) {
    ctx.setHeader?.('retry-after', '2');
    return {
      ...deliveryToWire(made),
      poll: { path: `/channel-routes/v1/${made.routeId}/deliveries?delivery_id=${made.id}` },
    };
  },
});

const countStatement = statement(
  'channels.count-tests',
  { params: pick(channelDeliveries, 'routeId'), row: { count: computed<number>('integer', sql`count(*)::int`) } },
  ({ routeId: route }, row) => sql`select ${row} from ${channelDeliveries}
    where ${channelDeliveries.routeId} = ${route} and ${channelDeliveries.nextAttemptAt} is not null
      and ${channelDeliveries.kind} = 'test'`,
);

const insertStatement = statement(
  'channels.insert-test',
  { params: pick(channelDeliveries, 'id', 'orgId', 'routeId', 'eventType'), row: deliveryColumns },
  (given, row) =>
    sql`${insertInto(channelDeliveries, {
      ...given,
      kind: sql`'test'`,
      payload: sql`'{}'`,
      occurredAt: sql`now()`,
    })} returning ${row}`,
);

// A node that has it looks for more before it lets go of it.
const wakeStatement = statement(
  'channels.wake-route',
  { params: pick(channelRoutes, 'id') },
  ({ id }) => sql`update ${channelRoutes} ${setOf(channelRoutes, { dueAt: sql`now()` })}
    where ${channelRoutes.id} = ${id} and ${channelRoutes.lease} is null and ${channelRoutes.status} <> 'paused'`,
);
