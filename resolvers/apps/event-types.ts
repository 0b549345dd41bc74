import { z } from 'zod';
import { event, events } from '../../kernel/feeds/event-types.ts';

const version = z.object({ version_id: z.string(), version: z.int() });
const fork = z.object({ version_id: z.string(), project_id: z.string() });

/** What becomes of published versions and of forks. */
export const appEventTypes = events({
  app_published: event({ class: 'lifecycle', level: 'project', payload: version }),
  app_publish_failed: event({
    class: 'lifecycle',
    level: 'project',
    payload: version.extend({ error_code: z.string(), message: z.string() }),
  }),
  app_forked: event({ class: 'lifecycle', level: 'project', payload: fork }),
  app_fork_failed: event({
    class: 'lifecycle',
    level: 'org',
    payload: fork.extend({ error_code: z.string(), message: z.string() }),
  }),
});
