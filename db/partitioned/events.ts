import { id, moment } from '../columns.ts';
import { bigint, json, pgTable, primaryKey, smallint, text, uuid } from '../drizzle.ts';

/**
 * What happened, in the order in which it became known: one log per organization. Contract 02, section 1.
 *
 * Here for the types of its columns alone. The table is made by a migration written by hand, since it is partitioned:
 * by the days that a row is kept, then by month, so that what is past its time is dropped a partition at a time. See
 * db/event-partitions.ts.
 */
export const events = pgTable(
  'events',
  {
    orgId: uuid('org_id').notNull(),
    /** Dense inside the organization, taken from its head as the last act before the commit. */
    position: bigint('position', { mode: 'bigint' }).notNull(),
    /** Null for what concerns the organization as a whole; may name a project that is gone. */
    projectId: id('project_id'),
    type: text('type').notNull(),
    /** Decides how long the row is kept. */
    class: text('class').notNull(),
    source: text('source').$type<'app' | 'platform'>().notNull(),
    /** Never asked for its members, so it is kept as it was written. */
    payload: json('payload').$type<Readonly<Record<string, unknown>>>().notNull(),
    occurredAt: moment('occurred_at').notNull().defaultNow(),
    /** How long the row is kept: 90 or 365 days. */
    keptDays: smallint('kept_days').$type<KeptDays>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.orgId, t.position, t.keptDays, t.occurredAt] })],
);

export type KeptDays = 90 | 365;

export type StoredEvent = typeof events.$inferSelect;
