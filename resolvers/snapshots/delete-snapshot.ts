import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { projectBranches } from '../../db/schema/branches.ts';
import { projectRestores } from '../../db/schema/snapshots.ts';
import { pick, statement } from '../../db/sql.ts';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { ofProject, snapshotApproval } from './create-snapshot.ts';
import { snapshotActions } from './shared/actions.ts';
import { forgetSnapshot } from './shared/forget-snapshot.ts';
import { findSnapshot, type Snapshot, snapshotId } from './shared/snapshot-row.ts';

/** `DELETE /projects/v1/:project_id/snapshots/:snapshot_id`. Contract 03, section 6. */
export const deleteSnapshot = mutation({
  name: 'snapshots.delete',
  tool: 'delete_project_snapshot',
  command: 'snapshots delete',
  effects: ['destructive', 'idempotent'],
  summary: 'Delete a snapshot of a project with what it holds, for good. One that is being taken is ended.',
  path: 'DELETE /projects/v1/:project_id/snapshots/:snapshot_id',
  access: onProject(snapshotActions['project:snapshots:manage'], ofProject),
  lifecycle: 'gated',
  writeApproval: snapshotApproval,
  input: z.object({ project: projectId, snapshot: snapshotId }),
  async handler(work, { snapshot: id }): Promise<Snapshot> {
    const project = await lockProjectFor(work, snapshotActions['project:snapshots:manage']);
    const owner = { projectId: project.id };
    const snapshot = await findSnapshot(work.rows, owner, id);
    const [using] = await work.rows(usingStatement.with({ ...owner, snapshotId: id }));
    if (using !== undefined)
      throw new ServiceError('SNAPSHOT_IN_USE', {
        details: { snapshot_id: id, operation_id: using.id },
        retryAfter: 5,
      });
    await forgetSnapshot(work, id);
    return snapshot;
  },
  audit: ({ id, kind, projectId: project }) => ({
    action: 'snapshot.deleted',
    object: { kind: 'snapshot', id },
    details: { project_id: project, kind },
  }),
  wire: z.object({ status: z.literal('deleted'), snapshot_id: z.string() }),
  toWire: ({ id }) => ({ status: 'deleted' as const, snapshot_id: id }),
});

const usingStatement = statement(
  'snapshots.used-by',
  { params: pick(projectRestores, 'projectId', 'snapshotId'), row: pick(projectRestores, 'id') },
  ({ projectId: project, snapshotId: id }, row) => sql`select ${row} from ${projectRestores}
    where ${projectRestores.projectId} = ${project} and ${projectRestores.dueAt} is not null
      and (${projectRestores.snapshotId} = ${id} or ${projectRestores.preRestoreId} = ${id})
    union all select ${projectBranches.operationId} from ${projectBranches}
    where ${projectBranches.parentId} = ${project} and ${projectBranches.dueAt} is not null
      and ${projectBranches.snapshotId} = ${id}`,
);
