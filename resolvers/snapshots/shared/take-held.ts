import type { ProjectDatabase } from '../../../db/project-databases.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { settleSnapshot } from '../settle-snapshot.ts';
import { captureDatabase } from './capture.ts';
import { findSnapshot, type Snapshot } from './snapshot-row.ts';

/** A snapshot that is taken for somebody, who has it and forgets it. */
export interface HeldSnapshot {
  readonly projectId: string;
  readonly snapshotId: string;
  /** Whom it was inserted for, as `heldBy` of `insertSnapshot`. */
  readonly heldBy: string;
}

/** Takes a snapshot that somebody holds, unless that is done. May be repeated. @throws SNAPSHOT_NOT_FOUND */
export async function takeHeld(
  ctx: Context,
  { projectId, snapshotId, heldBy }: HeldSnapshot,
  { server, databaseName }: Pick<ProjectDatabase, 'server' | 'databaseName'>,
): Promise<Snapshot> {
  const { services } = ctx;
  const snapshot = await findSnapshot(services.db.rows, { projectId }, snapshotId);
  if (snapshot.status !== 'running') return snapshot;
  const captured = await captureDatabase(ctx, snapshot, services.projectDatabases.adminUrl(server, databaseName));
  // Nobody is told of it: it is gone once whoever holds it is done.
  const told = { kind: snapshot.kind, status: 'ready' } as const;
  const held = { id: snapshotId, lease: heldBy };
  return (await unitOfWork(ctx, (work) => settleSnapshot(work, held, told, captured))) ?? snapshot;
}
