import { safeMessage } from '../../../core/safe-message.ts';
import { sql } from '../../../db/drizzle.ts';
import { projectSnapshots } from '../../../db/schema/snapshots.ts';
import { pick, statement } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import type { ProjectScope } from '../../../kernel/access/access.ts';
import { unitOfWork, type Work } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { databaseOf, inProject, once } from '../../project-data/shared/in-project.ts';
import { failSnapshot, settleSnapshot } from '../settle-snapshot.ts';
import { captureDatabase } from './capture.ts';
import { reasonOf } from './copy-failure.ts';
import { insertSnapshot } from './insert-snapshot.ts';
import { type Snapshot, snapshotColumns } from './snapshot-row.ts';

/** What became of the snapshot of before: its id, or why there is none. */
export type TakenBefore = { readonly snapshot_id: string } | { readonly snapshot_skipped_reason: string };

const anyTables = once(`select 1 from pg_catalog.pg_class c
  where c.relnamespace = 'public'::pg_catalog.regnamespace and c.relkind in ('r', 'p', 'm') limit 1`);

/**
 * Takes the snapshot of before the migrations of a deploy, once for each deploy. One that cannot be taken does not keep the
 * deploy back. May be repeated.
 */
export async function snapshotBeforeMigrations(
  ctx: Context,
  scope: Pick<ProjectScope, 'org' | 'project'>,
  operationId: string,
): Promise<TakenBefore> {
  const { services } = ctx;
  const owner = { orgId: scope.org.id, projectId: scope.project.id };
  const database = databaseOf(scope);
  const before = await findBefore(services.db.rows, owner, operationId);
  if (before !== undefined && before.status !== 'running') return toldOf(before);
  const [found] = await inProject(() => services.projectPools.run(database, [anyTables]));
  if (found!.length === 0) return { snapshot_skipped_reason: 'The database had no tables.' };
  const snapshot =
    before ??
    (await unitOfWork(ctx, (work) =>
      insertSnapshot(work, { ...owner, kind: 'pre_migration', operationId, heldBy: operationId }),
    ));
  const held = { id: snapshot.id, lease: operationId };
  try {
    const url = services.projectDatabases.adminUrl(database.server, database.databaseName);
    const captured = await captureDatabase(ctx, snapshot, url);
    await unitOfWork(ctx, (work) => settleSnapshot(work, held, snapshot, captured));
    return { snapshot_id: snapshot.id };
  } catch (error) {
    ctx.signal.throwIfAborted();
    services.log.warn(
      { operation_id: operationId, error: safeMessage(error) },
      'The snapshot of before the migrations could not be taken.',
    );
    const reason = reasonOf(error);
    await unitOfWork(ctx, (work) => failSnapshot(work, held, 'pre_migration', reason));
    return { snapshot_skipped_reason: reason };
  }
}

/** Gives up the snapshot of a deploy that has failed before it was taken. */
export async function giveUpSnapshotBefore(
  work: Work,
  owner: { readonly orgId: string; readonly projectId: string },
  operationId: string,
): Promise<void> {
  const found = await findBefore(work.rows, owner, operationId);
  if (found?.status !== 'running') return;
  await failSnapshot(
    work,
    { id: found.id, lease: operationId },
    'pre_migration',
    'The deploy failed before it was taken.',
  );
}

const toldOf = ({ id, status, error }: Snapshot): TakenBefore =>
  status === 'failed' ? { snapshot_skipped_reason: error?.message ?? '' } : { snapshot_id: id };

async function findBefore(
  rows: Rows,
  { orgId, projectId }: { readonly orgId: string; readonly projectId: string },
  operationId: string,
): Promise<Snapshot | undefined> {
  const [found] = await rows(beforeStatement.with({ orgId, projectId, operationId }));
  return found;
}

const beforeStatement = statement(
  'snapshots.before-migrations',
  { params: pick(projectSnapshots, 'orgId', 'projectId', 'operationId'), row: snapshotColumns },
  ({ orgId, projectId, operationId }, row) => sql`select ${row} from ${projectSnapshots}
    where ${projectSnapshots.orgId} = ${orgId} and ${projectSnapshots.projectId} = ${projectId}
      and ${projectSnapshots.operationId} = ${operationId} and ${projectSnapshots.kind} = 'pre_migration'
    order by ${projectSnapshots.createdAt} desc limit 1`,
);
