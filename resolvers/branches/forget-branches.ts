import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { projectBranches } from '../../db/schema/branches.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
import { writeSystemAudit } from '../../kernel/durability/audit-log.ts';
import { untilNotFull } from '../../kernel/durability/housekeeping.ts';
import { unitOfWork, type Work } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../kernel/feeds/append-event.ts';
import type { Task } from '../../kernel/run/task.ts';
import { deleteInSteps } from '../projects/shared/begin-deletion.ts';
import type { DeletedProject } from '../projects/shared/deletion-hooks.ts';
import { lockProject } from '../projects/shared/lock-project.ts';
import { forgetSnapshot } from '../snapshots/shared/forget-snapshot.ts';
import type { Branch } from './branch-row.ts';
import { branchEventTypes } from './event-types.ts';

const batch = 20;

/** Deletes branches whose time is over, as somebody would who may: in steps that go on whatever stops in between. */
export const deleteExpired: Task = (job) =>
  untilNotFull(job, batch, () =>
    unitOfWork(job.ctx, async (work) => {
      const over = await work.rows(overStatement.with({}));
      for (const branch of over) await discardBranch(work, branch, 'expired');
      return over.length;
    }),
  );

type Named = Pick<Branch, 'id' | 'orgId' | 'parentId' | 'name' | 'snapshotId' | 'takesSnapshot'>;

/** What the trail says of who has deleted a branch. */
const auditReasons = { expired: 'branch_expired', rehearsed: 'rehearsal_over' } as const;

/** Deletes a branch that the platform has no more use for. */
export async function discardBranch(work: Work, branch: Named, reason: keyof typeof auditReasons): Promise<void> {
  const project = await lockProject(work, branch.id);
  if (project === undefined) return forgetBranch(work, branch);
  const { orgId } = await deleteInSteps(work, project, 'branches.delete');
  work.append(branchDeleted(branch, reason));
  const details = { project_id: branch.parentId, name: branch.name };
  await writeSystemAudit(work.client, work, auditReasons[reason], [
    { orgId, action: 'branch.deleted', object: { kind: 'branch', id: branch.id }, details },
  ]);
}

/** Tells the project that a branch of it is gone. */
export const branchDeleted = ({ orgId, parentId, id, name }: Named, reason: 'asked' | keyof typeof auditReasons) =>
  appendEvent({
    orgId,
    projectId: parentId,
    type: branchEventTypes.branch_deleted,
    payload: { branch_project_id: id, name, reason },
  });

/** Forgets a branch whose project is gone, with the snapshot that was taken for it alone. */
export async function forgetBranch(work: Work, { id, snapshotId, takesSnapshot }: Named): Promise<void> {
  await work.rows(deleteStatement.with({ id }));
  if (takesSnapshot) await forgetSnapshot(work, snapshotId);
  work.afterCommit(() => work.services.branchWork.abort(id));
}

/** A branch ends with its project. Those of a project that is deleted are over: the next sweep deletes them. */
export async function forgetBranches(work: Work, { projectId }: DeletedProject): Promise<void> {
  const [own] = await work.rows(ownStatement.with({ id: projectId }));
  if (own !== undefined) await forgetBranch(work, own);
  await work.rows(endStatement.with({ parentId: projectId }));
}

const named = pick(projectBranches, 'id', 'orgId', 'parentId', 'name', 'snapshotId', 'takesSnapshot');

const overStatement = statement(
  'branches.over',
  { row: named },
  (_none, row) => sql`select ${row} from ${projectBranches} where ${isPast(projectBranches.expiresAt)}
    order by ${projectBranches.expiresAt} limit ${sql.raw(String(batch))} for update skip locked`,
);

// What has failed tells why, until its day is over.
const ownStatement = statement(
  'branches.own',
  { params: pick(projectBranches, 'id'), row: named },
  ({ id }, row) => sql`select ${row} from ${projectBranches}
    where ${projectBranches.id} = ${id} and ${projectBranches.status} <> 'failed'`,
);

const deleteStatement = statement(
  'branches.forget',
  { params: pick(projectBranches, 'id') },
  ({ id }) => sql`delete from ${projectBranches} where ${projectBranches.id} = ${id}`,
);

const endStatement = statement(
  'branches.end-with-parent',
  { params: pick(projectBranches, 'parentId') },
  ({ parentId }) =>
    sql`update ${projectBranches} ${setOf(projectBranches, {
      expiresAt: sql`now()`,
      updatedAt: sql`now()`,
    })} where ${projectBranches.parentId} = ${parentId}`,
);
