import { z } from 'zod';
import { event, events } from '../../kernel/feeds/event-types.ts';

/** Of systems that are yet to come: their names are taken, so that no application gives one to an event of its own. */
export const comingEvents = events({
  project_transfer_completed: event({
    class: 'destructive_lifecycle',
    title: 'A project was handed over',
    level: 'project',
    payload: z.object({ transfer_id: z.string(), from_org_id: z.string(), to_org_id: z.string() }),
  }),
});
