import { createdAt, id, moment } from '../columns.ts';
import { index, integer, jsonb, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';

/** States of a run. Contract 03, section 3.6. */
export const runStatuses = [
  'scheduled',
  'queued',
  'running',
  'retrying',
  'blocked',
  'succeeded',
  'failed',
  'cancelled',
  'expired',
] as const;

export type RunStatus = (typeof runStatuses)[number];

/** What made a run. */
export interface RunSource {
  readonly type: 'api' | 'schedule' | 'email';
  /** The trigger, of a run that one made. */
  readonly trigger_id?: string;
  /** `manual`: somebody fired the trigger. */
  readonly mode?: 'scheduled' | 'manual';
  /** The moment that was due. */
  readonly scheduled_at?: string;
  /** The mailbox whose mail fired it. */
  readonly mailbox_id?: string;
  /** What happened to that mail, and what tells it from others of its type. */
  readonly event_type?: string;
  readonly discriminator?: string;
  /** The release whose trigger it is. */
  readonly release_id?: string;
}

/** Why an attempt came to nothing. */
export interface RunError {
  readonly code: string;
  /** At most 1,000 characters. */
  readonly message: string;
  readonly retryable: boolean;
}

/** Runs of functions: each is tried until it succeeds, or may not be tried any more. */
export const functionRuns = pgTable(
  'function_runs',
  {
    /** `fnrun_…` */
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    function: text('function').notNull(),
    eventType: text('event_type').notNull(),
    source: jsonb('source').$type<RunSource>().notNull(),
    sourceType: text('source_type').$type<RunSource['type']>().notNull(),
    idempotencyKey: text('idempotency_key').notNull(),
    /** SHA-256 of what was asked for under the key. */
    intent: text('intent').notNull(),
    payload: jsonb('payload').$type<Readonly<Record<string, unknown>>>().notNull(),
    maxAttempts: integer('max_attempts').notNull(),
    /** Pause after the first attempt, in seconds; it doubles with each. */
    minDelaySeconds: integer('min_delay_seconds').notNull(),
    maxDelaySeconds: integer('max_delay_seconds').notNull(),
    status: text('status').$type<RunStatus>().notNull(),
    /** Rises by one with each redrive. */
    generation: integer('generation').notNull().default(1),
    runAt: moment('run_at').notNull(),
    expiresAt: moment('expires_at'),
    /** When a node has to look at it next: to begin an attempt, or because the lease of one is over. Null at an end. */
    dueAt: moment('due_at'),
    /** Names the node’s hold of it; null while no node has it. */
    lease: text('lease'),
    /** Attempts of this generation. */
    attempt: integer('attempt').notNull().default(0),
    /** Attempts of all generations. */
    attemptsTotal: integer('attempts_total').notNull().default(0),
    /** The latest attempt, `fnatt_…`. */
    attemptId: id('attempt_id'),
    attemptStartedAt: moment('attempt_started_at'),
    attemptCompletedAt: moment('attempt_completed_at'),
    /** What the function answered in it. */
    attemptStatus: integer('attempt_status'),
    attemptError: jsonb('attempt_error').$type<RunError>(),
    lastError: jsonb('last_error').$type<RunError>(),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    completedAt: moment('completed_at'),
  },
  (t) => [
    uniqueIndex('function_runs_key_uq').on(t.orgId, t.projectId, t.function, t.sourceType, t.idempotencyKey),
    index('function_runs_newest_idx').on(t.projectId, t.function, t.createdAt, t.id),
    // Whether anything is due, and what is due of each project.
    index('function_runs_due_idx').on(t.dueAt).where(sql`due_at is not null`),
    index('function_runs_lane_idx').on(t.projectId, t.dueAt).where(sql`due_at is not null`),
    // Retention alone looks for what is long over.
    index('function_runs_completed_idx').on(t.completedAt).where(sql`completed_at is not null`),
  ],
);
