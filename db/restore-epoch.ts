import { sql } from './drizzle.ts';
import type { Database } from './pool.ts';
import { platformFacts } from './schema/platform.ts';
import { computed, pick, statement } from './sql.ts';

/** The row of the control database that names the restore that filled it. */
export const restoredFact = 'restored_backup';

/**
 * Names the restore that filled the control database; empty for one that was never restored. Each restore has a new name,
 * also of the same backup: positions of feeds that were handed out after the backup are handed out again.
 */
export async function restoreEpoch(db: Pick<Database, 'rows'>): Promise<string> {
  const [row] = await db.rows(findStatement.with({ key: restoredFact }));
  return row?.epoch ?? '';
}

const findStatement = statement(
  'restore_epoch.find',
  {
    params: pick(platformFacts, 'key'),
    row: { epoch: computed<string | null>('text', sql`${platformFacts.value}->>'epoch'`) },
  },
  ({ key }, row) => sql`select ${row} from ${platformFacts} where ${platformFacts.key} = ${key}`,
);
