import { z } from 'zod';
import { sql } from '../../../db/drizzle.ts';
import { projectRestores, projectSnapshots } from '../../../db/schema/snapshots.ts';
import { allOf, pick, type RowOf, statement } from '../../../db/sql.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { lookUntil } from '../../../kernel/run/look-until.ts';

export const restoreColumns = allOf(projectRestores, ['dueAt', 'lease', 'attempts', 'confirmHash']);

export type Restore = RowOf<typeof restoreColumns>;

/** A restore as it is answered. Contract 03, section 6. */
export const RestoreWire = z
  .object({
    operation_id: z.string(),
    project_id: z.string(),
    snapshot_id: z.string(),
    pre_restore_snapshot_id: z.string().describe('The snapshot of what was replaced.'),
    old_schema_slot: z.string(),
    new_schema_slot: z.string().nullable().describe('Null until the database is replaced.'),
    migration_registry_rows: z.int().nullable().describe('Migrations that the database knows of since.'),
    status: z.enum(['running', 'ready', 'failed']),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    next_actions: z.array(z.looseObject({ type: z.string() })),
  })
  .meta({ id: 'DatabaseRestore' });

export function restoreToWire(one: Restore): z.output<typeof RestoreWire> {
  const path = `/projects/v1/${one.projectId}/snapshots`;
  return {
    operation_id: one.id,
    project_id: one.projectId,
    snapshot_id: one.snapshotId,
    pre_restore_snapshot_id: one.preRestoreId,
    old_schema_slot: one.oldSlot,
    new_schema_slot: one.newSlot,
    migration_registry_rows: one.registryRows,
    status: one.status,
    error: one.error,
    next_actions:
      one.status === 'running'
        ? [
            {
              type: 'poll',
              method: 'POST',
              path: `${path}/${one.snapshotId}/restore`,
              why: 'The same confirmation, sent again, answers how the restore stands.',
            },
          ]
        : [
            {
              type: 'undo_restore',
              method: 'POST',
              path: `${path}/${one.preRestoreId}/restore`,
              why: 'Plans the way back to what was there before.',
            },
          ],
  };
}

/** The restore once it is over, or as it stands after a while: it goes on by itself. */
export const endOfRestore = (ctx: Context, begun: Restore): Promise<Restore> =>
  lookUntil(
    ctx,
    async () => (await ctx.services.db.rows(findRestoreStatement.with({ id: begun.id })))[0] ?? begun,
    ({ status }) => status !== 'running',
  );

export const findRestoreStatement = statement(
  'restores.find',
  { params: pick(projectRestores, 'id'), row: restoreColumns },
  ({ id }, row) => sql`select ${row} from ${projectRestores} where ${projectRestores.id} = ${id}`,
);

/** Where the parts of a ready snapshot are named. */
export const manifestStatement = statement(
  'restores.manifest-of',
  { params: pick(projectSnapshots, 'id'), row: pick(projectSnapshots, 'manifestSha256', 'manifestBytes') },
  ({ id }, row) => sql`select ${row} from ${projectSnapshots}
    where ${projectSnapshots.id} = ${id} and ${projectSnapshots.status} = 'ready'`,
);
