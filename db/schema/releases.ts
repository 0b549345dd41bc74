import { bytea, createdAt, id, moment } from '../columns.ts';
import { bigint, index, integer, jsonb, pgTable, primaryKey, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import type { OperationActor } from './projects.ts';

/** `staged` until it is live for the first time, `superseded` once another one is. */
export type ReleaseStatus = 'staged' | 'active' | 'superseded' | 'failed';

/** What a project serves, or served, or was about to serve. A row never changes but for its status. */
export const releases = pgTable(
  'releases',
  {
    orgId: uuid('org_id').notNull(),
    /** `rel_…` */
    id: id().notNull(),
    projectId: id('project_id').notNull(),
    /** The release that it was made from; null for what began empty. */
    parentId: id('parent_id'),
    operationId: id('operation_id').notNull(),
    planId: id('plan_id').notNull(),
    /** `dpl_…`: names its own host. */
    deploymentId: id('deployment_id').notNull(),
    status: text('status').$type<ReleaseStatus>().notNull().default('staged'),
    /** SHA-256 of what it is. */
    digest: text('digest').notNull(),
    /** SHA-256 of the specification that made it. */
    manifestDigest: text('manifest_digest').notNull(),
    staticSha256: text('static_sha256').notNull(),
    /** Null without routes. */
    routesSha256: text('routes_sha256'),
    /** Everything but its files, as `engines/release/stored.ts` writes it. */
    body: jsonb('body').$type<unknown>().notNull(),
    /** Digests of the parts that hold its site by path, in their order. */
    siteParts: text('site_parts').array().notNull(),
    /** Digests of the parts that hold its files by public path, in their order. */
    fileParts: text('file_parts').array().notNull(),
    actor: jsonb('actor').$type<OperationActor>(),
    /** When it was live first. */
    activatedAt: moment('activated_at'),
    supersededAt: moment('superseded_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.id] }),
    // Releases are asked for by id alone, too; ids are random, so they stay unique without their organization.
    uniqueIndex('releases_id_uq').on(t.id, t.orgId),
    uniqueIndex('releases_deployment_uq').on(t.deploymentId),
    index('releases_project_idx').on(t.orgId, t.projectId, t.createdAt, t.id),
  ],
);

/** Parts of what releases of a project hold, by their SHA-256: releases that share files share parts. */
export const releaseParts = pgTable(
  'release_parts',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    digest: text('digest').notNull(),
    bytes: bytea('bytes').notNull(),
  },
  (t) => [primaryKey({ columns: [t.orgId, t.projectId, t.digest] })],
);

/** Which release of a project is live, and whether its data is closed while migrations run. */
export const liveReleases = pgTable(
  'live_releases',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    /** Null before the first one. */
    releaseId: id('release_id'),
    /** Rises by one whenever another release goes live. */
    generation: bigint('generation', { mode: 'bigint' }).notNull().default(sql`0`),
    /** When the release went live. */
    changedAt: moment('changed_at'),
    /** The operation whose migrations run now. */
    gatedBy: id('gated_by'),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId] }),
    // Each node looks for the few gates that are closed, every few seconds.
    index('live_releases_gated_idx').on(t.projectId).where(sql`gated_by is not null`),
  ],
);

/** A deploy as it was planned. What it would do is computed anew whenever that is asked. */
export const deployPlans = pgTable(
  'deploy_plans',
  {
    orgId: uuid('org_id').notNull(),
    /** `plan_…` */
    id: id().notNull(),
    projectId: id('project_id').notNull(),
    operationId: id('operation_id').notNull(),
    /** The specification as it came. */
    spec: jsonb('spec').$type<Record<string, unknown>>().notNull(),
    manifestDigest: text('manifest_digest').notNull(),
    /** Of the client's; tells repetitions of one deploy from deploys that are alike. */
    requestKey: text('request_key').notNull().default(''),
    baseReleaseId: id('base_release_id'),
    /** Set for plans that wait for somebody's approval. */
    fingerprint: text('fingerprint'),
    expiresAt: moment('expires_at').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.id] }),
    // Repetitions find the plan that is there.
    index('deploy_plans_again_idx').on(t.orgId, t.projectId, t.manifestDigest, t.requestKey),
    index('deploy_plans_expires_idx').on(t.expiresAt),
  ],
);

/** States of a deploy. Contract 03, section 2.15. */
export type DeployStatus =
  | 'planning'
  | 'uploading'
  /** Of a rehearsal, which keeps no deploy out. */
  | 'running'
  | 'committing'
  | 'staging'
  | 'gating'
  | 'migrating'
  | 'schema_settling'
  | 'activating'
  | 'activation_pending'
  | 'needs_repair'
  | 'ready'
  | 'failed'
  | 'rolled_back';

/** States in which a deploy keeps every other one of its project out. */
export const runningStatuses = [
  'committing',
  'staging',
  'gating',
  'migrating',
  'schema_settling',
  'activating',
  'activation_pending',
] as const satisfies readonly DeployStatus[];

/** What a deploy failed with: the members of an error's envelope. */
export interface DeployError {
  readonly code: string;
  readonly message: string;
  readonly [member: string]: unknown;
}

export const operationKinds = ['deploy', 'promote', 'rehearsal'] as const;
export type OperationKind = (typeof operationKinds)[number];

/** A deploy, a promotion or a rehearsal, from its plan to its end. */
export const deployOperations = pgTable(
  'deploy_operations',
  {
    orgId: uuid('org_id').notNull(),
    /** `op_…` */
    id: id().notNull(),
    projectId: id('project_id').notNull(),
    /** Null for a promotion. */
    planId: id('plan_id'),
    kind: text('kind').$type<OperationKind>().notNull(),
    status: text('status').$type<DeployStatus>().notNull(),
    baseReleaseId: id('base_release_id'),
    targetReleaseId: id('target_release_id'),
    /** Set once it is live. */
    releaseId: id('release_id'),
    generation: bigint('generation', { mode: 'bigint' }),
    urls: jsonb('urls').$type<Readonly<Record<string, string>>>(),
    error: jsonb('error').$type<DeployError>(),
    actor: jsonb('actor').$type<OperationActor>(),
    activateAttempts: integer('activate_attempts').notNull().default(0),
    lastActivateAttemptAt: moment('last_activate_attempt_at'),
    /** Raised by each process that takes it up: what an earlier one still writes is refused. */
    attempt: integer('attempt').notNull().default(0),
    /** Until then the process that works on it is believed to be alive. */
    leaseUntil: moment('lease_until'),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.id] }),
    uniqueIndex('deploy_operations_id_uq').on(t.id, t.orgId),
    // One deploy of a project at a time.
    uniqueIndex('deploy_operations_running_uq')
      .on(t.orgId, t.projectId)
      .where(
        sql`status in ('committing', 'staging', 'gating', 'migrating', 'schema_settling', 'activating', 'activation_pending')`,
      ),
    index('deploy_operations_project_idx').on(t.orgId, t.projectId, t.createdAt, t.id),
  ],
);

/** What happens in the deploys of a project, in one order. */
export const deployEvents = pgTable(
  'deploy_events',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    position: bigint('position', { mode: 'bigint' }).notNull(),
    operationId: id('operation_id').notNull(),
    event: jsonb('event').$type<Readonly<Record<string, unknown>>>().notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId, t.position] }),
    index('deploy_events_operation_idx').on(t.orgId, t.operationId, t.position),
  ],
);
