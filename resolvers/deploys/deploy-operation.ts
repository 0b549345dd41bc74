import { z } from 'zod';
import { type SQL, sql } from '../../db/drizzle.ts';
import { deployRehearsals } from '../../db/schema/rehearsals.ts';
import { type DeployStatus, deployOperations, operationKinds, type runningStatuses } from '../../db/schema/releases.ts';
import { projectSnapshots } from '../../db/schema/snapshots.ts';
import { computed, pick, type RowOf, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import { OperationActorWire } from '../projects/shared/wire.ts';
import type { ReleaseOwner } from './release-store.ts';
import { type RehearsalReport, RehearsalReportWire } from './shared/rehearsal-report.ts';

/** The snapshot of before its migrations. */
const before = (status: 'ready' | 'failed', what: SQL): SQL => sql`(select ${what} from ${projectSnapshots}
  where ${projectSnapshots.projectId} = ${deployOperations.projectId}
    and ${projectSnapshots.operationId} = ${deployOperations.id} and ${projectSnapshots.kind} = 'pre_migration'
    and ${projectSnapshots.status} = ${sql.raw(`'${status}'`)} limit 1)`;

const ownColumns = pick(
  deployOperations,
  'id',
  'projectId',
  'planId',
  'kind',
  'status',
  'baseReleaseId',
  'targetReleaseId',
  'releaseId',
  'generation',
  'urls',
  'error',
  'actor',
  'activateAttempts',
  'lastActivateAttemptAt',
  'createdAt',
  'updatedAt',
);

export const operationColumns = {
  ...ownColumns,
  snapshotId: computed<string | null>('text', before('ready', sql`${projectSnapshots.id}`)),
  rehearsalReport: computed<RehearsalReport | null>(
    'jsonb',
    sql`(select ${deployRehearsals.report} from ${deployRehearsals} where ${deployRehearsals.id} = ${deployOperations.id})`,
  ),
  snapshotSkipped: computed<string | null>('text', before('failed', sql`${projectSnapshots.error} ->> 'message'`)),
};

/** A deploy as it stands. */
export type DeployOperation = RowOf<typeof operationColumns>;

/** Whether it was only planned. */
export const isPlanned = ({ status }: Pick<DeployOperation, 'status'>): boolean =>
  status === 'planning' || status === 'uploading';

/** States that are all the same to who waits. */
const inShort: Partial<Record<(typeof runningStatuses)[number], 'running'>> = {
  committing: 'running',
  staging: 'running',
  gating: 'running',
  migrating: 'running',
  activating: 'running',
};

/** The state as the answer to a commit tells it. Contract 03, section 2.4. */
export const statusInShort = (status: DeployStatus): string =>
  inShort[status as (typeof runningStatuses)[number]] ?? status;

/** The states that a short one stands for: itself, and those that are called by it. */
export const statusesInShort = (short: string): readonly string[] => [
  short,
  ...Object.keys(inShort).filter((status) => inShort[status as (typeof runningStatuses)[number]] === short),
];

export async function findOperation(rows: Rows, owner: ReleaseOwner, id: string): Promise<DeployOperation | undefined> {
  const [found] = await rows(findStatement.with({ ...owner, id }));
  return found;
}

const findStatement = statement(
  'deploys.find',
  { params: pick(deployOperations, 'orgId', 'projectId', 'id'), row: operationColumns },
  (given, row) => sql`select ${row} from ${deployOperations} where ${deployOperations.orgId} = ${given.orgId}
    and ${deployOperations.projectId} = ${given.projectId} and ${deployOperations.id} = ${given.id}`,
);

/** Contract 03, section 2.7: there is no network of edges here, so a pointer is applied with its commit. */
export const edgeWire = z.object({
  state: z.enum(['converging', 'coherent', 'unknown', 'not_applicable']),
  expected_max_lag_seconds: z.int().nullable(),
  pointer_updates: z.record(
    z.string(),
    z.object({ target: z.string(), status: z.string(), updated_at: z.iso.datetime() }),
  ),
  verify_url: z.string().nullable(),
});

export const edgeOf = ({ id, updatedAt }: Pick<DeployOperation, 'id' | 'updatedAt'>): z.output<typeof edgeWire> => ({
  state: 'converging',
  expected_max_lag_seconds: 1,
  pointer_updates: { kvs: { target: 'kvs', status: 'applied', updated_at: updatedAt.toISOString() } },
  verify_url: `/apply/v1/operations/${id}/edge-coherence`,
});

export const deployErrorWire = z.looseObject({ code: z.string(), message: z.string() }).nullable();

/** How what its migrations did can be taken back, of a deploy that had some. */
export const restorePointWire = {
  restore_point: z.object({ snapshot_id: z.string(), restore_url: z.string() }).optional(),
  snapshot_skipped_reason: z.string().optional(),
};

export const restorePointOf = ({
  projectId,
  snapshotId,
  snapshotSkipped,
}: Pick<DeployOperation, 'projectId' | 'snapshotId' | 'snapshotSkipped'>) => ({
  ...(snapshotId === null
    ? {}
    : {
        restore_point: {
          snapshot_id: snapshotId,
          restore_url: `/projects/v1/${projectId}/snapshots/${snapshotId}/restore`,
        },
      }),
  ...(snapshotSkipped === null ? {} : { snapshot_skipped_reason: snapshotSkipped }),
});

/** Contract 03, section 2.6. */
export const DeployOperationWire = z
  .object({
    operation_id: z.string(),
    project_id: z.string(),
    plan_id: z.string().nullable(),
    kind: z.enum(operationKinds),
    status: z.string(),
    base_release_id: z.string().nullable(),
    target_release_id: z.string().nullable(),
    release_id: z.string().nullable(),
    release_generation: z.int().nullable(),
    urls: z.record(z.string(), z.string()).nullable(),
    payment_required: z.null(),
    error: deployErrorWire,
    edge: edgeWire.optional(),
    ...restorePointWire,
    rehearsal_report: RehearsalReportWire.optional().describe('Of a rehearsal that is over.'),
    actor: OperationActorWire.nullable(),
    activate_attempts: z.int(),
    last_activate_attempt_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'DeployOperation' });

export const operationToWire = (one: DeployOperation) => ({
  operation_id: one.id,
  project_id: one.projectId,
  plan_id: one.planId,
  kind: one.kind,
  status: one.status,
  base_release_id: one.baseReleaseId,
  target_release_id: one.targetReleaseId,
  release_id: one.releaseId,
  release_generation: one.generation === null ? null : Number(one.generation),
  urls: one.urls === null ? null : { ...one.urls },
  payment_required: null,
  error: one.error === null ? null : { ...one.error },
  ...(one.status === 'ready' && one.kind !== 'rehearsal' ? { edge: edgeOf(one) } : {}),
  ...restorePointOf(one),
  ...(one.rehearsalReport === null ? {} : { rehearsal_report: one.rehearsalReport }),
  actor: one.actor,
  activate_attempts: one.activateAttempts,
  last_activate_attempt_at: one.lastActivateAttemptAt?.toISOString() ?? null,
  created_at: one.createdAt.toISOString(),
  updated_at: one.updatedAt.toISOString(),
});
