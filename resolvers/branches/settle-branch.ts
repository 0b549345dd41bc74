import { sql } from '../../db/drizzle.ts';
import { projectBranches } from '../../db/schema/branches.ts';
import type { Org } from '../../db/schema/orgs.ts';
import type { Project } from '../../db/schema/projects.ts';
import { pick, setOf, statement, typed } from '../../db/sql.ts';
import { forgetProjectTargets } from '../../kernel/access/project-target.ts';
import type { LeasedItem } from '../../kernel/durability/leased-statements.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../kernel/feeds/append-event.ts';
import { copyAssets } from '../assets/shared/copy-assets.ts';
import { copyRelease } from '../deploys/shared/copy-release.ts';
import { openSandbox } from '../mailboxes/shared/sandbox.ts';
import { deleteInSteps } from '../projects/shared/begin-deletion.ts';
import { lockProject } from '../projects/shared/lock-project.ts';
import { readyProjectStatement } from '../projects/shared/ready-project.ts';
import { LostCopyError } from '../snapshots/shared/attempt-copy.ts';
import { forgetSnapshot } from '../snapshots/shared/forget-snapshot.ts';
import type { Snapshot } from '../snapshots/shared/snapshot-row.ts';
import type { FilledBranch } from './branch-row.ts';
import { branchEventTypes } from './event-types.ts';

type Held = Pick<LeasedItem, 'id' | 'lease'>;

/** What is made. */
export interface Filled {
  readonly branch: FilledBranch;
  readonly project: Project;
  readonly org: Org;
}

/**
 * Makes the project of a branch ready, with the release that was live when its data was as it is, the assets of now, and a
 * mailbox that nothing leaves. A snapshot that was taken for it is forgotten.
 *
 * @throws LostCopyError
 */
export async function openBranch(work: Work, { id, lease }: Held, filled: Filled, from: Snapshot): Promise<void> {
  const { branch, project, org } = filled;
  const { parentId, operationId, name } = branch;
  const owner = { orgId: org.id, projectId: id };
  if ((await lockProject(work, id)) === undefined) throw new LostCopyError('The branch was deleted.');
  await work.rows(readyProjectStatement.with({ orgId: org.id, id }));
  await copyAssets(work, { orgId: org.id, source: parentId, target: id });
  const releaseId =
    from.liveReleaseId === null
      ? null
      : await copyRelease(work, {
          source: { orgId: org.id, projectId: parentId },
          releaseId: from.liveReleaseId,
          scope: { org, project },
          operationId,
        });
  if (project.branch?.mail === 'sandbox') await openSandbox(work, owner);
  const [opened] = await work.rows(
    activeStatement.with({
      id,
      lease,
      capturedAt: from.capturedAt,
      parentReleaseId: releaseId === null ? null : from.liveReleaseId,
      branchReleaseId: releaseId,
    }),
  );
  if (opened === undefined) throw new LostCopyError('The branch was taken over.');
  if (branch.takesSnapshot) await forgetSnapshot(work, branch.snapshotId);
  const told = { branch_project_id: id, name };
  work.append(appendEvent({ orgId: org.id, projectId: parentId, type: branchEventTypes.branch_ready, payload: told }));
  work.afterCommit(() => forgetProjectTargets(work.services));
}

/** Notes that a branch came to nothing. Why is told for a day; what was made of its project is dropped. */
export async function failBranch(work: Work, { id, lease }: Held, message: string): Promise<void> {
  const project = await lockProject(work, id);
  const error = { code: 'BRANCH_FAILED', message };
  const [failed] = await work.rows(failStatement.with({ id, lease, error: JSON.stringify(error) }));
  if (failed === undefined || project === undefined) return;
  const { orgId, parentId, name, snapshotId, takesSnapshot } = failed;
  if (takesSnapshot) await forgetSnapshot(work, snapshotId);
  await deleteInSteps(work, project, 'branches.delete');
  const told = { branch_project_id: id, name, error_code: error.code, message };
  work.append(appendEvent({ orgId, projectId: parentId, type: branchEventTypes.branch_failed, payload: told }));
}

const held = { ...pick(projectBranches, 'id'), lease: typed<string>('text') };

const over = { dueAt: sql`null`, lease: sql`null`, updatedAt: sql`now()` };

const activeStatement = statement(
  'branches.active',
  {
    params: { ...held, ...pick(projectBranches, 'capturedAt', 'parentReleaseId', 'branchReleaseId') },
    row: pick(projectBranches, 'id'),
  },
  ({ id, lease, ...set }, row) =>
    sql`update ${projectBranches} ${setOf(projectBranches, {
      ...set,
      ...over,
      status: sql`'active'`,
    })} where ${projectBranches.id} = ${id} and ${projectBranches.lease} = ${lease} returning ${row}`,
);

const failStatement = statement(
  'branches.fail',
  {
    params: { ...held, ...pick(projectBranches, 'error') },
    row: pick(projectBranches, 'orgId', 'parentId', 'name', 'snapshotId', 'takesSnapshot'),
  },
  ({ id, lease, error }, row) =>
    sql`update ${projectBranches} ${setOf(projectBranches, {
      ...over,
      error,
      status: sql`'failed'`,
      expiresAt: sql`now() + interval '1 day'`,
    })} where ${projectBranches.id} = ${id} and ${projectBranches.lease} = ${lease} returning ${row}`,
);
