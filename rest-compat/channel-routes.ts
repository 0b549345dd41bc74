import { listRouteDeliveries } from '../resolvers/channel-routes/list-deliveries.ts';
import { route } from './route.ts';

/** The one path of channel routes that is not as plain as the others. Contract 02, section 5.7. */
export const channelRouteRoutes = [
  route('GET', '/channel-routes/v1/:channel_route_id/deliveries', 200, listRouteDeliveries, {
    after: 'query cursor',
    before: null,
    from_end: null,
  }),
];
