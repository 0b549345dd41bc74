import { id, moment } from '../columns.ts';
import { index, integer, jsonb, pgTable, primaryKey, text, uuid } from '../drizzle.ts';

/** What a trigger has its function told. */
export interface TriggeredRun {
  readonly eventType: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly retry?: Readonly<Record<string, unknown>>;
  readonly expiresAfterSeconds?: number;
}

/** Schedules of the live releases. Another release puts its own in their place. */
export const functionSchedules = pgTable(
  'function_schedules',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    function: text('function').notNull(),
    triggerId: text('trigger_id').notNull(),
    releaseId: id('release_id').notNull(),
    cron: text('cron').notNull(),
    timezone: text('timezone').notNull(),
    run: jsonb('run').$type<TriggeredRun>().notNull(),
    /** The moment that comes due next; null when none does. */
    nextAt: moment('next_at'),
    /** When it had its function run last, and how often. */
    lastRunAt: moment('last_run_at'),
    lastRunId: id('last_run_id'),
    runCount: integer('run_count').notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId, t.function, t.triggerId] }),
    index('function_schedules_next_idx').on(t.nextAt),
  ],
);
