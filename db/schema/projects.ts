import { createdAt, id, moment } from '../columns.ts';
import {
  bigint,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  primaryKey,
  sql,
  text,
  uniqueIndex,
  uuid,
} from '../drizzle.ts';
import { principals } from './identity.ts';
import { orgs } from './orgs.ts';

/** Numbers of the schema slots that projects are known by (`p0001`). */
export const projectSlots = pgSequence('project_slots');

/** A public snapshot of who acted and by what right. Contract 01, section 5.2. */
export interface OperationActor {
  readonly schema_version: 1;
  readonly principal: {
    readonly principal_id: string;
    readonly principal_type: 'human' | 'agent' | 'ci' | 'system';
    readonly display_name_at_capture: string | null;
    readonly linked_identities_at_capture: never[];
  } | null;
  readonly authenticator: {
    readonly authenticator_id: string;
    readonly kind: string;
    readonly public_subject: string;
  } | null;
  readonly authority: { readonly kind: string; readonly [fact: string]: unknown };
  readonly captured_at: string;
}

/** What holds for a branch, so that it stays without effect outside of itself. Contract 03, section 7. */
export interface BranchFacts {
  readonly parentId: string;
  /** `sandbox`: mail is kept where it can be read. `off`: none is written. */
  readonly mail: 'sandbox' | 'off';
  /** Whether schedules of its functions run. */
  readonly cron: boolean;
}

export type ProjectState = 'provisioning' | 'ready' | 'failed' | 'deleting' | 'deleted';

export const projects = pgTable(
  'projects',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id),
    id: id().notNull(),
    /** Rows that one PATCH or DELETE may change where its request says nothing of that; null for any number. */
    maxAffected: integer('max_affected'),
    /** Short and opaque; names hosts and mail addresses (`p-<public_id>`). */
    publicId: text('public_id').notNull(),
    name: text('name').notNull(),
    /** Address form, unique in the organization. */
    repoName: text('repo_name'),
    /** `provisioning` until its database and login role exist. */
    state: text('state').$type<ProjectState>().notNull(),
    schemaSlot: text('schema_slot').notNull(),
    /** Which of the project servers holds the database. */
    server: text('server').notNull(),
    databaseName: text('database_name').notNull(),
    roleName: text('role_name').notNull(),
    /** Version of the template that the database is known to be brought to; 0 until it was looked at. */
    templateVersion: integer('template_version').notNull().default(0),
    /** When bringing it to a newer one was last begun: no other node begins for a while then. */
    templateTriedAt: moment('template_tried_at'),
    /** When its next daily snapshot is to be taken. */
    snapshotDueAt: moment('snapshot_due_at').notNull().default(sql`now() + random() * interval '1 day'`),
    /** Null for a project that is no branch. */
    branch: jsonb('branch').$type<BranchFacts>(),
    createdBy: id('created_by').references(() => principals.id),
    /** Who created it and by what right, as it was then; null for projects made before this was kept. */
    creator: jsonb('creator').$type<OperationActor>(),
    createdAt: createdAt(),
    archivedAt: moment('archived_at'),
    deletedAt: moment('deleted_at'),
    /** The offer of it that is pending; while there is one, nothing of it is changed that is handed over with it. */
    transferId: uuid('transfer_id'),
    /** When it came to its organization from another one; null for one that has always been there. */
    transferredAt: moment('transferred_at'),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.id] }),
    // Requests name a project without its organization. Ids are random, so the pair above keeps them unique.
    index('projects_id_idx').on(t.id),
    // A project's own host is found by it alone.
    uniqueIndex('projects_public_id_uq').on(t.publicId),
    uniqueIndex('projects_repo_name_uq').on(t.orgId, t.repoName),
    // Lists run newest first.
    index('projects_newest_idx').on(t.orgId, t.createdAt, t.id),
    // What came for a project after it was deleted is swept up.
    index('projects_deleted_idx').on(t.deletedAt).where(sql`${t.deletedAt} is not null`),
    // What the sweep over databases has yet to do: nothing, most of the time, however many projects there are.
    index('projects_template_version_idx')
      .on(t.templateVersion, t.id)
      .where(sql`${t.state} = 'ready' and ${t.deletedAt} is null`),
    index('projects_snapshot_due_idx').on(t.snapshotDueAt).where(sql`${t.state} = 'ready' and ${t.deletedAt} is null`),
  ],
);

/** A capability on one project, given to a principal that need not be a member. */
export const projectGrants = pgTable(
  'project_grants',
  {
    orgId: uuid('org_id').notNull(),
    id: uuid('id').notNull(),
    projectId: id('project_id').notNull(),
    principalId: id('principal_id')
      .notNull()
      .references(() => principals.id),
    capability: text('capability').notNull(),
    policy: jsonb('policy').$type<Record<string, unknown>>(),
    expiresAt: moment('expires_at'),
    revokedAt: moment('revoked_at'),
    createdBy: id('created_by'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.id] }),
    index('project_grants_principal_idx').on(t.principalId, t.projectId),
    // A capability is given to a principal once at a time; also the list of a project's grants.
    uniqueIndex('project_grants_live_uq')
      .on(t.orgId, t.projectId, t.principalId, t.capability)
      .where(sql`${t.revokedAt} is null`),
  ],
);

/** What a delegate token may do; never more than the grant it narrows. */
export interface DelegateScope {
  readonly v: 1;
  readonly capabilities: readonly string[];
  readonly projects?: readonly string[];
  /** The binding of CI that it acts for, `bnd_…`. */
  readonly binding?: string;
}

/** What a delegate may spend, in micro-dollars; checked when paying, not on entering. */
export interface SpendCap {
  readonly v: 1;
  readonly currency: 'usd_micros';
  readonly period?: 'day' | 'week' | 'month';
  readonly per_period?: number;
  readonly per_tx?: number;
}

/** Bearers that narrow a grant. Only the token's hash is kept. */
export const delegates = pgTable(
  'delegates',
  {
    orgId: uuid('org_id').notNull(),
    id: uuid('id').notNull(),
    projectId: id('project_id').notNull(),
    grantId: uuid('grant_id').notNull(),
    /** The delegate acts as a principal of its own. */
    principalId: id('principal_id')
      .notNull()
      .references(() => principals.id),
    kind: text('kind').notNull(),
    tokenHash: text('token_hash'),
    scope: jsonb('scope').$type<DelegateScope>().notNull(),
    spendCap: jsonb('spend_cap').$type<SpendCap>(),
    /** For kinds that prove themselves by something public: an address, a workflow. */
    publicSubject: text('public_subject'),
    expiresAt: moment('expires_at'),
    revokedAt: moment('revoked_at'),
    createdBy: id('created_by'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.id] }),
    index('delegates_token_idx').on(t.tokenHash),
    index('delegates_project_idx').on(t.orgId, t.projectId),
  ],
);

/** What projects used, by the period of their organization that it counts for (`orgs.usage_since`). */
export const projectUsage = pgTable(
  'project_usage',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    since: moment('since').notNull(),
    /** Requests made with the project's own keys, its users among them. */
    apiCalls: bigint('api_calls', { mode: 'bigint' }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId, t.since] }),
    // Old periods are swept up.
    index('project_usage_since_idx').on(t.since),
  ],
);

/**
 * How far each node has written what it counted: a batch that is sent again, because it is unknown whether it arrived,
 * finds its number taken. Rows of nodes that are gone are swept up.
 */
export const usageFlushes = pgTable('usage_flushes', {
  /** A process, by a name it makes up at its start. */
  node: text('node').primaryKey(),
  /** Its last batch. */
  seq: bigint('seq', { mode: 'bigint' }).notNull(),
  flushedAt: moment('flushed_at').notNull().defaultNow(),
});

export type StepState = 'running' | 'done' | 'undone' | 'stuck';

/** Work that no transaction can hold: what was begun, so that a job finishes or undoes it after a crash. */
export const stepOperations = pgTable(
  'step_operations',
  {
    orgId: uuid('org_id').notNull(),
    id: id().notNull(),
    /** The operation's name. */
    operation: text('operation').notNull(),
    /** What its effect works on, as the operation wrote it when it began. */
    ref: jsonb('ref').$type<Readonly<Record<string, string>>>().notNull(),
    state: text('state').$type<StepState>().notNull().default('running'),
    attempts: integer('attempts').notNull().default(0),
    /** Until then the process that works on it is believed alive. */
    leaseUntil: moment('lease_until').notNull(),
    lastError: text('last_error'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.id] }),
    // Jobs and idempotency keys name a step by its id alone. Ids are random, so the pair above keeps them unique.
    index('step_operations_id_idx').on(t.id),
    index('step_operations_running_idx').on(t.state, t.leaseUntil),
  ],
);

/** A project as everybody reads it; what upgrades note is theirs alone. */
export type Project = Omit<typeof projects.$inferSelect, 'templateVersion' | 'templateTriedAt' | 'snapshotDueAt'>;
export type Grant = typeof projectGrants.$inferSelect;
/** A delegate as it is shown: nothing of its token. */
export type Delegate = Omit<typeof delegates.$inferSelect, 'tokenHash'>;
