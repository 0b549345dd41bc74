import { z } from 'zod';
import { event, events } from '../../kernel/feeds/event-types.ts';

export const mailboxEventTypes = events({
  mailbox_suspended: event({
    class: 'security',
    title: 'A mailbox was suspended',
    level: 'project',
    payload: z.object({
      mailbox_id: z.string(),
      address: z.string(),
      reason: z.enum(['complaint', 'hard_bounces', 'operator']),
    }),
    nextActions: ({ payload }) => [
      { type: 'check_mailbox', method: 'GET', path: `/mailboxes/v1/${payload.mailbox_id}` },
    ],
  }),
});
