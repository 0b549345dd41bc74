import { sql } from '../../../db/drizzle.ts';
import { projectSlots, projects } from '../../../db/schema/projects.ts';
import { projectRestores, projectSnapshots, type RestorePhase } from '../../../db/schema/snapshots.ts';
import { pick, setOf, statement, typed } from '../../../db/sql.ts';
import { openGate } from '../../../kernel/access/close-gate.ts';
import { writeSystemAudit } from '../../../kernel/durability/audit-log.ts';
import type { LeasedItem } from '../../../kernel/durability/leased-statements.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../../kernel/feeds/append-event.ts';
import { snapshotEventTypes } from '../event-types.ts';
import { keptDays } from '../settle-snapshot.ts';
import { type Restore, restoreColumns } from './restore-row.ts';

/** Another node has the restore, or the project was deleted. */
export class LostRestoreError extends Error {
  override readonly name = 'LostRestoreError';
}

type Held = Pick<LeasedItem, 'id' | 'lease'>;

/** Notes that a phase begins. @throws LostRestoreError */
export async function enterPhase(work: Work, { id, lease }: Held, phase: RestorePhase): Promise<void> {
  const moved = await work.rows(phaseStatement.with({ id, lease, phase }));
  if (moved.length === 0) throw new LostRestoreError('The restore was taken over.');
}

/**
 * Notes that the project has its other database: from then on it is served, and the restore is ready. What was replaced is
 * still there.
 *
 * @param registryRows migrations that the database knows of
 * @throws LostRestoreError
 */
export async function noteExchange(work: Work, { id, lease }: Held, registryRows: number): Promise<Restore> {
  const [restore] = await work.rows(exchangedStatement.with({ id, lease, registryRows }));
  if (restore === undefined) throw new LostRestoreError('The restore was taken over.');
  const owner = { orgId: restore.orgId, projectId: restore.projectId };
  await openGate(work, owner, id);
  const ids = idsOf(restore);
  work.append(appendEvent({ ...owner, type: snapshotEventTypes.database_restored, payload: ids }));
  await writeSystemAudit(work.client, work, 'restore', [
    {
      orgId: restore.orgId,
      action: 'database.restored',
      object: { kind: 'project', id: restore.projectId },
      details: ids,
    },
  ]);
  return restore;
}

/** Notes that a restore came to nothing, and that the project has its own database. */
export async function failRestore(work: Work, { id, lease }: Held, message: string): Promise<void> {
  const error = { code: 'RESTORE_FAILED', message };
  const [restore] = await work.rows(failedStatement.with({ id, lease, error: JSON.stringify(error) }));
  if (restore === undefined) return;
  const owner = { orgId: restore.orgId, projectId: restore.projectId };
  await openGate(work, owner, id);
  await work.rows(
    failTakenStatement.with({ id: restore.preRestoreId, error: JSON.stringify(error), days: keptDays.pre_restore }),
  );
  const payload = { ...idsOf(restore), error_code: error.code, message };
  work.append(appendEvent({ ...owner, type: snapshotEventTypes.database_restore_failed, payload }));
}

const idsOf = (restore: Restore) => ({
  operation_id: restore.id,
  snapshot_id: restore.snapshotId,
  pre_restore_snapshot_id: restore.preRestoreId,
});

const held = { ...pick(projectRestores, 'id'), lease: typed<string>('text') };
const isHeld = (given: Readonly<Record<'id' | 'lease', ReturnType<typeof sql>>>) =>
  sql`${projectRestores.id} = ${given.id} and ${projectRestores.lease} = ${given.lease}`;

const phaseStatement = statement(
  'restores.phase',
  { params: { ...held, phase: typed<RestorePhase>('text') }, row: pick(projectRestores, 'id') },
  ({ phase, ...given }, row) => sql`update ${projectRestores}
    ${setOf(projectRestores, { phase, updatedAt: sql`now()` })} where ${isHeld(given)} returning ${row}`,
);

const exchangedStatement = statement(
  'restores.exchanged',
  { params: { ...held, registryRows: typed<number>('integer') }, row: restoreColumns },
  ({ registryRows, ...given }, row) => sql`with placed as (
      update ${projects} ${setOf(projects, {
        schemaSlot: sql`'p' || lpad(nextval('${sql.raw(projectSlots.seqName!)}')::text, 4, '0')`,
        templateVersion: sql`0`,
      })} where (${projects.orgId}, ${projects.id}) = (
        select ${projectRestores.orgId}, ${projectRestores.projectId} from ${projectRestores} where ${isHeld(given)})
        and ${projects.deletedAt} is null
      returning ${projects.schemaSlot} as slot
    )
    update ${projectRestores} ${setOf(projectRestores, {
      status: sql`'ready'`,
      phase: sql`'clearing'`,
      attempts: sql`0`,
      newSlot: sql`placed.slot`,
      registryRows,
      updatedAt: sql`now()`,
    })} from placed where ${isHeld(given)} returning ${row}`,
);

const failedStatement = statement(
  'restores.failed',
  { params: { ...held, ...pick(projectRestores, 'error') }, row: restoreColumns },
  ({ error, ...given }, row) =>
    sql`update ${projectRestores} ${setOf(projectRestores, {
      status: sql`'failed'`,
      error,
      dueAt: sql`null`,
      lease: sql`null`,
      updatedAt: sql`now()`,
    })} where ${isHeld(given)} and ${projectRestores.status} = 'running' returning ${row}`,
);

/** The snapshot of what was to be replaced, where it was not taken. */
const failTakenStatement = statement(
  'restores.fail-snapshot',
  { params: { ...pick(projectSnapshots, 'id', 'error'), days: typed<number>('integer') } },
  ({ id, error, days }) =>
    sql`update ${projectSnapshots} ${setOf(projectSnapshots, {
      status: sql`'failed'`,
      error,
      updatedAt: sql`now()`,
      expiresAt: sql`now() + make_interval(days => ${days})`,
    })} where ${projectSnapshots.id} = ${id} and ${projectSnapshots.status} = 'running'`,
);
