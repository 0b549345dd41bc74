import { sql } from '../../../db/drizzle.ts';
import { projectSnapshots, type SnapshotKind } from '../../../db/schema/snapshots.ts';
import { computed, insertInto, pick, statement, typed } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { quotaExceeded } from '../../../kernel/limits/quota.ts';
import { type Snapshot, snapshotColumns } from './snapshot-row.ts';

/** Snapshots that a project may have beside those that the platform takes by itself. */
export const keptMax = 20;

export interface SnapshotToTake {
  readonly orgId: string;
  readonly projectId: string;
  readonly kind: SnapshotKind;
  readonly operationId: string;
  /** What it belongs to, which takes it: no worker of snapshots does then. */
  readonly heldBy?: string;
}

/** Makes a snapshot that is yet to be taken. The caller holds the lock of the project. */
export async function insertSnapshot(work: Work, { heldBy, ...given }: SnapshotToTake): Promise<Snapshot> {
  const id = work.services.newId('snap');
  const [made] = await work.rows(insertStatement.with({ ...given, id, heldBy: heldBy ?? null }));
  if (heldBy === undefined) work.afterCommit(() => work.services.copies.wake());
  return made!;
}

/** @throws QUOTA_EXCEEDED when a project has as many as somebody may have it keep */
export async function refuseManySnapshots(work: Work, projectId: string): Promise<void> {
  const [counted] = await work.rows(countStatement.with({ projectId }));
  const { used } = counted!;
  if (used < keptMax) return;
  throw quotaExceeded(
    {
      scope: 'project',
      metric: 'snapshots',
      message: `The project has ${used} snapshots that somebody took or that a restore took first; delete some.`,
    },
    keptMax,
    used,
  );
}

const insertStatement = statement(
  'snapshots.insert',
  {
    params: {
      ...pick(projectSnapshots, 'id', 'orgId', 'projectId', 'kind', 'operationId'),
      heldBy: typed<string | null>('text'),
    },
    row: snapshotColumns,
  },
  ({ heldBy, ...given }, row) =>
    sql`${insertInto(projectSnapshots, {
      ...given,
      status: sql`'running'`,
      lease: heldBy,
      dueAt: sql`case when ${heldBy}::text is null then now() end`,
    })} returning ${row}`,
);

const countStatement = statement(
  'snapshots.count',
  {
    params: pick(projectSnapshots, 'projectId'),
    row: { used: computed<number>('integer', sql`count(*)::int`) },
  },
  ({ projectId }, row) => sql`select ${row} from ${projectSnapshots}
    where ${projectSnapshots.projectId} = ${projectId} and ${projectSnapshots.kind} in ('manual', 'pre_restore')
      and ${projectSnapshots.status} in ('running', 'ready')`,
);
