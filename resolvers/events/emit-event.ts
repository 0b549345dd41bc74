import { z } from 'zod';
import type { NextAction } from '../../core/error-codes.ts';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { events } from '../../db/partitioned/events.ts';
import { appEventKeys, eventFloors, eventKeys } from '../../db/schema/events.ts';
import { feedHeads } from '../../db/schema/rooms.ts';
import { computed, excluded, insertInto, insertSelect, namesOf, pick, setOf, statement, typed } from '../../db/sql.ts';
import { onProject, type ProjectScope } from '../../kernel/access/access.ts';
import { callerKey } from '../../kernel/access/caller.ts';
import type { FeedAppend, Work } from '../../kernel/durability/unit-of-work.ts';
import { advanceHead } from '../../kernel/feeds/advance-head.ts';
import { eventsFeedName } from '../../kernel/feeds/append-event.ts';
import { enqueueNotices } from '../../kernel/feeds/enqueue-notices.ts';
import { eventTypes, keptDays } from '../../kernel/feeds/event-types.ts';
import { fitPayload } from '../../kernel/feeds/fit-payload.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { jsonObject } from '../../kernel/input/json-object.ts';
import { spendDaily } from '../../kernel/limits/daily-quota.ts';
import { limitsOf } from '../../kernel/limits/limits.ts';
import type { Context } from '../../kernel/run/context.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { wholeProject } from './event-view.ts';
import { type EventRow, payloadOf } from './read-events.ts';
import { eventActions } from './shared/actions.ts';
import { pollAfter } from './shared/poll-after.ts';
import { cursorOf, NextActionWire } from './wire.ts';

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
      const told = await publishOnce(work, appKey, { type, payload, truncated });
      if (told !== undefined) return told;
    }
    await spendDaily(work, {
      orgId: org.id,
      resource: 'events_per_day',
      limit: limitsOf(org).eventsPerDay,
      message: 'The organization’s events of today are used up.',
    });
    const [clock] = await work.rows(clockStatement.with({}));
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
    const [placed] =
      appKey === null
        ? await services.db.rows(placeStatement.with({ orgId: event.orgId, key: onceKey }))
        : await services.db.rows(appPlaceStatement.with({ projectId: event.projectId!, key: appKey }));
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

type StoredEmission = Pick<EmittedEvent['event'], 'type' | 'payload'> & Pick<EmittedEvent, 'truncated'>;

/**
 * Takes a key that nobody has, and with it the right to tell; whoever races for it waits here.
 *
 * @returns what was told under it already, as it was then
 */
async function publishOnce(
  work: Work & ProjectScope,
  appKey: string,
  { type, payload, truncated }: StoredEmission,
): Promise<EmittedEvent | undefined> {
  const { org, project } = work;
  const own = { projectId: project.id, key: appKey };
  const take = takeStatement.with({ ...own, orgId: org.id, type, payload: JSON.stringify(payload), truncated });
  if ((await work.rows(take)).length > 0) return undefined;
  const [known] = await work.rows(knownStatement.with(own));
  const { truncated: wasTruncated, payload: written, ...told } = known!;
  const event = { ...told, payload: payloadOf(written), projectId: project.id, class: 'app', source: 'app' as const };
  return { event, truncated: wasTruncated, deduplicated: true, appKey, onceKey: null };
}

function appendEmitted({ event, appKey, onceKey }: EmittedEvent): FeedAppend {
  const { orgId, projectId, type, payload, occurredAt } = event;
  return {
    name: eventsFeedName(orgId),
    ...appendStatement.with({
      orgId,
      projectId,
      type,
      payload: JSON.stringify(payload),
      occurredAt,
      keptDays: keptDays.app,
      appKey,
      onceKey,
    }),
    placed: (position) => {
      event.position = position;
    },
  };
}

const takeStatement = statement(
  'events.take-key',
  {
    params: pick(appEventKeys, 'projectId', 'key', 'orgId', 'type', 'payload', 'truncated'),
    row: pick(appEventKeys, 'key'),
  },
  (given, row) => sql`${insertInto(appEventKeys, given)}
    on conflict (${namesOf(appEventKeys.projectId, appEventKeys.key)}) do nothing returning ${row}`,
);

const knownStatement = statement(
  'events.emitted',
  {
    params: pick(appEventKeys, 'projectId', 'key'),
    row: {
      ...pick(appEventKeys, 'orgId', 'type', 'truncated', 'occurredAt'),
      payload: computed<string>('text', sql`${appEventKeys.payload}::text`),
      // Whoever took the key has placed the event with the same commit.
      position: computed<bigint>('bigint', sql`${appEventKeys.position}`),
      floor: computed<bigint>('bigint', sql`coalesce(${feedHeads.floor}, 0)`),
      longFloor: computed<bigint>('bigint', sql`coalesce(${eventFloors.position}, 0)`),
    },
  },
  ({ projectId, key }, row) => sql`select ${row} from ${appEventKeys}
    left join ${feedHeads} on ${feedHeads.orgId} = ${appEventKeys.orgId} and ${feedHeads.kind} = 'events'
      and ${feedHeads.feedId} = 'all'
    left join ${eventFloors} on ${eventFloors.orgId} = ${appEventKeys.orgId}
    where ${appEventKeys.projectId} = ${projectId} and ${appEventKeys.key} = ${key}`,
);

const clockStatement = statement(
  'events.clock',
  { row: { now: computed<Date>('timestamp with time zone', sql`date_trunc('milliseconds', now())`) } },
  (_none, row) => sql`select ${row}`,
);

const appPlaceStatement = statement(
  'events.place-of-app-key',
  { params: pick(appEventKeys, 'projectId', 'key'), row: pick(appEventKeys, 'position') },
  ({ projectId, key }, row) => sql`select ${row} from ${appEventKeys}
    where ${appEventKeys.projectId} = ${projectId} and ${appEventKeys.key} = ${key}`,
);

const placeStatement = statement(
  'events.place',
  { params: { orgId: eventKeys.orgId, key: typed<string | null>('text') }, row: pick(eventKeys, 'position') },
  ({ orgId, key }, row) =>
    sql`select ${row} from ${eventKeys} where ${eventKeys.orgId} = ${orgId} and ${eventKeys.key} = ${key}`,
);

const appendStatement = statement(
  'events.append-app',
  {
    params: {
      ...pick(events, 'orgId', 'projectId', 'type', 'payload', 'occurredAt', 'keptDays'),
      appKey: typed<string | null>('text'),
      onceKey: typed<string | null>('text'),
    },
    row: pick(events, 'position'),
  },
  ({ appKey, onceKey, ...given }, row) => sql`with head as (
      ${advanceHead({ orgId: given.orgId, kind: sql`'events'`, feedId: sql`'all'` })}
    ), placed as (
      update ${appEventKeys} ${setOf(appEventKeys, { position: sql`head.position`, occurredAt: given.occurredAt })} from head
      where ${appEventKeys.projectId} = ${given.projectId} and ${appEventKeys.key} = ${appKey}
    ), kept as (
      ${insertSelect(
        eventKeys,
        { orgId: given.orgId, key: onceKey, position: sql`head.position` },
        sql`from head where ${onceKey}::text is not null`,
      )}
      on conflict (${namesOf(eventKeys.orgId, eventKeys.key)})
        do update ${setOf(eventKeys, { position: excluded(eventKeys.position), recordedAt: sql`now()` })}
    ), told as (
      ${insertSelect(
        events,
        {
          ...given,
          payload: sql`${given.payload}::json`,
          position: sql`head.position`,
          class: sql`'app'`,
          source: sql`'app'`,
        },
        sql`from head`,
      )}
      returning ${row}
    )
    select position from told where ${enqueueNotices(given.orgId, sql`told.position`, sql`false`)}`,
);
