import { date, index, integer, pgTable, primaryKey, text, uuid } from '../drizzle.ts';

/** What organizations used of their daily quotas, by UTC day. */
export const dailyCounts = pgTable(
  'daily_counts',
  {
    orgId: uuid('org_id').notNull(),
    /** For example `events_per_day`. */
    resource: text('resource').notNull(),
    day: date('day').notNull(),
    used: integer('used').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.resource, t.day] }),
    // Days that are over.
    index('daily_counts_day_idx').on(t.day),
  ],
);
