import { z } from 'zod';
import { event, events } from '../../kernel/feeds/event-types.ts';

export const checkoutEventTypes = events({
  auto_recharge_stopped: event({
    class: 'billing_critical',
    title: 'Mail credits are no longer bought by themselves',
    level: 'org',
    payload: z.object({ reason: z.string() }),
    nextActions: ({ orgId }) => [
      { type: 'set_auto_recharge', method: 'PATCH', path: `/orgs/v1/${orgId}/billing/auto-recharge` },
    ],
  }),
});
