import { createdAt, id, moment } from '../columns.ts';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  sql,
  text,
  uniqueIndex,
  uuid,
} from '../drizzle.ts';

export const jobStatuses = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;

export type JobStatus = (typeof jobStatuses)[number];

/** What became of the amount that was set aside for a job. */
export const jobBillings = ['held', 'captured', 'released'] as const;

/** Why a job came to nothing. */
export interface JobError {
  readonly code: string;
  /** At most 1,000 characters. */
  readonly message: string;
}

/** Managed jobs of projects: leased work of `kernel/durability` until each has ended. Amounts are micro-dollars. */
export const managedJobs = pgTable(
  'managed_jobs',
  {
    /** `job_…` */
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    type: text('type').notNull(),
    input: jsonb('input').$type<Readonly<Record<string, unknown>>>().notNull(),
    idempotencyKey: text('idempotency_key').notNull(),
    /** SHA-256 of what was asked for under the key. */
    intent: text('intent').notNull(),
    /** Most that it may cost; as much is held for it. */
    cap: bigint('cap_usd_micros', { mode: 'bigint' }).notNull(),
    /** Its price, as it was when it was submitted. */
    perJob: bigint('per_job_usd_micros', { mode: 'bigint' }).notNull(),
    perSecond: bigint('per_second_usd_micros', { mode: 'bigint' }).notNull(),
    status: text('status').$type<JobStatus>().notNull().default('queued'),
    error: jsonb('error').$type<JobError>(),
    /** How often it was begun. */
    attempt: integer('attempt').notNull().default(0),
    /** How often it was interrupted by the platform. */
    interrupts: integer('interrupts').notNull().default(0),
    startedAt: moment('started_at'),
    attemptStartedAt: moment('attempt_started_at'),
    completedAt: moment('completed_at'),
    /** How long the attempt took that counts, in milliseconds. */
    wallMs: bigint('wall_ms', { mode: 'bigint' }),
    /** What was captured, and what it would have cost without its cap. */
    cost: bigint('cost_usd_micros', { mode: 'bigint' }),
    rawCost: bigint('raw_cost_usd_micros', { mode: 'bigint' }),
    billing: text('billing').$type<(typeof jobBillings)[number]>().notNull().default('held'),
    /** Who is told of its end. */
    callbackUrl: text('callback_url'),
    /** When a node has to look at it; while one has it, the end of its lease. Null for what is over. */
    dueAt: moment('due_at').defaultNow(),
    /** Names the hold of a node. */
    lease: text('lease'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('managed_jobs_key_uq').on(t.projectId, t.idempotencyKey),
    index('managed_jobs_due_idx').on(t.dueAt).where(sql`${t.dueAt} is not null`),
    index('managed_jobs_lane_idx').on(t.projectId, t.dueAt).where(sql`${t.dueAt} is not null`),
    index('managed_jobs_newest_idx').on(t.projectId, t.createdAt, t.id),
    // Retention alone looks for what is long over.
    index('managed_jobs_completed_idx').on(t.completedAt).where(sql`${t.completedAt} is not null`),
  ],
);

/** What jobs have made: content of their projects, each under a name of its job. */
export const jobArtifacts = pgTable(
  'job_artifacts',
  {
    jobId: id('job_id').notNull(),
    filename: text('filename').notNull(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    sha256: text('sha256').notNull(),
    size: bigint('size', { mode: 'bigint' }).notNull(),
    contentType: text('content_type').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.jobId, t.filename] }),
    // Whether a project still names an object.
    index('job_artifacts_sha256_idx').on(t.projectId, t.sha256),
  ],
);

export const jobLogStreams = ['stdout', 'stderr', 'system'] as const;

/** Lines of the logs of jobs, in the order in which they were kept. */
export const jobLogs = pgTable(
  'job_logs',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    /** Dense within the project: its lines are a feed. */
    position: bigint('position', { mode: 'bigint' }).notNull(),
    jobId: id('job_id').notNull(),
    attempt: integer('attempt').notNull(),
    /** `system`: the platform says it. */
    stream: text('stream').$type<(typeof jobLogStreams)[number]>().notNull(),
    message: text('message').notNull(),
    /** When it was said. */
    at: moment('at').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId, t.position] }),
    index('job_logs_job_idx').on(t.orgId, t.projectId, t.jobId, t.position),
    index('job_logs_created_idx').on(t.createdAt),
  ],
);

export const jobCallbackStates = ['pending', 'delivered', 'failed_permanent'] as const;

/** Ends of jobs that somebody is told of: leased work of `kernel/durability`. They outlive a purge of the jobs. */
export const jobCallbacks = pgTable(
  'job_callbacks',
  {
    /** Of the job: it has one end. */
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    url: text('url').notNull(),
    /** Sent as it is, each time. */
    body: text('body').notNull(),
    status: text('status').$type<(typeof jobCallbackStates)[number]>().notNull().default('pending'),
    attempts: integer('attempts').notNull().default(0),
    lastStatus: integer('last_status'),
    lastError: text('last_error'),
    dueAt: moment('due_at').defaultNow(),
    lease: text('lease'),
    createdAt: createdAt(),
  },
  (t) => [
    index('job_callbacks_due_idx').on(t.dueAt).where(sql`${t.dueAt} is not null`),
    index('job_callbacks_lane_idx').on(t.projectId, t.dueAt).where(sql`${t.dueAt} is not null`),
    index('job_callbacks_project_idx').on(t.orgId, t.projectId),
    index('job_callbacks_created_idx').on(t.createdAt),
  ],
);

/** Types of jobs that the operator has registered, beside those that are built in. */
export const jobTypes = pgTable(
  'job_types',
  {
    name: text('name').primaryKey(),
    description: text('description').notNull(),
    /** The project whose function does the work; null for a command. */
    projectId: id('project_id'),
    function: text('function'),
    /** The command that does the work, and the root file system that it runs in; null for a function. */
    command: text('command').array(),
    root: text('root'),
    perJob: bigint('per_job_usd_micros', { mode: 'bigint' }).notNull(),
    perSecond: bigint('per_second_usd_micros', { mode: 'bigint' }).notNull(),
    maxSeconds: integer('max_seconds').notNull(),
    memoryMb: integer('memory_mb').notNull(),
    /** Whether another attempt may follow one that was interrupted. */
    repeatable: boolean('repeatable').notNull(),
    /** JSON Schema of its input, for whoever submits one. */
    inputSchema: jsonb('input_schema').$type<Readonly<Record<string, unknown>>>().notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    check(
      'job_types_worker',
      sql`num_nonnulls(${t.projectId}, ${t.function}) = case when ${t.command} is null then 2 else 0 end
        and (${t.command} is null) = (${t.root} is null)`,
    ),
  ],
);
