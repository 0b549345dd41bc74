import { id, moment } from '../columns.ts';
import { bigint, check, doublePrecision, index, integer, jsonb, pgTable, sql, text, uniqueIndex } from '../drizzle.ts';

/**
 * Gateways that serve this control database, each with what it last said of itself. Not keyed by organization: nodes are
 * the installation's.
 */
export const gatewayNodes = pgTable(
  'gateway_nodes',
  {
    /** New with each start of a node. */
    id: id().primaryKey(),
    host: text('host').notNull(),
    pid: integer('pid').notNull(),
    version: text('version').notNull(),
    /** Where it listens, which may be an address that others cannot reach. */
    url: text('url').notNull(),
    startedAt: moment('started_at').notNull(),
    /** When it last wrote this row, by the database clock. */
    seenAt: moment('seen_at').notNull().defaultNow(),
    /** Delay of the event loop that one in a hundred ticks exceeded since the row before, in milliseconds. */
    lagMs: doublePrecision('lag_ms').notNull(),
    rssBytes: bigint('rss_bytes', { mode: 'bigint' }).notNull(),
    heapBytes: bigint('heap_bytes', { mode: 'bigint' }).notNull(),
    /** Connections to the control database. */
    poolTotal: integer('pool_total').notNull(),
    poolIdle: integer('pool_idle').notNull(),
    /** Requests that wait for one. */
    poolWaiting: integer('pool_waiting').notNull(),
    sockets: integer('sockets').notNull(),
    subscriptions: integer('subscriptions').notNull(),
  },
  (t) => [index('gateway_nodes_seen_idx').on(t.seenAt)],
);

export type GatewayNode = typeof gatewayNodes.$inferSelect;

export type BackupState = 'running' | 'done' | 'failed';

/** Backups that were started through the gateway. The backups themselves are in their folder. */
export const backupJobs = pgTable(
  'backup_jobs',
  {
    id: id().primaryKey(),
    state: text('state').$type<BackupState>().notNull().default('running'),
    startedAt: moment('started_at').notNull().defaultNow(),
    endedAt: moment('ended_at'),
    /** When the node that runs it last said so; a running one that is silent has died with its node. */
    seenAt: moment('seen_at').notNull().defaultNow(),
    /** The step that is under way, as the program names it. */
    step: text('step'),
    /** From 0 to 1; null while it is not known. */
    progress: doublePrecision('progress'),
    /** The backup that it made; null until then. */
    run: text('run'),
    /** Databases that could not be saved, with the reason of each. */
    missing: jsonb('missing').$type<readonly MissingDatabase[]>().notNull().default([]),
    /** Why it failed, in one sentence. */
    error: text('error'),
  },
  (t) => [
    index('backup_jobs_newest_idx').on(t.startedAt),
    // One at a time, on whatever node.
    uniqueIndex('backup_jobs_running_uq').on(t.state).where(sql`${t.state} = 'running'`),
    check('backup_jobs_ended', sql`(${t.state} = 'running') = (${t.endedAt} is null)`),
  ],
);

export interface MissingDatabase {
  readonly database: string;
  readonly reason: string;
}

export type BackupJob = typeof backupJobs.$inferSelect;
