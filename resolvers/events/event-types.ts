import { z } from 'zod';
import { event, events } from '../../kernel/feeds/event-types.ts';

/** Of systems that are yet to come: their names are taken, so that no application gives one to an event of its own. */
export const comingEvents = events({
  channel_route_auto_paused: event({
    class: 'security',
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
        why: 'Resume the route once its channel takes messages again.',
      },
    ],
  }),
});
