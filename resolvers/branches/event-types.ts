import { z } from 'zod';
import { event, events } from '../../kernel/feeds/event-types.ts';

const branch = z.object({ branch_project_id: z.string(), name: z.string() });

/** What becomes of the branches of a project. */
export const branchEventTypes = events({
  branch_ready: event({ class: 'lifecycle', level: 'project', payload: branch }),
  branch_failed: event({
    class: 'lifecycle',
    level: 'project',
    payload: branch.extend({ error_code: z.string(), message: z.string() }),
  }),
  branch_deleted: event({
    class: 'lifecycle',
    level: 'project',
    payload: branch.extend({ reason: z.enum(['asked', 'expired', 'rehearsed']) }),
  }),
});
