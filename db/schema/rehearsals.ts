import { createdAt, id, moment } from '../columns.ts';
import { index, integer, jsonb, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';

/** What becomes of the branch of a rehearsal that is over. */
export const teardowns = ['keep', 'on_pass', 'always'] as const;
export type Teardown = (typeof teardowns)[number];

/** Deploys that are tried on a branch first. Contract 03, section 2.5. */
export const deployRehearsals = pgTable(
  'deploy_rehearsals',
  {
    /** The operation that it is, `op_…`. */
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    planId: id('plan_id').notNull(),
    /** The project that the branch is. */
    branchId: id('branch_id').notNull(),
    /** The plan and the deploy there; null before they begin. */
    branchPlanId: id('branch_plan_id'),
    branchOperationId: id('branch_operation_id'),
    teardown: text('teardown').$type<Teardown>().notNull(),
    /** Ids of the migrations that the plan would run, in their order. */
    migrations: jsonb('migrations').$type<readonly string[]>().notNull(),
    /** When a node has to look at it next; null for what is over. */
    dueAt: moment('due_at'),
    /** Names the node's hold of it. */
    lease: text('lease'),
    /** How often it was begun. */
    attempts: integer('attempts').notNull().default(0),
    /** What it has come to, as it is answered; null until it is over. */
    report: jsonb('report').$type<Readonly<Record<string, unknown>>>(),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    // One of a plan at a time.
    uniqueIndex('deploy_rehearsals_running_uq').on(t.planId).where(sql`due_at is not null`),
    index('deploy_rehearsals_project_idx').on(t.projectId),
    index('deploy_rehearsals_due_idx').on(t.dueAt).where(sql`due_at is not null`),
    index('deploy_rehearsals_lane_idx').on(t.projectId, t.dueAt).where(sql`due_at is not null`),
  ],
);
