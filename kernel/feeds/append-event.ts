import type { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import type { FeedAppend } from '../durability/unit-of-work.ts';
import { type EventType, keptDays } from './event-types.ts';
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
  const row = [orgId, projectId, name, eventClass, 'platform', payload, keptDays[eventClass]];
  return {
    name: eventsFeedName(orgId),
    before: onceKey === null ? undefined : { statement: lockStatement, values: [orgId] },
    statement: appendStatement,
    values: [...row, onceKey, occurredAt],
  };
}

// A transaction that tells the same fact at the same time waits before it looks whether it was told: a statement sees what was
// committed when it began, and not what it waited for.
const lockStatement: Statement = {
  name: 'events.lock',
  text: `with held as (
      select position from feed_heads where org_id = $1 and kind = 'events' and feed_id = 'all' for update
    ), made as (
      insert into feed_heads as h (org_id, kind, feed_id, position)
      select $1, 'events', 'all', 0 where not exists (select from held)
      on conflict (org_id, kind, feed_id) do update set position = h.position
    )
    select position from held`,
};

const appendStatement: Statement = {
  name: 'events.append',
  text: `with head as (
      insert into feed_heads as h (org_id, kind, feed_id, position)
      select $1, 'events', 'all', 1
      where $8::text is null or not exists (select from event_keys k where k.org_id = $1 and k.key = $8)
      on conflict (org_id, kind, feed_id) do update set position = h.position + 1 returning position
    ), kept as (
      insert into event_keys (org_id, key, position) select $1, $8, position from head where $8::text is not null
    ), told as (
      insert into events (org_id, position, project_id, type, class, source, payload, kept_days, occurred_at)
      select $1, head.position, $2, $3, $4, $5, $6::json, $7, coalesce($9::timestamptz, now()) from head
      returning position
    )
    select position from told union all select position from event_keys where org_id = $1 and key = $8`,
};
