import type { ProjectScope } from '../../../kernel/access/access.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { eventCursor, viewOf } from '../event-view.ts';
import { readEvents } from '../read-events.ts';

/** The cursor behind the newest event of a project: whatever is told next comes after it. */
export async function cursorNow({ services, org, project }: Context & ProjectScope): Promise<string> {
  const view = viewOf({ org, project }, {});
  const slice = await readEvents(services.db, view, undefined, 1, 'desc');
  return eventCursor(services.keys, view, slice.head, slice);
}
