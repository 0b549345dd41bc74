import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { projectBranches } from '../../../db/schema/branches.ts';
import type { BranchFacts } from '../../../db/schema/projects.ts';
import { computed, insertInto, pick, statement, typed } from '../../../db/sql.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { branchesPerProject } from '../../../kernel/limits/limits.ts';
import { refuseOverQuota } from '../../../kernel/limits/quota.ts';
import { refuseOverStorage, storageOfProjects } from '../../../kernel/limits/storage.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { databaseOf } from '../../project-data/shared/in-project.ts';
import { insertProject } from '../../projects/shared/insert-project.ts';
import type { ProjectRow } from '../../projects/shared/wire.ts';
import { insertSnapshot } from '../../snapshots/shared/insert-snapshot.ts';
import { findSnapshot } from '../../snapshots/shared/snapshot-row.ts';

/** How a branch is to be. */
export interface WantedBranch extends Pick<BranchFacts, 'mail' | 'cron'> {
  /** For people. */
  readonly name: string;
  /** Days until it is deleted. */
  readonly days: number;
  /** The snapshot that it begins from. @default what the project is now */
  readonly from?: string | undefined;
}

/** A branch takes as much as what it is made from. Waits for the database of the project. @throws QUOTA_EXCEEDED */
export async function refuseFullStorage({ services, org, project }: Context & ProjectScope): Promise<void> {
  const [copied] = await storageOfProjects(services, [project]);
  await refuseOverStorage(services, org, copied!, 'The branch');
}

/**
 * Has a branch be made of a project, whose row is locked.
 *
 * @returns the id of its own project
 * @throws NESTED_BRANCH, QUOTA_EXCEEDED, SNAPSHOT_NOT_FOUND, SNAPSHOT_NOT_READY
 */
export async function beginBranch(
  work: Work & ProjectScope,
  parent: ProjectRow,
  { name, mail, cron, days, from }: WantedBranch,
): Promise<string> {
  const { org, services } = work;
  databaseOf({ org, project: parent });
  if (parent.branch !== null)
    throw new ServiceError('NESTED_BRANCH', { details: { parent_project_id: parent.branch.parentId } });
  await refuseOverQuota(
    work,
    countStatement.with({ parentId: parent.id }),
    { scope: 'project', metric: 'branches' },
    branchesPerProject,
  );
  const operationId = services.newId('op');
  const { id } = await insertProject(work, work, { name, branch: { parentId: parent.id, mail, cron } });
  await work.rows(
    insertStatement.with({
      orgId: org.id,
      id,
      parentId: parent.id,
      operationId,
      name,
      snapshotId: await snapshotOf(work, parent, from, operationId),
      takesSnapshot: from === undefined,
      days,
    }),
  );
  work.afterCommit(() => services.branchWork.wake());
  return id;
}

/** The snapshot that a branch is filled from. @throws SNAPSHOT_NOT_FOUND, SNAPSHOT_NOT_READY */
async function snapshotOf(work: Work, parent: ProjectRow, from: string | undefined, heldBy: string): Promise<string> {
  const owner = { orgId: parent.orgId, projectId: parent.id };
  if (from === undefined)
    return (await insertSnapshot(work, { ...owner, kind: 'manual', operationId: heldBy, heldBy })).id;
  const { status } = await findSnapshot(work.rows, owner, from);
  if (status !== 'ready') throw new ServiceError('SNAPSHOT_NOT_READY', { details: { snapshot_id: from, status } });
  return from;
}

const countStatement = statement(
  'branches.count',
  {
    params: pick(projectBranches, 'parentId'),
    row: { used: computed<number>('integer', sql`count(*)::int`) },
  },
  ({ parentId }, row) => sql`select ${row} from ${projectBranches}
    where ${projectBranches.parentId} = ${parentId} and ${projectBranches.status} <> 'failed'`,
);

const insertStatement = statement(
  'branches.insert',
  {
    params: {
      ...pick(projectBranches, 'orgId', 'id', 'parentId', 'operationId', 'name', 'snapshotId', 'takesSnapshot'),
      days: typed<number>('integer'),
    },
  },
  ({ days, ...given }) =>
    insertInto(projectBranches, {
      ...given,
      status: sql`'creating'`,
      dueAt: sql`now()`,
      expiresAt: sql`now() + make_interval(days => ${days})`,
    }),
);
