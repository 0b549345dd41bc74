import { id, moment } from '../columns.ts';
import { bigint, index, integer, jsonb, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts';

/** Where a failure came to light. Contract 02, section 4.4. */
export type OccurrenceKind = 'uncaught' | 'boot_crash' | 'invoke_failed' | 'handled_5xx';
/** What the identity of a failure was made from: names of functions, its message alone, or nothing but where it was. */
export type FingerprintQuality = 'frame_names' | 'message_only' | 'coarse';

/** One occurrence by which a failure can be looked up in the logs. */
export interface OccurrenceSample {
  /** Of the request, the run or the attempt: `req_…`, `fnrun_…` or `fnatt_…`. */
  readonly id: string;
  readonly at: string;
  readonly release_id: string | null;
}

/** Failures of a project’s functions, each identity with all its occurrences in one row per function. */
export const errorFingerprints = pgTable(
  'error_fingerprints',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    fingerprintId: id('fingerprint_id').notNull(),
    function: text('function').notNull(),
    kind: text('kind').$type<OccurrenceKind>().notNull(),
    quality: text('quality').$type<FingerprintQuality>().notNull(),
    errorName: text('error_name').notNull(),
    messageTemplate: text('message_template').notNull(),
    stableFrames: jsonb('stable_frames').$type<readonly string[]>().notNull(),
    count: bigint('count', { mode: 'bigint' }).notNull(),
    /** Of the earliest occurrence that is known, in whichever order they were reported. */
    firstSeen: moment('first_seen').notNull(),
    lastSeen: moment('last_seen').notNull(),
    firstSeenReleaseId: text('first_seen_release_id'),
    lastSeenReleaseId: text('last_seen_release_id'),
    /** The occurrence that was reported first: it stays. */
    firstSample: jsonb('first_sample').$type<OccurrenceSample>().notNull(),
    /** Newest first, at most ten. */
    recentSamples: jsonb('recent_samples').$type<readonly OccurrenceSample[]>().notNull(),
  },
  // No index knows what each occurrence changes, so that a row is updated in its place.
  (t) => [primaryKey({ columns: [t.orgId, t.projectId, t.fingerprintId, t.function] })],
);

/** How often each row of `error_fingerprints` came up, by the hour: for charts, and for a month. */
export const errorCounts = pgTable(
  'error_counts',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    fingerprintId: id('fingerprint_id').notNull(),
    function: text('function').notNull(),
    /** When the hour began, in UTC. */
    startsAt: moment('starts_at').notNull(),
    /** Raised under the lock of the row that is counted. */
    count: bigint('count', { mode: 'bigint' }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId, t.fingerprintId, t.function, t.startsAt] }),
    // Retention alone looks for what is old.
    index('error_counts_starts_idx').on(t.startsAt),
  ],
);

/** What is known of a project’s failures as a whole. */
export const errorProjects = pgTable(
  'error_projects',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    /** How many rows it has in `error_fingerprints`: raised under this row’s lock, which new identities wait for. */
    fingerprints: integer('fingerprints').notNull().default(0),
    /** Its active functions, each with whether their errors are reported in full. */
    fidelity: jsonb('fidelity').$type<Readonly<Record<string, 'full' | 'coarse'>>>().notNull().default({}),
    /** When the project was deleted: all that is known of its failures is erased then, and this row last. */
    goneAt: moment('gone_at'),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId] }),
    // What is yet to be erased: nothing, most of the time.
    index('error_projects_gone_idx').on(t.goneAt).where(sql`${t.goneAt} is not null`),
  ],
);

/** A new identity that is not announced yet. */
export interface PendingFingerprint {
  readonly fingerprint_id: string;
  readonly function: string;
  readonly kind: OccurrenceKind;
  readonly error_name: string;
  readonly message_template: string;
}

/** Releases with reports, with their new identities that are not announced yet. */
export const errorReleases = pgTable(
  'error_releases',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    releaseId: text('release_id').notNull(),
    /** How many wait, and the first of them. */
    pending: integer('pending').notNull().default(0),
    pendingFingerprints: jsonb('pending_fingerprints').$type<readonly PendingFingerprint[]>().notNull().default([]),
    pendingSince: moment('pending_since'),
    /** When those that wait are announced; null while none waits. */
    dueAt: moment('due_at'),
    recordedAt: moment('told_at'),
    /** When anything was first reported of it. */
    notedAt: moment('noted_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId, t.releaseId] }),
    // What a vanished node left untold.
    index('error_releases_due_idx').on(t.dueAt),
  ],
);

/** Which release was made active when: a release that becomes active again has a further row. */
export const releaseActivations = pgTable(
  'release_activations',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    activatedAt: moment('activated_at').notNull(),
    /** Tells apart what was activated in one millisecond, in the order of reporting. */
    seq: bigint('seq', { mode: 'bigint' }).notNull().generatedAlwaysAsIdentity(),
    releaseId: text('release_id').notNull(),
  },
  // Also the history that is read from its newest end.
  (t) => [primaryKey({ columns: [t.orgId, t.projectId, t.activatedAt, t.seq] })],
);

/** How often functions ran: by the minute, and the same by the hour, so that a long window is few rows. */
export const functionInvocations = pgTable(
  'function_invocations',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    span: text('span').$type<'minute' | 'hour'>().notNull(),
    /** When the minute, or the hour, began. */
    startsAt: moment('starts_at').notNull(),
    function: text('function').notNull(),
    /** Empty without a release. */
    releaseId: text('release_id').notNull(),
    count: bigint('count', { mode: 'bigint' }).notNull(),
    /** Those that failed, as the platform saw it. */
    failed: bigint('failed', { mode: 'bigint' }).notNull().default(sql`0`),
    /** Those that have ended, by how long they took, see `kernel/traffic/latency.ts`; empty where nobody measured. */
    latency: integer('latency').array().notNull().default([]),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId, t.span, t.startsAt, t.function, t.releaseId] }),
    // Retention alone looks for what is old, and keeps the two for different times.
    index('function_invocations_minutes_idx').on(t.startsAt).where(sql`${t.span} = 'minute'`),
    index('function_invocations_hours_idx').on(t.startsAt).where(sql`${t.span} = 'hour'`),
  ],
);

export type ErrorFingerprint = typeof errorFingerprints.$inferSelect;
