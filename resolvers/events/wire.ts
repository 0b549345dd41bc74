import { z } from 'zod';
import type { NextAction } from '../../core/error-codes.ts';
import { eventTypes } from '../../kernel/feeds/event-types.ts';
import type { Context } from '../../kernel/run/context.ts';
import type { OpenIncident } from '../incidents/shared/open-incidents.ts';
import { type EventView, eventCursor, type Floors } from './event-view.ts';
import type { EventRow } from './read-events.ts';
import { pollAfter } from './shared/poll-after.ts';

export const NextActionWire = z.looseObject({ type: z.string() });

/** Contract 02, section 1.1. */
export const EventWire = z
  .object({
    id: z.string(),
    project_id: z.string().nullable(),
    event_type: z.string(),
    class: z.string(),
    source: z.enum(['app', 'platform']),
    occurred_at: z.iso.datetime(),
    payload: z.record(z.string(), z.unknown()),
    next_actions: z.array(NextActionWire),
  })
  .meta({ id: 'PlatformEvent' });

/** Contract 02, section 1.2. */
export const EventPageWire = z
  .object({
    events: z.array(EventWire),
    cursor: z.string(),
    has_more: z.boolean(),
    reset: z.boolean(),
    earliest_cursor: z.string().optional(),
    platform_incidents: z
      .array(
        z.object({
          id: z.string(),
          subsystem: z.string(),
          severity: z.string(),
          scope: z.literal('global'),
          status: z.literal('ongoing'),
          started_at: z.iso.datetime(),
          summary: z.string(),
        }),
      )
      .optional(),
    platform_status: z.literal('degraded').optional(),
  })
  .meta({ id: 'EventPage' });

export interface EventPage {
  readonly view: EventView;
  readonly events: readonly EventRow[];
  /** High-water mark; an empty page gives back the cursor it was asked with. */
  readonly cursor: string;
  readonly hasMore: boolean;
  /** The given cursor could not be used; the page starts at the earliest event that is kept. */
  readonly reset: boolean;
  /** Position just before the earliest event of the view that is kept; only with `reset`. */
  readonly earliestCursor: string | undefined;
  readonly incidents: readonly OpenIncident[];
  readonly degraded: boolean;
}

export const eventToWire = (event: EventRow): z.infer<typeof EventWire> => ({
  id: eventId(event),
  project_id: event.projectId,
  event_type: event.type,
  class: event.class,
  source: event.source,
  occurred_at: event.occurredAt.toISOString(),
  payload: event.payload,
  next_actions: nextActionsOf(event).map((action) => ({ ...action })),
});

export const pageToWire = (page: EventPage): z.infer<typeof EventPageWire> => ({
  events: page.events.map(eventToWire),
  cursor: page.cursor,
  has_more: page.hasMore,
  reset: page.reset,
  ...(page.earliestCursor === undefined ? {} : { earliest_cursor: page.earliestCursor }),
  ...(page.incidents.length === 0 ? {} : { platform_incidents: [...page.incidents] }),
  ...(page.degraded ? { platform_status: 'degraded' as const } : {}),
});

/** Names a fact, in whatever view it is read; it is no cursor, and opens nothing. */
export function eventId({ orgId, position }: Pick<EventRow, 'orgId' | 'position'>): string {
  const bytes = Buffer.alloc(25);
  bytes.write('e', 'latin1');
  bytes.write(orgId.replaceAll('-', ''), 1, 'hex');
  bytes.writeBigInt64BE(position, 17);
  return `evc_${bytes.toString('base64url')}`;
}

/** Where to look next. Applications supply none of it, and a type that this version does not know has none. */
export function nextActionsOf(event: EventRow): readonly NextAction[] {
  if (event.source === 'app') return [pollAfter(event.projectId!)];
  return eventTypes.get(event.type)?.nextActions?.(event) ?? [];
}

/** The cursor that stands right after an event in a view. */
export const cursorOf = ({ services }: Pick<Context, 'services'>, view: EventView, event: EventRow): string =>
  eventCursor(services.keys, view, event.position, floorsOf(event));

/** Rows above the floor need to know of none. */
const floorsOf = ({ floor = 0n, longFloor = 0n }: EventRow): Floors => ({ floor, longFloor });
