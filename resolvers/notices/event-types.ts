import { z } from 'zod';
import { event, events } from '../../kernel/feeds/event-types.ts';

/** What the events tell of here. Contract 02, section 1.5. */
export const noticeEvents = events({
  webhook_disabled: event({
    class: 'lifecycle',
    title: 'Notices are no longer posted to your webhook',
    notice: 'critical',
    level: 'org',
    payload: z.object({ target: z.literal('operator_webhook'), consecutive_failures: z.int().min(0) }),
    nextActions: () => [
      {
        type: 'edit_request',
        command: 'svc contacts preferences set',
        why: 'Name an address that answers, or rotate its secret.',
      },
    ],
  }),
});
