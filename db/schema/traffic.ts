import { id, moment } from '../columns.ts';
import { bigint, index, integer, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts';

/**
 * How busy projects are: a row for each minute, and for each hour once its minutes are old. All but `storage_bytes` adds
 * up, over nodes and over time.
 */
export const projectMetrics = pgTable(
  'project_metrics',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    span: text('span').$type<'minute' | 'hour'>().notNull(),
    /** When the minute, or the hour, began. */
    startsAt: moment('starts_at').notNull(),
    requests: integer('requests').notNull(),
    /** Answered with a status from 400 to 499. */
    clientErrors: integer('client_errors').notNull(),
    /** Answered with a status from 500. */
    serverErrors: integer('server_errors').notNull(),
    /** Requests by how long they took, see `kernel/traffic/latency.ts`. */
    latency: integer('latency').array().notNull(),
    /** Most open connections of each node, added up; of an hour, those of its busiest minute. */
    connections: integer('connections').notNull(),
    /** What the database took on disk when it was last measured; null where it was not. */
    storageBytes: bigint('storage_bytes', { mode: 'bigint' }),
    /** Requests that the log leaves out. */
    unlogged: integer('unlogged').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId, t.span, t.startsAt] }),
    // Housekeeping looks for what is old, and keeps the two for different times.
    index('project_metrics_minutes_idx').on(t.startsAt).where(sql`${t.span} = 'minute'`),
    index('project_metrics_hours_idx').on(t.startsAt).where(sql`${t.span} = 'hour'`),
  ],
);

/** The latest requests of projects. Neither a query string nor a credential is kept of any. */
export const projectRequests = pgTable(
  'project_requests',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    at: moment('at').notNull(),
    /** Tells apart requests of one millisecond. */
    seq: bigint('seq', { mode: 'bigint' }).notNull().generatedAlwaysAsIdentity(),
    /** The id that its answer carried, `trc_…`. Requests of one trace share it. */
    requestId: text('request_id').notNull(),
    /** The request or run that a function answered as it sent this one, `req_…`, `fnrun_…` or `job_…`. */
    causedBy: text('caused_by'),
    /** `WS` for what came through a socket. */
    method: text('method').notNull(),
    /** Pattern of the route, such as `/rest/v1/:table`. */
    route: text('route').notNull(),
    path: text('path').notNull(),
    status: integer('status').notNull(),
    /** From its arrival to the beginning of its answer, in microseconds. */
    durationUs: integer('duration_us').notNull(),
    /** Code of the refusal. */
    code: text('code'),
    /** As what the client called; null for a client that was not let in. */
    caller: text('caller'),
    /** Of the body; null for a stream. */
    bytes: integer('bytes'),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId, t.at, t.seq] }),
    // Failures are kept for longer than the rest, so housekeeping counts them by themselves.
    index('project_requests_failures_idx').on(t.orgId, t.projectId, t.at, t.seq).where(sql`${t.status} >= 400`),
    // Retention alone looks for what is old.
    index('project_requests_at_idx').on(t.at),
  ],
);

export type ProjectRequest = typeof projectRequests.$inferSelect;
