import { z } from 'zod';
import { event, events } from '../../kernel/feeds/event-types.ts';

/** What the events tell of here, to both organizations. Contract 02, section 1.5. */
export const transferEvents = events({
  project_transfer_completed: event({
    class: 'destructive_lifecycle',
    title: 'A project was handed over',
    level: 'project',
    payload: z.object({ transfer_id: z.string(), from_org_id: z.string(), to_org_id: z.string() }),
  }),
});
