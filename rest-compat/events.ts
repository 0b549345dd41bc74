import { type EmittedEvent, emitEvent } from '../resolvers/events/emit-event.ts';
import { listOrgEvents, listProjectEvents } from '../resolvers/events/list-events.ts';
import { type RestRequest, route } from './route.ts';

const page = ({ query }: RestRequest) => ({
  cursor: query.cursor,
  limit: query.limit,
  source: query.source,
  event_type: query.event_type,
});

/** Paths of the feeds of events. Contract 02, section 1. */
export const eventRoutes = [
  route('GET', '/projects/v1/:project_id/events', 200, listProjectEvents, (request) => ({
    project: request.params.project_id,
    ...page(request),
  })),
  route('GET', '/orgs/v1/:org_id/events', 200, listOrgEvents, (request) => ({
    org: request.params.org_id,
    ...page(request),
  })),
  route(
    'POST',
    '/projects/v1/:project_id/events',
    { usual: 201, of: ({ deduplicated }: EmittedEvent) => (deduplicated ? 200 : 201) },
    emitEvent,
    ({ params, body }) => ({
      project: params.project_id,
      event_type: body.event_type,
      payload: body.payload,
      idempotency_key: body.idempotency_key,
    }),
  ),
];
