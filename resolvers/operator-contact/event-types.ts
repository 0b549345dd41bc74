import { z } from 'zod';
import { event, events } from '../../kernel/feeds/event-types.ts';

/** What the events tell of here. Contract 02, section 1.5. */
export const operatorContactEvents = events({
  verification_failed: event({
    class: 'verification',
    title: 'An address could not be verified',
    level: 'org',
    payload: z.object({
      subject: z.enum(['contact_email', 'domain']),
      reason: z.string(),
      attempt_count: z.int().min(0),
      remaining_attempts: z.int().min(0),
    }),
    nextActions: () => [{ type: 'retry', why: 'Ask for a new verification and answer that one.' }],
  }),
});
