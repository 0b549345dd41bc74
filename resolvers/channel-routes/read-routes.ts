import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import {
  type ChannelDeliveryState,
  channelDeliveries,
  channelDeliveryStates,
  channelRoutes,
} from '../../db/schema/channel-routes.ts';
import { computed, pick, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import { onOrg } from '../../kernel/access/access.ts';
import { orgId } from '../../kernel/input/fields.ts';
import type { Services } from '../../kernel/run/context.ts';
import { query } from '../../kernel/run/operation.ts';
import { channelActions } from './actions.ts';
import {
  type ChannelRoute,
  ChannelRouteWire,
  findRoute,
  onRoute,
  routeColumns,
  routeId,
  routeToWire,
} from './route.ts';
import { findKey, openKey } from './signing-keys.ts';
import { headOf } from './take-events.ts';

/** `GET /channel-routes/v1`. Contract 02, section 5.7. */
export const listRoutes = query({
  name: 'channelRoutes.list',
  tool: 'get_channel_route',
  command: 'channel-route list',
  summary: 'The newest two hundred channels that an organization has its events told in, revoked ones among them.',
  access: onOrg(channelActions['channel:routes:read'], ({ org_id: id }: { org_id: string }) => id),
  path: 'GET /channel-routes/v1',
  input: z.object({ org_id: orgId }),
  handler: ({ services, org }): Promise<readonly ChannelRoute[]> =>
    services.db.rows(listStatement.with({ orgId: org.id })),
  wire: z.object({ channel_routes: z.array(ChannelRouteWire) }),
  toWire: (routes) => ({ channel_routes: routes.map(routeToWire) }),
});

export const routeHealths = ['active', 'paused', 'pending_authorization', 'signing_unavailable', 'revoked'] as const;

export const keyStates = ['pending_authorization', 'active', 'revoked'] as const;

/** How a route stands, beside what it is. */
export interface RouteDetail {
  readonly health: (typeof routeHealths)[number];
  readonly keyState: (typeof keyStates)[number];
  readonly counts: Readonly<Record<ChannelDeliveryState, number>>;
  readonly oldestPendingAt: Date | null;
  readonly newestPosition: bigint | null;
}

export interface DetailedRoute {
  readonly route: ChannelRoute;
  readonly detail: RouteDetail;
}

/** `GET /channel-routes/v1/:channel_route_id`. Contract 02, section 5.7. */
export const getRoute = query({
  name: 'channelRoutes.get',
  tool: 'get_channel_route',
  command: 'channel-route status',
  summary: 'A channel that events are told in: how it stands, and what waits.',
  access: onRoute(channelActions['channel:routes:read']),
  path: 'GET /channel-routes/v1/:channel_route_id',
  input: z.object({ channel_route_id: routeId }),
  async handler({ services, org }, { channel_route_id: id }): Promise<DetailedRoute> {
    const route = await findRoute(services.db.rows, org.id, id);
    return { route, detail: await detailOf(services, route) };
  },
  wire: ChannelRouteWire.extend({
    health: z.enum(routeHealths),
    notification_principal_status: z.enum(keyStates),
    delivery_counts: z.record(z.enum(channelDeliveryStates), z.int()),
    oldest_pending_created_at: z.iso.datetime().nullable(),
    newest_project_event_id: z.int().nullable(),
    consumer_cursor: z.int().nullable(),
  }),
  toWire: ({ route, detail }) => ({
    ...routeToWire(route),
    health: detail.health,
    notification_principal_status: detail.keyState,
    delivery_counts: detail.counts,
    oldest_pending_created_at: detail.oldestPendingAt?.toISOString() ?? null,
    newest_project_event_id: detail.newestPosition === null ? null : Number(detail.newestPosition),
    consumer_cursor: Number(route.cursor),
  }),
});

/** How a route stands. */
export async function detailOf(services: Services, route: ChannelRoute): Promise<RouteDetail> {
  const { rows } = services.db;
  const [[key], counted, head] = await Promise.all([
    rows(findKey.with({ id: route.keyId })),
    countsOf(rows, route.id),
    headOf(rows, route.orgId),
  ]);
  const isUsable = key !== undefined && openKey(services, key) !== undefined;
  const isDestroyed = key === undefined || key.sealed === null;
  return {
    ...counted,
    health: isUsable || route.status === 'revoked' ? route.status : 'signing_unavailable',
    keyState: isDestroyed ? 'revoked' : key.authorizedAt === null ? 'pending_authorization' : 'active',
    newestPosition: head === 0n ? null : head,
  };
}

async function countsOf(rows: Rows, routeId: string): Promise<Pick<RouteDetail, 'counts' | 'oldestPendingAt'>> {
  const found = await rows(countStatement.with({ routeId }));
  const none = Object.fromEntries(channelDeliveryStates.map((state) => [state, 0])) as Record<
    ChannelDeliveryState,
    number
  >;
  const waiting = found.flatMap(({ oldestPendingAt: at }) => (at === null ? [] : [at.getTime()]));
  return {
    counts: Object.assign(none, Object.fromEntries(found.map(({ status, count }) => [status, count]))),
    oldestPendingAt: waiting.length === 0 ? null : new Date(Math.min(...waiting)),
  };
}

const listStatement = statement(
  'channels.list-routes',
  { params: pick(channelRoutes, 'orgId'), row: routeColumns },
  ({ orgId: owner }, row) => sql`select ${row} from ${channelRoutes} where ${channelRoutes.orgId} = ${owner}
    order by ${channelRoutes.createdAt} desc, ${channelRoutes.id} desc limit 200`,
);

const countStatement = statement(
  'channels.count-deliveries',
  {
    params: pick(channelDeliveries, 'routeId'),
    row: {
      ...pick(channelDeliveries, 'status'),
      count: computed<number>('integer', sql`count(*)::int`),
      oldestPendingAt: computed<Date | null>(
        'timestamp with time zone',
        sql`min(${channelDeliveries.createdAt}) filter (where ${channelDeliveries.nextAttemptAt} is not null)`,
      ),
    },
  },
  ({ routeId: route }, row) => sql`select ${row} from ${channelDeliveries}
    where ${channelDeliveries.routeId} = ${route} group by ${channelDeliveries.status}`,
);
