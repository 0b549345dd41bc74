import { z } from 'zod';
import { onProject } from '../../kernel/access/access.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { databaseOf } from '../project-data/shared/in-project.ts';
import { lockProjectFor } from '../projects/shared/lock-project.ts';
import { snapshotActions } from './shared/actions.ts';
import { insertSnapshot, refuseManySnapshots } from './shared/insert-snapshot.ts';
import { type Snapshot, SnapshotWire, snapshotToWire } from './shared/snapshot-row.ts';

export const ofProject = ({ project }: { readonly project: string }): string => project;

/** What of a project a person has to approve. Contract 01, section 1.10. */
export const snapshotApproval = {
  action: 'project.snapshots.manage',
  field: 'project_id',
  target: ofProject,
} as const;

/** `POST /projects/v1/:project_id/snapshots`. Contract 03, section 6. */
export const createSnapshot = mutation({
  name: 'snapshots.create',
  tool: 'create_project_snapshot',
  command: 'snapshots create',
  summary: 'Begin to take a snapshot of the database of a project, while it is used. It is kept for 30 days.',
  path: 'POST /projects/v1/:project_id/snapshots 202',
  access: onProject(snapshotActions['project:snapshots:manage'], ofProject),
  lifecycle: 'gated',
  writeApproval: snapshotApproval,
  input: z.object({ project: projectId }),
  async handler(work): Promise<Snapshot> {
    const { services, org } = work;
    const project = await lockProjectFor(work, snapshotActions['project:snapshots:manage']);
    databaseOf({ org, project });
    await refuseManySnapshots(work, project.id);
    const owner = { orgId: org.id, projectId: project.id };
    return insertSnapshot(work, { ...owner, kind: 'manual', operationId: services.newId('op') });
  },
  audit: ({ id, kind, projectId: project }) => ({
    action: 'snapshot.created',
    object: { kind: 'snapshot', id },
    details: { project_id: project, kind },
  }),
  wire: SnapshotWire,
  toWire: snapshotToWire,
});
