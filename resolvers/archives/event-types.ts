import { z } from 'zod';
import { event, events } from '../../kernel/feeds/event-types.ts';

const archive = z.object({ archive_id: z.string() });
const made = z.object({ import_id: z.string(), project_id: z.string() });
const failure = z.object({ error_code: z.string(), message: z.string() });

/** What becomes of archives of projects, and of projects that are made of archives. */
export const archiveEventTypes = events({
  archive_ready: event({ class: 'lifecycle', level: 'project', payload: archive }),
  archive_failed: event({ class: 'lifecycle', level: 'project', payload: archive.extend(failure.shape) }),
  archive_imported: event({ class: 'lifecycle', level: 'project', payload: made }),
  archive_import_failed: event({ class: 'lifecycle', level: 'org', payload: made.extend(failure.shape) }),
});
