import { z } from 'zod';
import { event, events } from '../../kernel/feeds/event-types.ts';

/** What the events tell of here. Contract 02, section 1.5. */
export const roomEvents = events({
  agent_message_sent: event({
    class: 'coordination',
    level: 'any',
    payload: z.object({
      room_key: z.string(),
      message_id: z.string(),
      sender: z.string(),
      importance: z.enum(['normal', 'high']),
      thread_id: z.string().nullable(),
      recipients: z.array(z.string()),
      body_snippet: z.string(),
      body_truncated: z.boolean(),
    }),
    nextActions: ({ orgId, payload }) => [
      {
        type: 'read_message',
        method: 'GET',
        path: `/orgs/v1/${orgId}/rooms/${encodeURIComponent(payload.room_key)}/messages/${payload.message_id}`,
      },
    ],
  }),
});
