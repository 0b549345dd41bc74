import type { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { events } from '../../db/partitioned/events.ts';
import { eventKeys } from '../../db/schema/events.ts';
import { feedHeads } from '../../db/schema/rooms.ts';
import { insertSelect, namesOf, pick, setOf, statement, typed } from '../../db/sql.ts';
import type { FeedAppend } from '../durability/unit-of-work.ts';
import { enqueueNotices } from './enqueue-notices.ts';
import { type EventType, keptDays, urgencyOf } from './event-types.ts';
import type { FeedName } from './feeds.ts';
import { fitPayload } from './fit-payload.ts';

/** The log of an organization; views of it differ in what they select. */
export const eventsFeedName = (orgId: string): FeedName => ({ orgId, kind: 'events', feedId: 'all' });

export interface PlatformEvent<Payload extends z.ZodObject> {
  readonly orgId: string;
  /** Null for what concerns the organization as a whole. */
  readonly projectId: string | null;
  readonly type: EventType<Payload>;
  readonly payload: z.input<Payload>;
  /**
   * When it happened, of what is told afterwards; the moment of the transaction when absent. It also decides with which
   * month the row goes in the end, so it lies no further back than what is told is itself kept.
   */
  readonly occurredAt?: Date | undefined;
  /** `<where the fact comes from>:<its id there>`: the same fact is told once, however often it is reported. */
  readonly onceKey?: string | undefined;
}

/**
 * An event of the platform's that waits for its position. Give it to `work.append` in the transaction that made it true.
 *
 * @throws ZodError for a payload that the catalogue does not know, TypeError for one of another level
 */
export function appendEvent<Payload extends z.ZodObject>(event: PlatformEvent<Payload>): FeedAppend {
  const { orgId, projectId, type, onceKey = null, occurredAt = null } = event;
  const { name, class: eventClass, level, payload: shape } = type;
  if (level !== 'any' && (level === 'org') !== (projectId === null))
    throw new TypeError(`${name} is an event of the level ${level}.`);
  const payload = JSON.stringify(fitPayload(shape.parse(event.payload)).payload);
  return {
    name: eventsFeedName(orgId),
    before: onceKey === null ? undefined : lockStatement.with({ orgId }),
    ...appendStatement.with({
      orgId,
      projectId,
      type: name,
      class: eventClass,
      source: 'platform',
      payload,
      keptDays: keptDays[eventClass],
      onceKey,
      occurredAt,
      isTold: urgencyOf(type) !== undefined,
    }),
  };
}

const head = { kind: sql`'events'`, feedId: sql`'all'` };
const headKey = namesOf(feedHeads.orgId, feedHeads.kind, feedHeads.feedId);

// A transaction that tells the same fact at the same time waits before it looks whether it was told: a statement sees what was
// committed when it began, and not what it waited for.
const lockStatement = statement(
  'events.lock',
  { params: pick(feedHeads, 'orgId') },
  ({ orgId }) => sql`with held as (
      select ${feedHeads.position} from ${feedHeads}
      where ${feedHeads.orgId} = ${orgId} and ${feedHeads.kind} = ${head.kind} and ${feedHeads.feedId} = ${head.feedId}
      for update
    ), made as (
      ${insertSelect(feedHeads, { orgId, ...head, position: sql`0` }, sql`where not exists (select from held)`)}
      on conflict (${headKey}) do update ${setOf(feedHeads, { position: sql`${feedHeads.position}` })}
    )
    select from held`,
);

const appendStatement = statement(
  'events.append',
  {
    params: {
      ...pick(events, 'orgId', 'projectId', 'type', 'class', 'source', 'payload', 'keptDays'),
      onceKey: typed<string | null>('text'),
      occurredAt: typed<Date | null>('timestamp with time zone'),
      /** Whether people are told of it. */
      isTold: typed<boolean>('boolean'),
    },
    row: pick(events, 'position'),
  },
  ({ orgId, onceKey, occurredAt, isTold, ...told }, row) => sql`with head as (
      ${insertSelect(
        feedHeads,
        { orgId, ...head, position: sql`1` },
        sql`where ${onceKey}::text is null
          or not exists (select from ${eventKeys} where ${eventKeys.orgId} = ${orgId} and ${eventKeys.key} = ${onceKey})`,
      )}
      on conflict (${headKey}) do update ${setOf(feedHeads, { position: sql`${feedHeads.position} + 1` })}
      returning ${feedHeads.position}
    ), kept as (
      ${insertSelect(
        eventKeys,
        { orgId, key: onceKey, position: sql`head.position` },
        sql`from head where ${onceKey}::text is not null`,
      )}
    ), told as (
      ${insertSelect(
        events,
        { orgId, position: sql`head.position`, ...told, occurredAt: sql`coalesce(${occurredAt}::timestamptz, now())` },
        sql`from head`,
      )} returning ${row}
    )
    select position from told where ${enqueueNotices(orgId, sql`told.position`, isTold)} union all
    select ${eventKeys.position} from ${eventKeys} where ${eventKeys.orgId} = ${orgId} and ${eventKeys.key} = ${onceKey}`,
);
