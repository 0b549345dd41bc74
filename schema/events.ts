import { dropNulls } from '../core/drop-nulls.ts';
import type { Context } from '../kernel/run/context.ts';
import { type EmittedEvent, emitEvent, emittedActions, emittedCursor } from '../resolvers/events/emit-event.ts';
import { listOrgEvents, listProjectEvents } from '../resolvers/events/list-events.ts';
import type { EventRow } from '../resolvers/events/read-events.ts';
import { cursorOf, type EventPage, eventId, nextActionsOf } from '../resolvers/events/wire.ts';
import type { OpenIncident } from '../resolvers/incidents/shared/open-incidents.ts';
import { type FollowedEvent, followEvents } from '../subscriptions/events.ts';
import { builder, pageArgs, sameForAll } from './builder.ts';
import { around, type PageArgs, SealedEdge, toConnection, windowOf } from './connection.ts';
import { eventFields, followArgs, followed } from './following.ts';
import { nativeId } from './global-id.ts';
import { keyed, keyField } from './idempotency.ts';
import { projectField } from './input-fields.ts';
import { fieldOf } from './operation-field.ts';
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

const filterArgs = builder.args((t) => ({
  source: t.field({ type: EventSourceEnum, required: false, description: 'Only what this source tells.' }),
  types: t.stringList({ required: false, description: 'Only events of these types, at most 100.' }),
}));

const viewArgs = { ...pageArgs, ...filterArgs };

interface ViewArgs extends PageArgs {
  readonly source?: EventRow['source'] | null | undefined;
  readonly types?: readonly string[] | null | undefined;
}

const spelling = { event_type: 'types', cursor: 'after' };

const filterOf = ({ source, types }: ViewArgs) => dropNulls({ source, event_type: types && [...types] });

/** What a page is read by. */
function inputOf(args: ViewArgs) {
  const { limit, cursor, backward } = windowOf(args);
  const where = backward ? { order: 'desc' as const, before: cursor } : { cursor };
  return dropNulls({ limit, ...filterOf(args), ...where });
}

function eventsPage(ctx: Context, page: EventPage, args: ViewArgs): EventsPage {
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
      eventsPage(ctx, await run(listProjectEvents, ctx, { project: id, ...inputOf(args) }, spelling), args),
  }),
);

builder.objectField(OrganizationRef, 'events', (t) =>
  t.field({
    type: EventConnection,
    nullable: true,
    ...fieldOf(listOrgEvents),
    args: viewArgs,
    resolve: async ({ id }, args, ctx) =>
      eventsPage(ctx, await run(listOrgEvents, ctx, { org: id, ...inputOf(args) }, spelling), args),
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

const EmitEventInput = builder.inputType('EmitEventInput', {
  description: 'Something that happened in an application.',
  fields: (t) => ({
    ...projectField(t),
    eventType: t.string({ description: 'Name of the fact: 3 to 64 lower-case letters, digits and underscores.' }),
    payload: t.field({
      type: 'JSONObject',
      required: false,
      description: 'Ids and facts, at most 8 KiB: of a larger one the largest keys are left out, and named.',
    }),
    onceKey: t.string({
      required: false,
      description: 'The same key tells once in its project, for ever, whatever else is said; 1 to 256 characters.',
    }),
    ...keyField(t),
  }),
});

builder.mutationField('emitEvent', (t) =>
  t.field({
    type: EmittedEventRef,
    nullable: true,
    ...fieldOf(emitEvent),
    authScopes: { credential: true },
    args: { input: t.arg({ type: EmitEventInput, description: 'The event.' }) },
    resolve: (_root, { input: { project, eventType, payload, onceKey, idempotencyKey } }, ctx) =>
      run(
        emitEvent,
        keyed(ctx, idempotencyKey ?? undefined),
        {
          project: nativeId('Project', project),
          event_type: eventType,
          ...dropNulls({ payload, idempotency_key: onceKey }),
        },
        { idempotency_key: 'onceKey' },
      ),
  }),
);

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

builder.subscriptionField('events', (t) =>
  t.field({
    type: FollowedEventRef,
    description: 'What happened in a project or an organization from a cursor on, then what happens.',
    ...followed,
    args: {
      org: t.arg.id({
        required: false,
        description: 'Organization that is followed with all its projects; with `project` its owner.',
      }),
      project: t.arg.id({ required: false, description: 'Project that is followed, by global or native id.' }),
      ...filterArgs,
      ...followArgs,
    },
    subscribe: (_root, { org, project, source, types, after, first }, ctx) =>
      followEvents(
        ctx,
        dropNulls({
          org: org == null ? null : nativeId('Organization', org),
          project: project == null ? null : nativeId('Project', project),
          source,
          types,
          after,
          first,
        }),
      ),
    resolve: (event) => event,
  }),
);
