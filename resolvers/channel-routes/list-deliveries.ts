import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { channelDeliveries } from '../../db/schema/channel-routes.ts';
import { pick, statement, typed } from '../../db/sql.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import { channelActions } from './actions.ts';
import { type ChannelDelivery, ChannelRouteDeliveryWire, deliveryColumns, deliveryToWire } from './delivery.ts';
import { findRoute, onRoute, routeId } from './route.ts';

/** `GET /channel-routes/v1/:channel_route_id/deliveries`. Contract 02, section 5.7. */
export const listRouteDeliveries = query({
  name: 'channelRoutes.deliveries',
  tool: 'list_channel_route_deliveries',
  command: 'channel-route deliveries',
  summary: 'What a channel was told in the last 90 days, or is to be, newest first.',
  access: onRoute(channelActions['channel:routes:read']),
  input: z.object({
    channel_route_id: routeId,
    delivery_id: z.string().min(1).max(256).optional().describe('Only this one, `chrd_…`.'),
    ...listWindow,
  }),
  async handler(
    ctx,
    { channel_route_id: id, delivery_id: delivery = null, ...window },
  ): Promise<ListPage<ChannelDelivery>> {
    const { db, keys } = ctx.services;
    await findRoute(db.rows, ctx.org.id, id);
    const list = newestFirst(keys, `channel-deliveries:${id}`);
    const asked = { routeId: id, delivery, ...list.positionOf(window), limit: window.limit + 1 };
    return list.pageOf(await db.rows(list.statementOf(window, listStatements).with(asked)), window);
  },
  wire: z.object({
    channel_route_deliveries: z.array(ChannelRouteDeliveryWire),
    has_more: z.boolean(),
    next_cursor: z.string().optional(),
  }),
  toWire: (page) => {
    const { has_more: hasMore, next_cursor: next } = pageToWire(page);
    return {
      channel_route_deliveries: page.rows.map(({ row }) => deliveryToWire(row)),
      has_more: hasMore,
      ...(next === null ? {} : { next_cursor: next }),
    };
  },
});

const listStatements = bothWays(channelDeliveries, (way) =>
  statement(
    `channels.list-deliveries-${way.name}`,
    {
      params: {
        ...pick(channelDeliveries, 'routeId'),
        delivery: typed<string | null>('text'),
        ...way.params,
        limit: typed<number>('bigint'),
      },
      row: deliveryColumns,
    },
    ({ routeId: route, delivery, limit, ...given }, row) => sql`select ${row} from ${channelDeliveries}
      where ${channelDeliveries.routeId} = ${route} and ${way.beyond(given)}
        and coalesce(${channelDeliveries.id} = ${delivery}::text, true) ${way.order} limit ${limit}`,
  ),
);
