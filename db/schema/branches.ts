import { createdAt, id, moment } from '../columns.ts';
import { boolean, index, integer, jsonb, pgTable, sql, text, uuid } from '../drizzle.ts';
import type { CopyError } from './snapshots.ts';

export const branchStatuses = ['creating', 'active', 'failed'] as const;
export type BranchStatus = (typeof branchStatuses)[number];

/** Projects that were made from another one for a while. Contract 03, section 7. */
export const projectBranches = pgTable(
  'project_branches',
  {
    /** The project that the branch is, `prj_…`. */
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    parentId: id('parent_id').notNull(),
    /** `op_…` */
    operationId: id('operation_id').notNull(),
    name: text('name').notNull(),
    snapshotId: id('snapshot_id').notNull(),
    /** Whether the snapshot is taken for it, by whoever fills it. */
    takesSnapshot: boolean('takes_snapshot').notNull(),
    status: text('status').$type<BranchStatus>().notNull(),
    /** When a node has to look at it next; null for what is over. */
    dueAt: moment('due_at'),
    /** Names the node's hold of it. */
    lease: text('lease'),
    /** How often it was begun. */
    attempts: integer('attempts').notNull().default(0),
    /** When its data was as it began. */
    capturedAt: moment('captured_at'),
    /** The release that it was made from, and its own copy of it. */
    parentReleaseId: id('parent_release_id'),
    branchReleaseId: id('branch_release_id'),
    error: jsonb('error').$type<CopyError>(),
    /** It is deleted then; what has failed is forgotten. */
    expiresAt: moment('expires_at').notNull(),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('project_branches_parent_idx').on(t.parentId, t.createdAt, t.id),
    index('project_branches_due_idx').on(t.dueAt).where(sql`due_at is not null`),
    index('project_branches_lane_idx').on(t.parentId, t.dueAt).where(sql`due_at is not null`),
    index('project_branches_expiry_idx').on(t.expiresAt),
  ],
);
