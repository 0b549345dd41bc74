import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { deployOperations, liveReleases, runningStatuses } from '../../../db/schema/releases.ts';
import { projectRestores } from '../../../db/schema/snapshots.ts';
import { computed, insertInto, pick, statement } from '../../../db/sql.ts';
import { onProject } from '../../../kernel/access/access.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { projectId } from '../../../kernel/input/fields.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { databaseOf } from '../../project-data/shared/in-project.ts';
import { lockProjectFor } from '../../projects/shared/lock-project.ts';
import { ofProject, snapshotApproval } from '../create-snapshot.ts';
import { snapshotActions } from '../shared/actions.ts';
import { insertSnapshot, refuseManySnapshots } from '../shared/insert-snapshot.ts';
import { findSnapshot, snapshotId } from '../shared/snapshot-row.ts';
import {
  confirmHash,
  type PlannedState,
  planRestore,
  type RestorePlan,
  RestorePlanWire,
  refuseOtherState,
} from './restore-plan.ts';
import { endOfRestore, type Restore, RestoreWire, restoreColumns, restoreToWire } from './restore-row.ts';

/** A plan, or the restore that was begun by one. */
export type PlannedOrBegun =
  | { readonly plan: RestorePlan }
  | { readonly restore: Restore; readonly isRepeated: boolean };

/** `POST /projects/v1/:project_id/snapshots/:snapshot_id/restore`. Contract 03, section 6. */
export const restoreSnapshot = mutation({
  name: 'snapshots.restore',
  tool: 'restore_project_snapshot',
  command: 'snapshots restore',
  effects: ['destructive', 'idempotent'],
  duration: 'long',
  summary:
    'Say what a restore of a snapshot would lose, and with the token of that plan put the database of the project back.',
  path: 'POST /projects/v1/:project_id/snapshots/:snapshot_id/restore',
  access: onProject(snapshotActions['project:snapshots:manage'], ofProject),
  lifecycle: 'owned',
  writeApproval: snapshotApproval,
  input: z.object({
    project: projectId,
    snapshot: snapshotId,
    include: z
      .array(z.enum(['auth']))
      .max(8)
      .default([])
      .describe('`auth` has users and passkeys restored, too. Sessions and tokens never are.'),
    include_auth: z.boolean().default(false).describe('The same as `auth` in `include`.'),
    confirm: z
      .string()
      .min(1)
      .max(512)
      .optional()
      .describe('The token of a plan of the last 15 minutes. Without one, nothing is changed.'),
  }),
  async handler(work, { snapshot: id, include, include_auth, confirm }): Promise<PlannedOrBegun> {
    const { org, services } = work;
    const withAuth = include_auth || include.includes('auth');
    const project = await lockProjectFor(work, snapshotActions['project:snapshots:manage']);
    databaseOf({ org, project });
    const owner = { orgId: org.id, projectId: project.id };
    const snapshot = await findSnapshot(work.rows, owner, id);
    if (confirm !== undefined) {
      const [begun] = await work.rows(
        confirmedStatement.with({ ...owner, snapshotId: id, confirmHash: confirmHash(confirm) }),
      );
      if (begun !== undefined) return { restore: begun, isRepeated: true };
    }
    if (snapshot.status !== 'ready')
      throw new ServiceError('SNAPSHOT_NOT_READY', { details: { snapshot_id: id, status: snapshot.status } });
    const [live] = await work.rows(stateStatement.with(owner));
    const state: PlannedState = {
      projectId: project.id,
      snapshotId: id,
      schemaSlot: project.schemaSlot,
      liveReleaseId: live!.liveReleaseId,
      withAuth,
    };
    if (confirm === undefined) return { plan: planRestore(services, snapshot, state) };
    refuseOtherState(services, confirm, state);
    if (live!.isBusy) throw new ServiceError('RESTORE_CONFLICT', { retryAfter: 5 });
    await refuseManySnapshots(work, project.id);
    return { restore: await begin(work, owner, state, confirm), isRepeated: false };
  },
  audit: (output, { snapshot }, { project }) =>
    'plan' in output || output.isRepeated
      ? undefined
      : {
          action: 'database.restore_begun',
          object: { kind: 'snapshot', id: snapshot },
          details: {
            project_id: project.id,
            operation_id: output.restore.id,
            pre_restore_snapshot_id: output.restore.preRestoreId,
            with_auth: output.restore.withAuth,
          },
        },
  wire: z.xor([z.object({ restore_plan: RestorePlanWire }), RestoreWire]),
  toWire: async (output, ctx) =>
    'plan' in output ? { restore_plan: output.plan } : restoreToWire(await endOfRestore(ctx, output.restore)),
});

async function begin(
  work: Work,
  owner: { readonly orgId: string; readonly projectId: string },
  state: PlannedState,
  confirm: string,
): Promise<Restore> {
  const id = work.services.newId('op');
  const preRestore = await insertSnapshot(work, { ...owner, kind: 'pre_restore', operationId: id, heldBy: id });
  const [restore] = await work.rows(
    insertStatement.with({
      ...owner,
      id,
      snapshotId: state.snapshotId,
      preRestoreId: preRestore.id,
      withAuth: state.withAuth,
      confirmHash: confirmHash(confirm),
      oldSlot: state.schemaSlot,
    }),
  );
  work.afterCommit(() => work.services.copies.wake());
  return restore!;
}

const running = sql.raw(runningStatuses.map((one) => `'${one}'`).join(', '));
const ofOwner = pick(projectRestores, 'orgId', 'projectId');

const stateStatement = statement(
  'restores.state',
  {
    params: ofOwner,
    row: {
      liveReleaseId: computed<string | null>('text', sql`live.release_id`),
      isBusy: computed<boolean>('boolean', sql`busy.is_busy`),
    },
  },
  ({ orgId, projectId: project }, row) => sql`select ${row}
    from (select (select ${liveReleases.releaseId} from ${liveReleases}
      where ${liveReleases.orgId} = ${orgId} and ${liveReleases.projectId} = ${project}) as release_id) as live
    cross join (select exists (select from ${deployOperations}
        where ${deployOperations.orgId} = ${orgId} and ${deployOperations.projectId} = ${project}
          and ${deployOperations.status} in (${running}))
      or exists (select from ${projectRestores}
        where ${projectRestores.projectId} = ${project} and ${projectRestores.dueAt} is not null) as is_busy) as busy`,
);

const confirmedStatement = statement(
  'restores.confirmed',
  { params: pick(projectRestores, 'orgId', 'projectId', 'snapshotId', 'confirmHash'), row: restoreColumns },
  (given, row) => sql`select ${row} from ${projectRestores}
    where ${projectRestores.confirmHash} = ${given.confirmHash} and ${projectRestores.orgId} = ${given.orgId}
      and ${projectRestores.projectId} = ${given.projectId} and ${projectRestores.snapshotId} = ${given.snapshotId}`,
);

const insertStatement = statement(
  'restores.insert',
  {
    params: pick(
      projectRestores,
      'id',
      'orgId',
      'projectId',
      'snapshotId',
      'preRestoreId',
      'withAuth',
      'confirmHash',
      'oldSlot',
    ),
    row: restoreColumns,
  },
  (given, row) =>
    sql`${insertInto(projectRestores, {
      ...given,
      status: sql`'running'`,
      phase: sql`'saving'`,
      dueAt: sql`now()`,
    })} returning ${row}`,
);
