import { sql } from '../../db/drizzle.ts';
import { projectSnapshots, type SnapshotKind, snapshotObjects } from '../../db/schema/snapshots.ts';
import { pick, setOf, statement, typed } from '../../db/sql.ts';
import type { LeasedItem } from '../../kernel/durability/leased-statements.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../kernel/feeds/append-event.ts';
import { snapshotEventTypes } from './event-types.ts';
import type { Captured } from './shared/capture.ts';
import { type Snapshot, snapshotColumns } from './shared/snapshot-row.ts';

/** For how many days snapshots are kept. Contract 03, section 6. */
export const keptDays: Readonly<Record<SnapshotKind, number>> = {
  manual: 30,
  pre_restore: 30,
  pre_migration: 7,
  scheduled: 7,
};

type Held = Pick<LeasedItem, 'id' | 'lease'>;

/**
 * Notes that a snapshot was taken, where whoever took it still has it. One that was taken before shows the later moment.
 *
 * @returns undefined where it was taken over or deleted
 */
export async function settleSnapshot(
  work: Work,
  { id, lease }: Held,
  { kind, status }: Pick<Snapshot, 'kind' | 'status'>,
  captured: Captured,
): Promise<Snapshot | undefined> {
  const { manifest, facts, capturedAt, liveReleaseId } = captured;
  const [settled] = await work.rows(
    readyStatement.with({
      id,
      lease,
      manifestSha256: manifest.sha256,
      manifestBytes: BigInt(manifest.bytes),
      facts: JSON.stringify(facts),
      capturedAt,
      liveReleaseId,
      days: keptDays[kind],
    }),
  );
  if (settled !== undefined && status === 'running')
    work.append(
      appendEvent({
        orgId: settled.orgId,
        projectId: settled.projectId,
        type: snapshotEventTypes.snapshot_ready,
        payload: { snapshot_id: id, kind },
      }),
    );
  return settled;
}

/** Notes that a snapshot came to nothing. It is kept for as long as one that succeeded, so that it can be read why. */
export async function failSnapshot(
  work: Work,
  { id, lease }: Held,
  kind: SnapshotKind,
  message: string,
): Promise<void> {
  const error = { code: 'SNAPSHOT_FAILED', message };
  const [failed] = await work.rows(
    failStatement.with({ id, lease, error: JSON.stringify(error), days: keptDays[kind] }),
  );
  if (failed === undefined) return;
  work.append(
    appendEvent({
      orgId: failed.orgId,
      projectId: failed.projectId,
      type: snapshotEventTypes.snapshot_failed,
      payload: { snapshot_id: id, kind, error_code: error.code, message },
    }),
  );
}

const held = { ...pick(projectSnapshots, 'id'), lease: typed<string>('text'), days: typed<number>('integer') };
const over = { dueAt: sql`null`, updatedAt: sql`now()` };

const readyStatement = statement(
  'snapshots.ready',
  {
    params: {
      ...held,
      ...pick(projectSnapshots, 'manifestSha256', 'manifestBytes', 'facts', 'capturedAt', 'liveReleaseId'),
    },
    row: snapshotColumns,
  },
  ({ id, lease, days, ...set }, row) => sql`update ${projectSnapshots} ${setOf(projectSnapshots, {
    ...set,
    ...over,
    status: sql`'ready'`,
    // A restore takes what it replaces twice.
    lease: sql`case when ${projectSnapshots.kind} = 'pre_restore' then ${projectSnapshots.lease} end`,
    error: sql`null`,
    sizeBytes: sql`(select coalesce(sum(${snapshotObjects.size}), 0)::bigint from ${snapshotObjects}
      where ${snapshotObjects.snapshotId} = ${id})`,
    expiresAt: sql`now() + make_interval(days => ${days})`,
  })} where ${projectSnapshots.id} = ${id} and ${projectSnapshots.lease} = ${lease}
    and ${projectSnapshots.status} in ('running', 'ready') returning ${row}`,
);

const failStatement = statement(
  'snapshots.fail',
  { params: { ...held, ...pick(projectSnapshots, 'error') }, row: pick(projectSnapshots, 'orgId', 'projectId') },
  ({ id, lease, days, error }, row) => sql`update ${projectSnapshots} ${setOf(projectSnapshots, {
    ...over,
    error,
    status: sql`'failed'`,
    lease: sql`null`,
    expiresAt: sql`now() + make_interval(days => ${days})`,
  })} where ${projectSnapshots.id} = ${id} and ${projectSnapshots.lease} = ${lease}
    and ${projectSnapshots.status} = 'running' returning ${row}`,
);
