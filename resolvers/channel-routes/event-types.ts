import { z } from 'zod';
import { event, events } from '../../kernel/feeds/event-types.ts';

/** What the events tell of here. Contract 02, section 1.5. */
export const channelEvents = events({
  channel_route_auto_paused: event({
    class: 'security',
    title: 'A channel is no longer told of events',
    level: 'org',
    payload: z.object({
      route_id: z.string(),
      route_name: z.string(),
      consecutive_hard_failures: z.int().min(0),
      pause_reason: z.literal('delivery_failures'),
    }),
    nextActions: ({ payload }) => [
      {
        type: 'retry',
        method: 'POST',
        path: `/channel-routes/v1/${payload.route_id}/resume`,
        command: `svc channel-route resume ${payload.route_id}`,
        why: 'Resume the route once its channel takes messages again.',
      },
    ],
  }),
});
