import { createdAt, id, moment } from '../columns.ts';
import { bigint, index, integer, jsonb, pgTable, sql, text, uuid } from '../drizzle.ts';
import type { CopyError } from './snapshots.ts';

export const archiveStatuses = ['running', 'ready', 'failed', 'expired'] as const;
export type ArchiveStatus = (typeof archiveStatuses)[number];

export const authExports = ['stubs', 'none'] as const;
export type AuthExport = (typeof authExports)[number];

/** Both names mean the same here: one moment of the database, for which nobody waits. */
export const consistencyModes = ['pause-writes', 'cloud_write_pause_v1'] as const;
export type ConsistencyMode = (typeof consistencyModes)[number];

type Json = Readonly<Record<string, unknown>>;

/** Archives of projects, which can be carried away. Contract 03, section 8. */
export const projectArchives = pgTable(
  'project_archives',
  {
    /** `arc_…` */
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    /** `op_…` */
    operationId: id('operation_id').notNull(),
    status: text('status').$type<ArchiveStatus>().notNull(),
    authExport: text('auth_export').$type<AuthExport>().notNull(),
    consistencyMode: text('consistency_mode').$type<ConsistencyMode>().notNull(),
    /** When a node has to look at it next; null for what is over. */
    dueAt: moment('due_at'),
    lease: text('lease'),
    attempts: integer('attempts').notNull().default(0),
    activeReleaseId: id('active_release_id'),
    /** What it is, whatever carries it: `sha256:…`. */
    digest: text('digest'),
    /** Of the file. */
    sha256: text('sha256'),
    byteCount: bigint('byte_count', { mode: 'bigint' }),
    consistency: jsonb('consistency').$type<Json>(),
    exportReport: jsonb('export_report').$type<Json>(),
    portabilityReport: jsonb('portability_report').$type<Json>(),
    error: jsonb('error').$type<CopyError>(),
    startedAt: moment('started_at').notNull().defaultNow(),
    completedAt: moment('completed_at'),
    expiresAt: moment('expires_at').notNull(),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('project_archives_newest_idx').on(t.projectId, t.createdAt, t.id),
    index('project_archives_due_idx').on(t.dueAt).where(sql`due_at is not null`),
    index('project_archives_lane_idx').on(t.projectId, t.dueAt).where(sql`due_at is not null`),
    index('project_archives_expiry_idx').on(t.expiresAt),
  ],
);

export type ImportStatus = 'running' | 'imported' | 'failed';

/** Projects that are made of archives. Contract 03, section 8.5. */
export const archiveImports = pgTable(
  'archive_imports',
  {
    /** `arci_…` */
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    /** The organization: imports of one wait for each other. */
    lane: text('lane').notNull(),
    projectId: id('project_id').notNull(),
    operationId: id('operation_id').notNull(),
    projectName: text('project_name').notNull(),
    /** Of the file, which the organization holds. */
    archiveSha256: text('archive_sha256').notNull(),
    archiveDigest: text('archive_digest').notNull(),
    status: text('status').$type<ImportStatus>().notNull(),
    dueAt: moment('due_at'),
    lease: text('lease'),
    attempts: integer('attempts').notNull().default(0),
    releaseId: id('release_id'),
    requiredSecrets: jsonb('required_secrets').$type<readonly Json[]>().notNull(),
    diagnostics: jsonb('diagnostics').$type<readonly Json[]>().notNull(),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('archive_imports_project_idx').on(t.projectId),
    index('archive_imports_due_idx').on(t.dueAt).where(sql`due_at is not null`),
    index('archive_imports_lane_idx').on(t.lane, t.dueAt).where(sql`due_at is not null`),
    index('archive_imports_over_idx').on(t.updatedAt).where(sql`due_at is null`),
  ],
);
