import { z } from 'zod';
import { event, events } from '../../kernel/feeds/event-types.ts';

/** What the events tell of here. Contract 02, section 1.5. */
export const errorEvents = events({
  error_fingerprints_observed: event({
    class: 'lifecycle',
    title: 'New errors after a deploy',
    notice: 'critical',
    level: 'project',
    payload: z.object({
      release_id: z.string(),
      new_fingerprints: z.int().min(0),
      fingerprints: z
        .array(
          z.object({
            fingerprint_id: z.string(),
            function: z.string(),
            kind: z.string(),
            error_name: z.string(),
            message_template: z.string(),
          }),
        )
        .max(10),
      first_seen: z.string(),
    }),
    nextActions: ({ projectId, payload }) => [
      { type: 'check_errors', command: `svc errors --project ${projectId} --new-in ${payload.release_id}` },
    ],
  }),
});
