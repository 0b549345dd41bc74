import { dropNulls } from '../core/drop-nulls.ts';
import type { Context } from '../kernel/run/context.ts';
import { type EmittedEvent, emitEvent, emittedActions, emittedCursor } from '../resolvers/events/emit-event.ts';
import { listOrgEvents, listProjectEvents } from '../resolvers/events/list-events.ts';
import { openEvents } from '../resolvers/events/open-events.ts';
import type { EventRow } from '../resolvers/events/read-events.ts';
import { cursorOf, type EventPage, eventId, nextActionsOf } from '../resolvers/events/wire.ts';
import type { OpenIncident } from '../resolvers/incidents/shared/open-incidents.ts';
import { type FollowedEvent, followEvents } from '../subscriptions/events.ts';
import { builder, pageArgs, sameForAll } from './builder.ts';
import { around, type PageArgs, SealedEdge, toConnection, windowOf } from './connection.ts';
import { eventFields, followArgs, followed } from './following.ts';
import { changeField, fieldOf, inputsOf } from './operation-field.ts';
import { OrganizationRef } from './orgs.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const EventSourceEnum = builder.enumType('EventSource', {
  description: 'Who tells of an event.',
  values: {
    APP: { value: 'app', description: 'An application.' },
    PLATFORM: { value: 'platform', description: 'The platform.' },
  } as const,
});

const EventRef = builder.objectRef<EventRow>('Event').implement({
  description: 'Something that happened. What it means is told by its source and its type together.',
  fields: (t) => ({
    eventId: t.string({
      ...sameForAll,
      description: 'Names the fact, `evc_…`, in every feed that has it; it is no cursor.',
      resolve: eventId,
    }),
    projectId: t.exposeString('projectId', {
      nullable: true,
      description: 'Project it happened in, `prj_…`, which may be gone; null for the organization as a whole.',
    }),
    type: t.exposeString('type', { description: 'What kind of fact it is, for example `agent_message_sent`.' }),
    class: t.exposeString('class', { description: 'How it is treated; decides how long it is kept.' }),
    source: t.expose('source', { type: EventSourceEnum, description: 'Who tells of it.' }),
    occurredAt: t.expose('occurredAt', { type: 'DateTime', description: 'When it happened.' }),
    payload: t.expose('payload', { type: 'JSONObject', description: 'Ids and facts, at most 8 KiB.' }),
    nextActions: t.field({
      ...sameForAll,
      type: ['JSONObject'],
      description: 'Where to look next, as in errors; advisory.',
      resolve: (event) => nextActionsOf(event),
    }),
  }),
});

const IncidentOverlayRef = builder.objectRef<OpenIncident>('OpenPlatformIncident').implement({
  description: 'A fault of the platform’s that is open and of nobody in particular.',
  fields: (t) => ({
    incidentId: t.exposeString('id', { description: 'Native id, `inc_…`.' }),
    subsystem: t.exposeString('subsystem', { description: 'What does not work as it should.' }),
    severity: t.exposeString('severity', { description: '`minor`, `major` or `critical`.' }),
    scope: t.exposeString('scope', { description: '`global`: nobody’s in particular.' }),
    status: t.exposeString('status', { description: '`ongoing`.' }),
    summary: t.exposeString('summary', { description: 'What is known.' }),
    startedAt: t.field({
      type: 'DateTime',
      description: 'When it began.',
      resolve: ({ started_at: at }) => new Date(at),
    }),
  }),
});

interface EventEdge {
  readonly node: EventRow;
  readonly cursor: string;
}

const EventEdgeRef = builder.objectRef<EventEdge>('EventEdge').implement({
  description: 'A row of a page.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', { description: 'Where the row stands in this view: for `after` and `before`.' }),
    node: t.expose('node', { type: EventRef, description: 'The row itself.' }),
  }),
});

type EventsPage = EventPage & ReturnType<typeof toConnection<EventRow>>;

const EventConnection = builder.objectRef<EventsPage>('EventConnection').implement({
  description: 'A page of events, and how things stand.',
  fields: (t) => ({
    edges: t.expose('edges', { type: [EventEdgeRef], description: 'The rows of the page, oldest first.' }),
    pageInfo: t.expose('pageInfo', {
      type: builder.pageInfoRef(),
      description: 'Where the page ends, and whether there is more.',
    }),
    cursor: t.exposeString('cursor', {
      description: 'Where to read on, as `after`; of an empty page the cursor that was given.',
    }),
    reset: t.exposeBoolean('reset', {
      description: 'Whether the cursor could not be used here, so that the page starts at the earliest event kept.',
    }),
    earliestCursor: t.exposeString('earliestCursor', {
      nullable: true,
      description: 'Right before the earliest event of this view that is kept; only with `reset`.',
    }),
    platformIncidents: t.field({
      type: [IncidentOverlayRef],
      description: 'Faults of the platform’s that are open and of nobody in particular.',
      resolve: ({ incidents }) => [...incidents],
    }),
    platformStatus: t.string({
      nullable: true,
      description:
        '`degraded` while a fault is open that is everybody’s or touches what is read; null when all is well.',
      resolve: ({ degraded }) => (degraded ? 'degraded' : null),
    }),
  }),
});

const viewed = {
  rename: { event_type: 'types', cursor: 'after' },
  types: { source: EventSourceEnum },
  describe: { source: 'Only what this source tells.', event_type: 'Only events of these types, at most 100.' },
} as const;

const filters = inputsOf(listOrgEvents, { ...viewed, omit: ['org', 'cursor', 'limit', 'order', 'before'] });
const viewArgs = { ...pageArgs, ...filters.args };

/** What a page is read by. */
function inputOf(args: PageArgs) {
  const { limit, cursor, backward } = windowOf(args);
  const where = backward ? { order: 'desc' as const, before: cursor } : { cursor };
  return { ...filters.read(args), ...dropNulls({ limit, ...where }) };
}

function eventsPage(ctx: Context, page: EventPage, args: PageArgs): EventsPage {
  const window = windowOf(args);
  const seal = (event: EventRow) => cursorOf(ctx, page.view, event);
  const rows = page.events.map((event) => new SealedEdge(event, seal));
  return {
    ...page,
    ...toConnection({ rows, ...around(page.reset ? { ...window, cursor: undefined } : window, page.hasMore) }),
  };
}

builder.objectField(ProjectRef, 'events', (t) =>
  t.field({
    type: EventConnection,
    nullable: true,
    ...fieldOf(listProjectEvents),
    args: viewArgs,
    resolve: async ({ id }, args, ctx) =>
      eventsPage(ctx, await run(listProjectEvents, ctx, { project: id, ...inputOf(args) }, viewed.rename), args),
  }),
);

builder.objectField(OrganizationRef, 'events', (t) =>
  t.field({
    type: EventConnection,
    nullable: true,
    ...fieldOf(listOrgEvents),
    args: viewArgs,
    resolve: async ({ id }, args, ctx) =>
      eventsPage(ctx, await run(listOrgEvents, ctx, { org: id, ...inputOf(args) }, viewed.rename), args),
  }),
);

const EmittedEventRef = builder.objectRef<EmittedEvent>('EmittedEvent').implement({
  description: 'An event that an application told of.',
  fields: (t) => ({
    event: t.expose('event', { type: EventRef, description: 'The event; of a repeated key the first one.' }),
    cursor: t.string({
      description: 'Right after it in the unfiltered view of its project.',
      resolve: (emitted, _args, ctx) => emittedCursor(emitted, ctx),
    }),
    nextActions: t.field({
      type: ['JSONObject'],
      description: 'How to hear of what comes after it.',
      resolve: (emitted, _args, ctx) => emittedActions(emitted, ctx).map((action) => ({ ...action })),
    }),
    deduplicated: t.exposeBoolean('deduplicated', {
      description: 'Whether it was told before under its key, so that nothing was written.',
    }),
    payloadTruncated: t.exposeBoolean('truncated', {
      description: 'Whether keys were left out of its payload, which names them, because it was too large.',
    }),
  }),
});

changeField('emitEvent', emitEvent, {
  type: EmittedEventRef,
  input: 'Something that happened in an application.',
  argument: 'The event.',
  rename: { idempotency_key: 'onceKey' },
});

const FollowedEventRef = builder.objectRef<FollowedEvent>('FollowedEvent').implement({
  description: 'An event as it becomes known.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description: 'Resume the same view with this as `after`: nothing is missed, nothing comes twice.',
    }),
    event: t.expose('event', { ...sameForAll, type: EventRef, description: 'The event.' }),
    reset: t.exposeBoolean('reset', eventFields.reset),
  }),
});

const opened = inputsOf(openEvents, { ...viewed, omit: ['cursor'] });

builder.subscriptionField('events', (t) =>
  t.field({
    type: FollowedEventRef,
    description: 'What happened in a project or an organization from a cursor on, then what happens.',
    ...followed,
    args: { ...opened.args, ...followArgs },
    subscribe: (_root, { after, first, ...args }, ctx) => {
      const { event_type, ...target } = opened.read(args);
      const types = event_type as string[] | undefined;
      return followEvents(ctx, { ...target, ...dropNulls({ types, after, first }) });
    },
    resolve: (event) => event,
  }),
);
