import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { channelDeliveries, channelRoutes } from '../../db/schema/channel-routes.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockOrgFor } from '../orgs/shared/lock-org.ts';
import { channelActions } from './actions.ts';
import {
  type ChannelRoute,
  ChannelRouteWire,
  lockRoute,
  onRoute,
  routeColumns,
  routeId,
  routeToWire,
} from './route.ts';
import { keyOf, requireKey } from './signing-keys.ts';
import { headOf, takeEvents } from './take-events.ts';

interface Changed {
  readonly route: ChannelRoute;
  readonly isChanged: boolean;
}

/** `POST /channel-routes/v1/:channel_route_id/pause`. Contract 02, section 5.7. */
export const pauseRoute = mutation({
  name: 'channelRoutes.pause',
  command: 'channel-route pause',
  effects: ['idempotent'],
  summary: 'Tell a channel nothing for now. What is queued waits; what happens meanwhile is never told.',
  access: onRoute(channelActions['channel:routes:write']),
  stepUp: 'channel.route',
  idempotency: 'required',
  reusedKeyCode: 'CHANNEL_IDEMPOTENCY_CONFLICT',
  path: 'POST /channel-routes/v1/:channel_route_id/pause',
  input: z.object({ channel_route_id: routeId }),
  async handler(work, { channel_route_id: id }): Promise<Changed> {
    const { id: owner } = await lockOrgFor(work, work.org.id, channelActions['channel:routes:write']);
    const route = await lockRoute(work.rows, owner, id);
    if (route.status === 'paused') return { route, isChanged: false };
    return { route: await pause(work, route, 'owner'), isChanged: true };
  },
  audit: ({ route: { id, name }, isChanged }) =>
    isChanged
      ? { action: 'channel_route.paused', object: { kind: 'channel_route', id }, details: { route_name: name } }
      : undefined,
  wire: ChannelRouteWire,
  toWire: ({ route }) => routeToWire(route),
});

/** `POST /channel-routes/v1/:channel_route_id/resume`. Contract 02, section 5.7. */
export const resumeRoute = mutation({
  name: 'channelRoutes.resume',
  command: 'channel-route resume',
  effects: ['idempotent', 'openWorld'],
  summary: 'Tell a channel of events again: of what was queued before it was paused, and of what happens from now on.',
  access: onRoute(channelActions['channel:routes:write']),
  stepUp: 'channel.route',
  idempotency: 'required',
  reusedKeyCode: 'CHANNEL_IDEMPOTENCY_CONFLICT',
  lifecycle: 'gated',
  path: 'POST /channel-routes/v1/:channel_route_id/resume',
  input: z.object({ channel_route_id: routeId }),
  async handler(work, { channel_route_id: id }): Promise<Changed> {
    const { id: owner } = await lockOrgFor(work, work.org.id, channelActions['channel:routes:write']);
    const route = await lockRoute(work.rows, owner, id);
    requireKey(work.services, await keyOf(work.rows, route.communityId));
    if (route.status !== 'paused') return { route, isChanged: false };
    const [resumed] = await work.rows(resumeStatement.with({ id, cursor: await headOf(work.rows, owner) }));
    await work.rows(armStatement.with({ routeId: id }));
    work.afterCommit(() => work.services.channelPublishing.wake());
    return { route: resumed!, isChanged: true };
  },
  audit: ({ route: { id, name }, isChanged }) =>
    isChanged
      ? { action: 'channel_route.resumed', object: { kind: 'channel_route', id }, details: { route_name: name } }
      : undefined,
  wire: ChannelRouteWire,
  toWire: ({ route }) => routeToWire(route),
});

/** Lets a route rest, whose row the caller holds. What has happened before is queued, and waits. */
export async function pause(
  work: Work,
  route: ChannelRoute,
  reason: 'owner' | 'delivery_failures',
): Promise<ChannelRoute> {
  await takeEvents(work, route);
  const [paused] = await work.rows(pauseStatement.with({ id: route.id, pauseReason: reason }));
  return paused!;
}

const pauseStatement = statement(
  'channels.pause',
  { params: pick(channelRoutes, 'id', 'pauseReason'), row: routeColumns },
  ({ id, pauseReason }, row) =>
    sql`update ${channelRoutes} ${setOf(channelRoutes, {
      status: sql`'paused'`,
      resumesAs: sql`${channelRoutes.status}`,
      pauseReason,
      pausedAt: sql`now()`,
      revision: sql`${channelRoutes.revision} + 1`,
      updatedAt: sql`now()`,
    })} where ${channelRoutes.id} = ${id} returning ${row}`,
);

// A node that has it still looks again once it lets go of it.
const resumeStatement = statement(
  'channels.resume',
  { params: pick(channelRoutes, 'id', 'cursor'), row: routeColumns },
  ({ id, cursor }, row) =>
    sql`update ${channelRoutes} ${setOf(channelRoutes, {
      cursor,
      status: sql`coalesce(${channelRoutes.resumesAs}, 'pending_authorization')`,
      resumesAs: sql`null`,
      pauseReason: sql`null`,
      pausedAt: sql`null`,
      failures: sql`0`,
      dueAt: sql`case when ${channelRoutes.lease} is null then now() else ${channelRoutes.dueAt} end`,
      revision: sql`${channelRoutes.revision} + 1`,
      updatedAt: sql`now()`,
    })} where ${channelRoutes.id} = ${id} returning ${row}`,
);

const armStatement = statement(
  'channels.arm',
  { params: pick(channelDeliveries, 'routeId') },
  ({ routeId: route }) => sql`update ${channelDeliveries}
    ${setOf(channelDeliveries, { nextAttemptAt: sql`now()`, armedAt: sql`now()`, attempts: sql`0` })}
    where ${channelDeliveries.routeId} = ${route} and ${channelDeliveries.nextAttemptAt} is not null`,
);
