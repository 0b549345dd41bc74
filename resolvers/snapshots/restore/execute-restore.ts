import { safeMessage } from '../../../core/safe-message.ts';
import { formerName } from '../../../db/copy-names.ts';
import { sql } from '../../../db/drizzle.ts';
import type { ProjectDatabase } from '../../../db/project-databases.ts';
import { dropCopies, exchangeDatabases, takeBackExchange } from '../../../db/project-exchange.ts';
import { projects } from '../../../db/schema/projects.ts';
import { projectRestores } from '../../../db/schema/snapshots.ts';
import { pick, prefixed, setOf, statement, typed } from '../../../db/sql.ts';
import { withClient } from '../../../db/with-client.ts';
import { closeGate } from '../../../kernel/access/close-gate.ts';
import { type LeasedItem, leasedStatements, putOffStatement } from '../../../kernel/durability/leased-statements.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { settleSnapshot } from '../settle-snapshot.ts';
import { captureDatabase } from '../shared/capture.ts';
import { attemptsMax, mayPass, pauseAfter, reasonOf } from '../shared/copy-failure.ts';
import { fillDraft } from '../shared/fill-draft.ts';
import { leaseSeconds } from '../take-snapshot.ts';
import { carryOver } from './carry-over.ts';
import { type Restore, restoreColumns } from './restore-row.ts';
import { enterPhase, failRestore, LostRestoreError, noteExchange } from './settle-restore.ts';

const leasedTable = {
  table: projectRestores,
  id: projectRestores.id,
  lane: projectRestores.projectId,
  dueAt: projectRestores.dueAt,
  lease: projectRestores.lease,
};

export const leasedRestores = leasedStatements(leasedTable, leaseSeconds);

const putOffRestore = putOffStatement(leasedTable, projectRestores.attempts);

/** A restore in the hands of this node. */
interface Restoring {
  readonly ctx: Context;
  readonly item: LeasedItem;
  readonly restore: Restore;
  readonly database: ProjectDatabase;
}

/**
 * Goes on with a restore from the phase in which it stands. Each phase may be repeated, so that whatever stops in between is
 * taken up by another node: until the exchange the project has its own database, and from then on the restored one.
 */
export async function executeRestore(ctx: Context, item: LeasedItem): Promise<void> {
  const { id, lease } = item;
  const [begun] = await ctx.services.db.rows(beginStatement.with({ id, lease }));
  if (begun === undefined) return;
  const {
    attempts,
    'place.server': server,
    'place.databaseName': databaseName,
    'place.roleName': roleName,
    ...row
  } = begun;
  const restoring: Restoring = { ctx, item, restore: row, database: { server, databaseName, roleName } };
  try {
    if (row.phase !== 'clearing' && attempts > attemptsMax)
      throw new WornOutError('It was begun five times, and came to no end.');
    if (row.phase === 'saving') await save(restoring);
    if (row.phase === 'saving' || row.phase === 'loading') await load(restoring);
    if (row.phase !== 'clearing') await exchange(restoring);
    await clear(restoring, attempts);
  } catch (error) {
    await conclude(restoring, attempts, error);
  }
}

class WornOutError extends Error {
  override readonly name = 'LateError';
}

/** Takes a snapshot of what is to be replaced, so that it is known that this can be done. */
async function save({ ctx, item, restore, database }: Restoring): Promise<void> {
  await saveFrom(ctx, restore, database.server, database.databaseName);
  await unitOfWork(ctx, (work) => enterPhase(work, item, 'loading'));
}

async function saveFrom(ctx: Context, restore: Restore, server: string, name: string): Promise<void> {
  const taken = { id: restore.preRestoreId, orgId: restore.orgId, projectId: restore.projectId };
  const captured = await captureDatabase(ctx, taken, ctx.services.projectDatabases.adminUrl(server, name));
  const status = restore.phase === 'clearing' ? 'ready' : 'running';
  await unitOfWork(ctx, (work) =>
    settleSnapshot(work, { id: taken.id, lease: restore.id }, { kind: 'pre_restore', status }, captured),
  );
}

async function load({ ctx, item, restore, database }: Restoring): Promise<void> {
  // Of an earlier restore, or an earlier attempt.
  await dropCopies(ctx.services.projectDatabases, database);
  await fillDraft(ctx, restore, database);
  await unitOfWork(ctx, (work) => enterPhase(work, item, 'exchanging'));
}

/** Puts the filled database in the place of the project's. Its rows are refused with a code meanwhile. */
async function exchange({ ctx, item, restore, database }: Restoring): Promise<void> {
  const { services } = ctx;
  const { projectDatabases } = services;
  const owner = { orgId: restore.orgId, projectId: restore.projectId };
  await unitOfWork(ctx, async (work) => {
    await enterPhase(work, item, 'exchanging');
    await closeGate(work, owner, restore.id);
  });
  await exchangeDatabases(projectDatabases, database, () => carryOver(projectDatabases, database, restore.withAuth));
  const registryRows = await withClient(
    projectDatabases.adminUrl(database.server, database.databaseName),
    async (client) => {
      const { rows } = await client.query<{ n: number }>(
        "select count(*)::integer as n from _svc.migrations where state = 'applied'",
      );
      return rows[0]!.n;
    },
    { name: 'restore' },
  );
  services.schemaCaches.changed(database, { manifest: true });
  await unitOfWork(ctx, (work) => noteExchange(work, item, registryRows));
  services.live.changed(database);
}

/**
 * Saves what was replaced once more, which nobody can change any more: the snapshot of before the restore then has everything
 * that was written until the exchange. Then drops it.
 */
async function clear({ ctx, item, restore, database }: Restoring, attempts: number): Promise<void> {
  const clearing = { ...restore, phase: 'clearing' as const };
  try {
    await saveFrom(ctx, clearing, database.server, formerName(database.databaseName));
  } catch (error) {
    if (ctx.signal.aborted || (mayPass(error) && attempts < attemptsMax)) throw error;
    // The one that was taken first is there.
    ctx.services.log.warn(
      { operation_id: restore.id, error: safeMessage(error) },
      'What a restore has replaced could not be saved again.',
    );
  }
  await dropCopies(ctx.services.projectDatabases, database);
  await ctx.services.db.rows(overStatement.with({ id: item.id, lease: item.lease }));
}

async function conclude({ ctx, item, restore, database }: Restoring, attempts: number, error: unknown): Promise<void> {
  const { db, log, projectDatabases } = ctx.services;
  if (error instanceof LostRestoreError) return;
  const { id, lease } = item;
  if (ctx.signal.aborted) return void (await db.rows(putOffRestore.with({ id, lease, seconds: 0, uncounted: 1 })));
  log.warn({ operation_id: id, error: safeMessage(error) }, 'A restore did not come to its end.');
  const [now] = await db.rows(standsStatement.with({ id, lease }));
  if (now === undefined) return;
  const isWornOut = attempts >= attemptsMax || error instanceof WornOutError;
  if (now.phase === 'clearing' || (mayPass(error) && !isWornOut)) {
    await db.rows(putOffRestore.with({ id, lease, seconds: pauseAfter(Math.min(attempts, 6)), uncounted: 0 }));
    return;
  }
  await (now.phase === 'exchanging' ? takeBackExchange : dropCopies)(projectDatabases, database);
  await unitOfWork(ctx, (work) =>
    failRestore(work, item, `The snapshot ${restore.snapshotId} cannot be restored: ${reasonOf(error)}`),
  );
}

const held = { ...pick(projectRestores, 'id'), lease: typed<string>('text') };
const place = prefixed('place.', pick(projects, 'server', 'databaseName', 'roleName'));

const beginStatement = statement(
  'restores.begin',
  { params: held, row: { ...restoreColumns, ...pick(projectRestores, 'attempts'), ...place } },
  ({ id, lease }, row) => sql`update ${projectRestores} ${setOf(projectRestores, {
    attempts: sql`${projectRestores.attempts} + 1`,
  })} from ${projects} where ${projectRestores.id} = ${id} and ${projectRestores.lease} = ${lease}
      and ${projects.orgId} = ${projectRestores.orgId} and ${projects.id} = ${projectRestores.projectId}
      and ${projects.deletedAt} is null returning ${row}`,
);

const standsStatement = statement(
  'restores.stands',
  { params: held, row: pick(projectRestores, 'phase') },
  ({ id, lease }, row) => sql`select ${row} from ${projectRestores}
    where ${projectRestores.id} = ${id} and ${projectRestores.lease} = ${lease}`,
);

const overStatement = statement(
  'restores.over',
  { params: held },
  ({ id, lease }) =>
    sql`update ${projectRestores} ${setOf(projectRestores, {
      dueAt: sql`null`,
      lease: sql`null`,
      updatedAt: sql`now()`,
    })} where ${projectRestores.id} = ${id} and ${projectRestores.lease} = ${lease}`,
);
