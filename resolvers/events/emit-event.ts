import { z } from 'zod';
import type { NextAction } from '../../core/error-codes.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Statement } from '../../db/pool.ts';
import { onProject, type ProjectScope } from '../../kernel/access/access.ts';
import { callerKey } from '../../kernel/access/caller.ts';
import type { FeedAppend, Work } from '../../kernel/durability/unit-of-work.ts';
import { eventsFeedName } from '../../kernel/feeds/append-event.ts';
import { eventTypes, keptDays } from '../../kernel/feeds/event-types.ts';
import { fitPayload } from '../../kernel/feeds/fit-payload.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { jsonObject } from '../../kernel/input/json-object.ts';
import { spendDaily } from '../../kernel/limits/daily-quota.ts';
import { limitsOf } from '../../kernel/limits/limits.ts';
import type { Context } from '../../kernel/run/context.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { wholeProject } from './event-view.ts';
import type { EventRow } from './read-events.ts';
import { eventActions } from './shared/actions.ts';
import { cursorOf, NextActionWire, pollAfter } from './wire.ts';

const typePattern = /^[a-z][a-z0-9_]{2,63}$/;

type Mutable<Row> = { -readonly [Name in keyof Row]: Row[Name] };

export interface EmittedEvent {
  /** Its position is set when it is written, just before the commit. */
  readonly event: Mutable<EventRow>;
  /** Keys were left out of the payload because it was too large. */
  readonly truncated: boolean;
  /** An earlier one with the same key: nothing was written. */
  readonly deduplicated: boolean;
  /** What it is found by again: the application's own key, or one made of the request's. */
  readonly appKey: string | null;
  readonly onceKey: string | null;
}

/** `POST /projects/v1/:project_id/events`. Contract 02, section 1.6. */
export const emitEvent = mutation({
  name: 'events.emit',
  tool: 'emit_event',
  command: 'events emit',
  summary: 'Tell of something that happened in an application.',
  access: onProject(eventActions['event:emit'], ({ project }: { project: string }) => project),
  lifecycle: 'gated',
  input: z.object({
    project: projectId,
    event_type: z
      .string()
      .describe('Name of the fact: 3 to 64 lower-case letters, digits and underscores.')
      .meta({ examples: ['order_paid'] }),
    payload: jsonObject({ depth: 100 })
      .default({})
      .describe('Ids and facts, at most 8 KiB: of a larger one the largest keys are left out, and named.'),
    idempotency_key: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('The same key tells once in its project, for ever, whatever else is said; 1 to 256 characters.'),
  }),
  async handler(work, input): Promise<EmittedEvent> {
    const { event_type: type, idempotency_key: appKey = null } = input;
    if (!typePattern.test(type))
      throw new ServiceError('INVALID_EVENT_TYPE', { details: { field: 'event_type', event_type: type } });
    if (eventTypes.has(type))
      throw new ServiceError('RESERVED_EVENT_TYPE', { details: { field: 'event_type', event_type: type } });
    const { org, project } = work;
    const { payload, truncated } = fitPayload(input.payload);
    if (appKey !== null) {
      const told = await tellOnce(work, appKey, { type, payload, truncated });
      if (told !== undefined) return told;
    }
    await spendDaily(work, {
      orgId: org.id,
      resource: 'events_per_day',
      limit: limitsOf(org).eventsPerDay,
      message: 'The organization’s events of today are used up.',
    });
    const [clock] = await work.rows<{ now: Date }>(clockStatement, []);
    const event: EmittedEvent['event'] = {
      orgId: org.id,
      projectId: project.id,
      position: 0n,
      type,
      class: 'app',
      source: 'app',
      payload,
      occurredAt: clock!.now,
    };
    const { idempotencyKey, address } = work.request;
    const onceKey =
      idempotencyKey === undefined || appKey !== null
        ? null
        : `emit:${project.id}:${callerKey(await work.caller(), address)}:${idempotencyKey}`;
    const emitted = { event, truncated, deduplicated: false, appKey, onceKey };
    work.append(appendEmitted(emitted));
    return emitted;
  },
  // Its place in the log is given after the outcome is stored.
  async complete({ services }, emitted): Promise<EmittedEvent> {
    const { event, deduplicated, appKey, onceKey } = emitted;
    if (deduplicated) return emitted;
    const [placed] = await services.db.rows<{ position: bigint }>(
      ...((appKey === null
        ? [placeStatement, [event.orgId, onceKey]]
        : [appPlaceStatement, [event.projectId, appKey]]) as [Statement, unknown[]]),
    );
    return { ...emitted, event: { ...event, position: placed?.position ?? 0n } };
  },
  audit: ({ event, deduplicated }) =>
    deduplicated
      ? undefined
      : {
          action: 'event.emitted',
          object: { kind: 'project', id: event.projectId! },
          details: { event_type: event.type },
        },
  wire: z.object({
    cursor: z.string(),
    event_type: z.string(),
    class: z.literal('app'),
    source: z.literal('app'),
    payload: z.record(z.string(), z.unknown()),
    payload_truncated: z.literal(true).optional(),
    occurred_at: z.iso.datetime(),
    deduplicated: z.boolean(),
    next_actions: z.array(NextActionWire),
  }),
  toWire: (emitted, ctx) => {
    const { event, truncated, deduplicated } = emitted;
    const cursor = emittedCursor(emitted, ctx);
    return {
      cursor,
      event_type: event.type,
      class: 'app' as const,
      source: 'app' as const,
      payload: event.payload,
      ...(truncated ? { payload_truncated: true as const } : {}),
      occurred_at: event.occurredAt.toISOString(),
      deduplicated,
      next_actions: emittedActions(emitted, ctx).map((action) => ({ ...action })),
    };
  },
});

/** The cursor right after an event that was emitted, in the unfiltered view of its project. */
export const emittedCursor = ({ event }: EmittedEvent, ctx: Pick<Context, 'services'>): string =>
  cursorOf(ctx, wholeProject(event.orgId, event.projectId!), event);

/** How to hear of what comes after an event that was emitted. */
export const emittedActions = (emitted: EmittedEvent, ctx: Pick<Context, 'services'>): readonly NextAction[] => [
  pollAfter(emitted.event.projectId!, emittedCursor(emitted, ctx)),
];

type Told = Pick<EmittedEvent['event'], 'type' | 'payload'> & Pick<EmittedEvent, 'truncated'>;

/**
 * Takes a key that nobody has, and with it the right to tell; whoever races for it waits here.
 *
 * @returns what was told under it already, as it was then
 */
async function tellOnce(
  work: Work & ProjectScope,
  appKey: string,
  { type, payload, truncated }: Told,
): Promise<EmittedEvent | undefined> {
  const { org, project } = work;
  const values = [project.id, appKey, org.id, type, JSON.stringify(payload), truncated];
  if ((await work.rows(takeStatement, values)).length > 0) return undefined;
  const [known] = await work.rows<Told & Pick<EventRow, 'orgId' | 'position' | 'occurredAt' | 'floor' | 'longFloor'>>(
    knownStatement,
    [project.id, appKey],
  );
  const { truncated: wasTruncated, ...told } = known!;
  const event = { ...told, projectId: project.id, class: 'app', source: 'app' as const };
  return { event, truncated: wasTruncated, deduplicated: true, appKey, onceKey: null };
}

function appendEmitted({ event, appKey, onceKey }: EmittedEvent): FeedAppend {
  const { orgId, projectId, type, payload, occurredAt } = event;
  return {
    name: eventsFeedName(orgId),
    statement: appendStatement,
    values: [orgId, projectId, type, JSON.stringify(payload), occurredAt, keptDays.app, appKey, onceKey],
    placed: (position) => {
      event.position = position;
    },
  };
}

const takeStatement: Statement = {
  name: 'events.take-key',
  text: `insert into app_event_keys (project_id, key, org_id, type, payload, truncated)
    values ($1, $2, $3, $4, $5::json, $6) on conflict (project_id, key) do nothing returning key`,
};

const knownStatement: Statement = {
  name: 'events.emitted',
  text: `select k.org_id as "orgId", k.position, k.type, k.payload, k.truncated, k.created_at as "occurredAt",
      coalesce(h.floor, 0) as floor, coalesce(f.position, 0) as "longFloor"
    from app_event_keys k
    left join feed_heads h on h.org_id = k.org_id and h.kind = 'events' and h.feed_id = 'all'
    left join event_floors f on f.org_id = k.org_id
    where k.project_id = $1 and k.key = $2`,
};

const clockStatement: Statement = { name: 'events.clock', text: `select date_trunc('milliseconds', now()) as now` };

const appPlaceStatement: Statement = {
  name: 'events.place-of-app-key',
  text: 'select position from app_event_keys where project_id = $1 and key = $2',
};

const placeStatement: Statement = {
  name: 'events.place',
  text: 'select position from event_keys where org_id = $1 and key = $2',
};

const appendStatement: Statement = {
  name: 'events.append-app',
  text: `with head as (
      insert into feed_heads as h (org_id, kind, feed_id, position) values ($1, 'events', 'all', 1)
      on conflict (org_id, kind, feed_id) do update set position = h.position + 1 returning position
    ), placed as (
      update app_event_keys k set position = head.position, created_at = $5 from head
      where k.project_id = $2 and k.key = $7
    ), kept as (
      insert into event_keys (org_id, key, position) select $1, $8, position from head where $8::text is not null
      on conflict (org_id, key) do update set position = excluded.position, created_at = now()
    )
    insert into events (org_id, position, project_id, type, class, source, payload, occurred_at, kept_days)
    select $1, head.position, $2, $3, 'app', 'app', $4::json, $5, $6 from head
    returning position`,
};
