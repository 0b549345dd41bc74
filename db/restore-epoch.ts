import type { Database, Statement } from './pool.ts';

/** The fact of the control database that tells of the restore that filled it. */
export const restoredFact = 'restored_backup';

/**
 * Names the restore that filled the control database; empty for one that was never restored. Each restore has a new name,
 * also of the same backup: positions of feeds that were handed out after the backup are handed out again.
 */
export async function restoreEpoch(db: Pick<Database, 'rows'>): Promise<string> {
  const [row] = await db.rows<{ epoch: string | null }>(findStatement, [restoredFact]);
  return row?.epoch ?? '';
}

const findStatement: Statement = {
  name: 'restore_epoch.find',
  text: "select value->>'epoch' as epoch from platform_facts where key = $1",
};
