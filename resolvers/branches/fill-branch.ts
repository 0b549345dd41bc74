import { ServiceError } from '../../core/errors.ts';
import { alias, sql } from '../../db/drizzle.ts';
import type { ProjectDatabase } from '../../db/project-databases.ts';
import { exchangeDatabases, isPlaced } from '../../db/project-exchange.ts';
import { projectBranches } from '../../db/schema/branches.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { projects } from '../../db/schema/projects.ts';
import { allOf, from, partOf, pick, prefixed, setOf, statement, typed } from '../../db/sql.ts';
import { projectColumns, projectOf } from '../../kernel/access/project-columns.ts';
import { type LeasedItem, leasedStatements } from '../../kernel/durability/leased-statements.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import { attemptsMax, mayPass, pauseAfter, reasonOf } from '../snapshots/shared/copy-failure.ts';
import { fillDraft } from '../snapshots/shared/fill-draft.ts';
import { findSnapshot, type Snapshot } from '../snapshots/shared/snapshot-row.ts';
import { takeHeld } from '../snapshots/shared/take-held.ts';
import { filledColumns } from './branch-row.ts';
import { failBranch, LostBranchError, openBranch, stillHeld } from './settle-branch.ts';

/** How long a node has a branch without a word of it, in seconds. */
const leaseSeconds = 30;

export const leasedBranches = leasedStatements(
  {
    table: projectBranches,
    id: projectBranches.id,
    lane: projectBranches.parentId,
    dueAt: projectBranches.dueAt,
    lease: projectBranches.lease,
  },
  leaseSeconds,
);

/** A branch in the hands of this node. */
type Filling = NonNullable<Awaited<ReturnType<typeof begin>>>;

/** Makes a branch: fills its database, gives it the release, and opens it. Each step may be repeated by another node. */
export async function fillBranch(ctx: Context, item: LeasedItem): Promise<void> {
  const filling = await begin(ctx, item);
  if (filling === undefined) return;
  const { attempts } = filling.branch;
  try {
    if (attempts > attemptsMax) throw new WornOutError('It was begun five times, and came to no end.');
    const snapshot = await snapshotFor(ctx, filling);
    await fillDatabase(ctx, item, filling, snapshot);
    await unitOfWork(ctx, (work) => openBranch(work, item, filling, snapshot)).catch(asOwn);
  } catch (error) {
    if (error instanceof LostBranchError) return;
    const { db, log } = ctx.services;
    const put = { id: item.id, lease: item.lease };
    if (ctx.signal.aborted) return void (await db.rows(putOffStatement.with({ ...put, seconds: 0, uncounted: 1 })));
    log.warn({ branch_id: item.id, err: error }, 'A branch could not be made.');
    if (mayPass(error) && attempts < attemptsMax && !(error instanceof WornOutError))
      return void (await db.rows(putOffStatement.with({ ...put, seconds: pauseAfter(attempts), uncounted: 0 })));
    await unitOfWork(ctx, (work) => failBranch(work, item, reasonOf(error)));
  }
}

/** What the platform's own tables refuse is nothing that a tenant is told the words of. */
function asOwn(error: unknown): never {
  if (error instanceof ServiceError || error instanceof LostBranchError) throw error;
  throw new Error('The branch could not be opened.', { cause: error });
}

class WornOutError extends Error {
  override readonly name = 'LateError';
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

async function fillDatabase(ctx: Context, item: LeasedItem, { project }: Filling, { id }: Snapshot): Promise<void> {
  const { projectDatabases } = ctx.services;
  const { server, databaseName, roleName } = project;
  const database: ProjectDatabase = { server, databaseName, roleName };
  if (await isPlaced(projectDatabases, database)) return;
  await fillDraft(ctx, { snapshotId: id, withAuth: true }, database);
  // A branch that was deleted meanwhile gets no database, which nobody would drop.
  await stillHeld(ctx, item);
  await exchangeDatabases(projectDatabases, database, () => Promise.resolve());
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

const putOffStatement = statement(
  'branches.put-off',
  { params: { ...held, seconds: typed<number>('double precision'), uncounted: typed<number>('integer') } },
  ({ id, lease, seconds, uncounted }) =>
    sql`update ${projectBranches} ${setOf(projectBranches, {
      attempts: sql`${projectBranches.attempts} - ${uncounted}::int`,
      dueAt: sql`now() + make_interval(secs => ${seconds})`,
      lease: sql`null`,
    })} where ${projectBranches.id} = ${id} and ${projectBranches.lease} = ${lease}`,
);
