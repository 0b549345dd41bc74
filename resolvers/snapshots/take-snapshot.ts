import { safeMessage } from '../../core/safe-message.ts';
import { sql } from '../../db/drizzle.ts';
import { projects } from '../../db/schema/projects.ts';
import { projectSnapshots } from '../../db/schema/snapshots.ts';
import { pick, setOf, statement, typed } from '../../db/sql.ts';
import { type LeasedItem, leasedStatements, putOffStatement } from '../../kernel/durability/leased-statements.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import { failSnapshot, settleSnapshot } from './settle-snapshot.ts';
import { type Captured, captureDatabase, SnapshotGoneError } from './shared/capture.ts';
import { attemptsMax, mayPass, pauseAfter, reasonOf } from './shared/copy-failure.ts';

/** How long a node has a copy without a word of it, in seconds. */
export const leaseSeconds = 30;

const leasedTable = {
  table: projectSnapshots,
  id: projectSnapshots.id,
  lane: projectSnapshots.projectId,
  dueAt: projectSnapshots.dueAt,
  lease: projectSnapshots.lease,
};

export const leasedSnapshots = leasedStatements(leasedTable, leaseSeconds);

const putOffSnapshot = putOffStatement(leasedTable, projectSnapshots.attempts);

/** Takes a snapshot that this node has in its hands. Each write names the lease. */
export async function takeSnapshot(ctx: Context, item: LeasedItem): Promise<void> {
  const { db, projectDatabases, log } = ctx.services;
  const { id, lease } = item;
  const [snapshot] = await db.rows(beginStatement.with({ id, lease }));
  if (snapshot === undefined) return;
  const { server, databaseName, attempts, kind } = snapshot;
  if (attempts > attemptsMax)
    return unitOfWork(ctx, (work) => failSnapshot(work, item, kind, 'It was begun five times, and came to no end.'));
  let captured: Captured;
  try {
    captured = await captureDatabase(ctx, snapshot, projectDatabases.adminUrl(server, databaseName));
  } catch (error) {
    if (error instanceof SnapshotGoneError) return;
    if (ctx.signal.aborted) return putOff(ctx, item, 0, 1);
    log.warn({ snapshot_id: id, error: safeMessage(error) }, 'A snapshot could not be taken.');
    if (mayPass(error) && attempts < attemptsMax) return putOff(ctx, item, pauseAfter(attempts), 0);
    return unitOfWork(ctx, (work) => failSnapshot(work, item, kind, reasonOf(error)));
  }
  await unitOfWork(ctx, (work) => settleSnapshot(work, item, { kind, status: 'running' }, captured));
}

const putOff = async ({ services }: Context, { id, lease }: LeasedItem, seconds: number, uncounted: number) =>
  void (await services.db.rows(putOffSnapshot.with({ id, lease, seconds, uncounted })));

const held = { ...pick(projectSnapshots, 'id'), lease: typed<string>('text') };

const beginStatement = statement(
  'snapshots.begin',
  {
    params: held,
    row: {
      ...pick(projectSnapshots, 'id', 'orgId', 'projectId', 'kind', 'attempts'),
      ...pick(projects, 'server', 'databaseName'),
    },
  },
  ({ id, lease }, row) => sql`update ${projectSnapshots} ${setOf(projectSnapshots, {
    attempts: sql`${projectSnapshots.attempts} + 1`,
  })} from ${projects} where ${projectSnapshots.id} = ${id} and ${projectSnapshots.lease} = ${lease}
      and ${projects.orgId} = ${projectSnapshots.orgId} and ${projects.id} = ${projectSnapshots.projectId}
      and ${projects.deletedAt} is null returning ${row}`,
);
