import { createdAt, id } from '../columns.ts';
import { bigint, boolean, index, json, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts';

// The events themselves are in db/partitioned/events.ts.

/** Keys of facts that become one event, however often they are reported. Deleted when no further report can come. */
export const eventKeys = pgTable(
  'event_keys',
  {
    orgId: uuid('org_id').notNull(),
    /** `<where the fact comes from>:<its id there>`. */
    key: text('key').notNull(),
    position: bigint('position', { mode: 'bigint' }).notNull(),
    recordedAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.key] }),
    index('event_keys_told_idx').on(t.recordedAt),
    // Of messages, which retention forgets earlier.
    index('event_keys_messages_idx').on(t.recordedAt).where(sql`${t.key} like 'message:%'`),
  ],
);

/**
 * Events that applications emitted under a key of their own, for ever: a replay is answered with the original also when
 * the event itself is gone. Contract 02, section 1.6.
 */
export const appEventKeys = pgTable(
  'app_event_keys',
  {
    projectId: id('project_id').notNull(),
    key: text('key').notNull(),
    orgId: uuid('org_id').notNull(),
    /** Set as the last act before the commit, with the event's place in the log. */
    position: bigint('position', { mode: 'bigint' }),
    type: text('type').notNull(),
    payload: json('payload').$type<Readonly<Record<string, unknown>>>().notNull(),
    /** Whether keys were left out of the payload because it was too large. */
    truncated: boolean('truncated').notNull(),
    occurredAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.key] }), index('app_event_keys_org_idx').on(t.orgId)],
);

/** Up to where the events of an organization that are kept longest are gone; `feed_heads.floor` is that of all others. */
export const eventFloors = pgTable('event_floors', {
  orgId: uuid('org_id').primaryKey(),
  position: bigint('position', { mode: 'bigint' }).notNull(),
});
