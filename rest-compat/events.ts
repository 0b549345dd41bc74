import { type EmittedEvent, emitEvent } from '../resolvers/events/emit-event.ts';
import { listOrgEvents, listProjectEvents } from '../resolvers/events/list-events.ts';
import { route } from './route.ts';

/** Paths of the feeds of events. Contract 02, section 1. */
export const eventRoutes = [
  route('GET', '/projects/v1/:project_id/events', 200, listProjectEvents, { order: null, before: null }),
  route('GET', '/orgs/v1/:org_id/events', 200, listOrgEvents, { order: null, before: null }),
  route(
    'POST',
    '/projects/v1/:project_id/events',
    { usual: 201, of: ({ deduplicated }: EmittedEvent) => (deduplicated ? 200 : 201) },
    emitEvent,
  ),
];
