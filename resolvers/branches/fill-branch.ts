import { alias, sql } from '../../db/drizzle.ts';
import { projectBranches } from '../../db/schema/branches.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { projects } from '../../db/schema/projects.ts';
import { allOf, from, partOf, pick, prefixed, setOf, statement, typed } from '../../db/sql.ts';
import { projectColumns, projectOf } from '../../kernel/access/project-columns.ts';
import {
  heldStatement,
  type LeasedItem,
  leasedStatements,
  putOffStatement,
} from '../../kernel/durability/leased-statements.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import { asOwn, attemptCopy } from '../snapshots/shared/attempt-copy.ts';
import { placeCopy } from '../snapshots/shared/place-copy.ts';
import { findSnapshot, type Snapshot } from '../snapshots/shared/snapshot-row.ts';
import { takeHeld } from '../snapshots/shared/take-held.ts';
import { filledColumns } from './branch-row.ts';
import { failBranch, openBranch } from './settle-branch.ts';

/** How long a node has a branch without a word of it, in seconds. */
const leaseSeconds = 30;

const leasedTable = {
  table: projectBranches,
  id: projectBranches.id,
  lane: projectBranches.parentId,
  dueAt: projectBranches.dueAt,
  lease: projectBranches.lease,
};

export const leasedBranches = leasedStatements(leasedTable, leaseSeconds);

const heldBranch = heldStatement(leasedTable);
const putOffBranch = putOffStatement(leasedTable, projectBranches.attempts);

/** A branch in the hands of this node. */
type Filling = NonNullable<Awaited<ReturnType<typeof begin>>>;

/** Makes a branch: fills its database, gives it the release, and opens it. Each step may be repeated by another node. */
export async function fillBranch(ctx: Context, item: LeasedItem): Promise<void> {
  const filling = await begin(ctx, item);
  if (filling === undefined) return;
  return attemptCopy(ctx, item, {
    attempts: filling.branch.attempts,
    failed: 'A branch could not be made.',
    async run() {
      const snapshot = await snapshotFor(ctx, filling);
      const filled = { snapshotId: snapshot.id, withAuth: true };
      await placeCopy(ctx, filled, filling.project, item, heldBranch);
      await unitOfWork(ctx, (work) => openBranch(work, item, filling, snapshot)).catch(asOwn);
    },
    putOff: putOffBranch,
    fail: (reason) => unitOfWork(ctx, (work) => failBranch(work, item, reason)),
  });
}

async function begin(ctx: Context, { id, lease }: LeasedItem) {
  const [row] = await ctx.services.db.rows(beginStatement.with({ id, lease }));
  if (row === undefined) return undefined;
  const { 'parent.server': server, 'parent.databaseName': databaseName } = row;
  const branch = branchOf(row)!;
  return { branch, project: projectOf(row)!, org: orgOf(row)!, parent: { server, databaseName } };
}

/** What the branch is filled from: taken first, where it is to be what the project is now. */
function snapshotFor(ctx: Context, { branch, parent }: Filling): Promise<Snapshot> {
  const { parentId, snapshotId, takesSnapshot, operationId } = branch;
  return takesSnapshot
    ? takeHeld(ctx, { projectId: parentId, snapshotId, heldBy: operationId }, parent)
    : findSnapshot(ctx.services.db.rows, { projectId: parentId }, snapshotId);
}

const parents = alias(projects, 'parents');
const orgColumns = allOf(orgs);
const orgOf = partOf('org.', orgColumns);
const branchOf = partOf('branch.', filledColumns);

const held = { ...pick(projectBranches, 'id'), lease: typed<string>('text') };

const beginStatement = statement(
  'branches.begin',
  {
    params: held,
    row: {
      ...prefixed('branch.', filledColumns),
      ...prefixed('project.', projectColumns),
      ...prefixed('org.', orgColumns),
      ...prefixed('parent.', pick(parents, 'server', 'databaseName')),
    },
  },
  ({ id, lease }, row) => sql`update ${projectBranches} ${setOf(projectBranches, {
    attempts: sql`${projectBranches.attempts} + 1`,
  })} from ${projects}, ${orgs}, ${from(parents)}
    where ${projectBranches.id} = ${id} and ${projectBranches.lease} = ${lease}
      and ${projects.orgId} = ${projectBranches.orgId} and ${projects.id} = ${projectBranches.id}
      and ${projects.deletedAt} is null and ${orgs.id} = ${projectBranches.orgId}
      and ${parents.orgId} = ${projectBranches.orgId} and ${parents.id} = ${projectBranches.parentId}
    returning ${row}`,
);
