import { createdAt, id, moment } from '../columns.ts';
import { bigint, boolean, index, integer, jsonb, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import type { Tier } from './orgs.ts';
import type { CopyError } from './snapshots.ts';

export const appVisibilities = ['public', 'unlisted', 'private'] as const;
export type AppVisibility = (typeof appVisibilities)[number];

/** `draft` while it is being prepared, and where that came to nothing. */
export type AppVersionStatus = 'draft' | 'published';

/** Something by its name, with what it is for. Never a value. */
export interface NamedNeed {
  readonly name: string;
  readonly description?: string | undefined;
}

/** What a fork of a version is going to have. */
export interface AppContents {
  readonly tables: readonly string[];
  readonly functions: readonly {
    readonly name: string;
    readonly timeoutSeconds: number;
    readonly memoryMb: number;
    readonly schedules: number;
    readonly requireAuth: boolean;
  }[];
  readonly migrations: readonly string[];
  readonly routes: number;
  readonly siteFiles: number;
  readonly siteBytes: number;
  /** What the release takes in the object store, its functions' sources included. */
  readonly totalBytes: number;
  /** What of the project does not come along, in sentences. */
  readonly warnings: readonly string[];
}

/** Versions of projects that were published for others to fork. Contract 04, section 3.3. */
export const appVersions = pgTable(
  'app_versions',
  {
    /** `appv_…` */
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    /** Counts the versions of a project, from 1. */
    number: integer('number').notNull(),
    releaseId: id('release_id').notNull(),
    /** The project's name, as it was. */
    name: text('name').notNull(),
    description: text('description'),
    tags: text('tags').array().notNull(),
    visibility: text('visibility').$type<AppVisibility>().notNull(),
    forkAllowed: boolean('fork_allowed').notNull(),
    /** What a fork costs, in micro-dollars. */
    forkPrice: bigint('fork_price', { mode: 'bigint' }).notNull(),
    /** The lowest tier that may run it. */
    minTier: text('min_tier').$type<Tier>().notNull(),
    requiredSecrets: jsonb('required_secrets').$type<readonly NamedNeed[]>().notNull(),
    requiredActions: jsonb('required_actions').$type<readonly NamedNeed[]>().notNull(),
    bootstrapVariables: jsonb('bootstrap_variables').$type<readonly NamedNeed[]>(),
    contents: jsonb('contents').$type<AppContents>().notNull(),
    status: text('status').$type<AppVersionStatus>().notNull(),
    /** The list of the parts of its schema, in the object store. */
    manifestSha256: text('manifest_sha256'),
    manifestBytes: bigint('manifest_bytes', { mode: 'bigint' }),
    error: jsonb('error').$type<CopyError>(),
    /** When a node has to look at it next; null for what is over. */
    dueAt: moment('due_at'),
    /** Names the node's hold of it. */
    lease: text('lease'),
    /** How often it was begun. */
    attempts: integer('attempts').notNull().default(0),
    /** From then on it is not there for anybody; its schema is forgotten once no fork is made of it. */
    deletedAt: moment('deleted_at'),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('app_versions_number_uq').on(t.projectId, t.number),
    index('app_versions_newest_idx').on(t.projectId, t.createdAt, t.id),
    index('app_versions_listed_idx')
      .on(t.createdAt, t.id)
      .where(sql`visibility = 'public' and fork_allowed and status = 'published' and deleted_at is null`),
    index('app_versions_due_idx').on(t.dueAt).where(sql`due_at is not null`),
    index('app_versions_lane_idx').on(t.projectId, t.dueAt).where(sql`due_at is not null`),
    index('app_versions_deleted_idx').on(t.deletedAt).where(sql`deleted_at is not null`),
  ],
);

export type AppForkStatus = 'creating' | 'ready' | 'failed';

/** Projects that were made from a version. Contract 04, section 3.3. */
export const appForks = pgTable(
  'app_forks',
  {
    /** The project that was made, `prj_…`. */
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    /** Who takes turns: the organization. */
    lane: text('lane').notNull(),
    versionId: id('version_id').notNull(),
    /** `op_…` */
    operationId: id('operation_id').notNull(),
    /** A name below the platform's domain that it is to have. */
    subdomain: text('subdomain'),
    /** What its function `bootstrap` is given; null where it is not called, and once it was. */
    bootstrap: jsonb('bootstrap').$type<Readonly<Record<string, unknown>>>(),
    /** The run of that function. */
    runId: id('run_id'),
    /** What is held for it, in micro-dollars. */
    price: bigint('price', { mode: 'bigint' }).notNull(),
    status: text('status').$type<AppForkStatus>().notNull(),
    releaseId: id('release_id'),
    error: jsonb('error').$type<CopyError>(),
    dueAt: moment('due_at'),
    lease: text('lease'),
    attempts: integer('attempts').notNull().default(0),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('app_forks_version_idx').on(t.versionId).where(sql`due_at is not null`),
    index('app_forks_due_idx').on(t.dueAt).where(sql`due_at is not null`),
    index('app_forks_lane_idx').on(t.lane, t.dueAt).where(sql`due_at is not null`),
    index('app_forks_failed_idx').on(t.updatedAt).where(sql`status = 'failed'`),
  ],
);
