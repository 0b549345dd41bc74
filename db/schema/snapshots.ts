import { createdAt, id, moment } from '../columns.ts';
import {
  bigint,
  boolean,
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

export const snapshotKinds = ['manual', 'pre_migration', 'pre_restore', 'scheduled'] as const;
export type SnapshotKind = (typeof snapshotKinds)[number];

export const snapshotStatuses = ['running', 'ready', 'failed', 'expired'] as const;
export type SnapshotStatus = (typeof snapshotStatuses)[number];

/** Why a snapshot or a restore came to nothing. */
export interface CopyError {
  readonly code: string;
  readonly message: string;
}

/** What a snapshot holds. */
export interface SnapshotFacts {
  readonly tables: number;
  readonly rows: number;
  readonly users: number;
  readonly passkeys: number;
  /** What is not part of it, in sentences. */
  readonly leftOut: readonly string[];
}

/** Copies of databases of projects. Contract 03, section 6. */
export const projectSnapshots = pgTable(
  'project_snapshots',
  {
    /** `snap_…` */
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    /** `op_…` */
    operationId: id('operation_id').notNull(),
    kind: text('kind').$type<SnapshotKind>().notNull(),
    status: text('status').$type<SnapshotStatus>().notNull(),
    /** When a node has to look at it next. Null for what is over, and for what the restore takes that it belongs to. */
    dueAt: moment('due_at'),
    /** Names the node's hold of it, or the restore. */
    lease: text('lease'),
    /** How often it was begun. */
    attempts: integer('attempts').notNull().default(0),
    manifestSha256: text('manifest_sha256'),
    manifestBytes: bigint('manifest_bytes', { mode: 'bigint' }),
    sizeBytes: bigint('size_bytes', { mode: 'bigint' }).notNull().default(sql`0`),
    facts: jsonb('facts').$type<SnapshotFacts>(),
    liveReleaseId: id('live_release_id'),
    capturedAt: moment('captured_at'),
    expiresAt: moment('expires_at'),
    error: jsonb('error').$type<CopyError>(),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('project_snapshots_newest_idx').on(t.projectId, t.createdAt, t.id),
    index('project_snapshots_due_idx').on(t.dueAt).where(sql`due_at is not null`),
    index('project_snapshots_lane_idx').on(t.projectId, t.dueAt).where(sql`due_at is not null`),
    index('project_snapshots_expiry_idx').on(t.expiresAt).where(sql`expires_at is not null`),
  ],
);

/** What snapshots hold in the object store, and versions of apps under their own ids. */
export const snapshotObjects = pgTable(
  'snapshot_objects',
  {
    snapshotId: id('snapshot_id').notNull(),
    sha256: text('sha256').notNull(),
    size: bigint('size', { mode: 'bigint' }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.snapshotId, t.sha256] }),
    // Whether anybody still holds an object.
    index('snapshot_objects_sha256_idx').on(t.sha256),
  ],
);

export type RestoreStatus = 'running' | 'ready' | 'failed';
/** `clearing`: the exchange is done, and what was replaced is saved once more and dropped. */
export type RestorePhase = 'saving' | 'loading' | 'exchanging' | 'clearing';

/** Restores of databases of projects. Contract 03, section 6. */
export const projectRestores = pgTable(
  'project_restores',
  {
    /** `op_…` */
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    snapshotId: id('snapshot_id').notNull(),
    /** The snapshot of what is replaced. */
    preRestoreId: id('pre_restore_id').notNull(),
    withAuth: boolean('with_auth').notNull(),
    /** SHA-256 of the token that confirmed it: sent again it answers the same restore. */
    confirmHash: text('confirm_hash').notNull(),
    status: text('status').$type<RestoreStatus>().notNull(),
    phase: text('phase').$type<RestorePhase>().notNull(),
    dueAt: moment('due_at'),
    lease: text('lease'),
    attempts: integer('attempts').notNull().default(0),
    oldSlot: text('old_slot').notNull(),
    newSlot: text('new_slot'),
    /** Migrations that the database knows of since. */
    registryRows: integer('registry_rows'),
    error: jsonb('error').$type<CopyError>(),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('project_restores_confirm_uq').on(t.confirmHash),
    // One at a time.
    uniqueIndex('project_restores_running_uq').on(t.projectId).where(sql`due_at is not null`),
    index('project_restores_due_idx').on(t.dueAt).where(sql`due_at is not null`),
    index('project_restores_lane_idx').on(t.projectId, t.dueAt).where(sql`due_at is not null`),
    index('project_restores_project_idx').on(t.projectId, t.createdAt),
  ],
);
