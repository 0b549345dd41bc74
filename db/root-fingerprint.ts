import type { KeyRing } from '../core/keys.ts';
import { sql } from './drizzle.ts';
import type { Database } from './pool.ts';
import { platformFacts } from './schema/platform.ts';
import { insertInto, nameOf, pick, setOf, statement } from './sql.ts';

/** This node's root secret is not the one that the control database was made with. */
export class RootMismatchError extends Error {
  override readonly name = 'RootMismatchError';
}

const key = 'root_fingerprint';

/**
 * Compares this node's root secret with the fingerprint that the control database keeps: two nodes with different
 * roots would hand out keys and cursors that the other refuses. The first start stores it; a start with a new root and
 * the stored one as the previous moves it forward. Safe on many nodes at once.
 *
 * @returns what was done
 * @throws RootMismatchError when none of this node's roots is the stored one
 */
export async function checkRootFingerprint(
  db: Pick<Database, 'rows'>,
  keys: KeyRing,
): Promise<'stored' | 'matched' | 'rotated'> {
  const [current, ...previous] = keys.fingerprints();
  const value = JSON.stringify(current);
  if ((await db.rows(insertStatement.with({ key, value }))).length === 1) return 'stored';
  for (;;) {
    const [row] = await db.rows(findStatement.with({ key }));
    if (row?.value === current) return 'matched';
    if (typeof row?.value !== 'string' || !previous.includes(row.value)) {
      throw new RootMismatchError(
        'This control database belongs to another root secret: start with the SVC_SECRET_KEY (or the secret.key of the data folder) it was made with, or give that one as SVC_SECRET_KEY_PREVIOUS.',
      );
    }
    const moved = await db.rows(moveStatement.with({ key, value, before: JSON.stringify(row.value) }));
    if (moved.length === 1) return 'rotated';
    // Another node moved it meanwhile: look again.
  }
}

const insertStatement = statement(
  'root_fingerprint.insert',
  { params: pick(platformFacts, 'key', 'value'), row: pick(platformFacts, 'key') },
  ({ key, value }, row) => sql`${insertInto(platformFacts, { key, value: sql`${value}::jsonb` })}
    on conflict (${nameOf(platformFacts.key)}) do nothing returning ${row}`,
);

const findStatement = statement(
  'root_fingerprint.find',
  { params: pick(platformFacts, 'key'), row: pick(platformFacts, 'value') },
  ({ key }, row) => sql`select ${row} from ${platformFacts} where ${platformFacts.key} = ${key}`,
);

const moveStatement = statement(
  'root_fingerprint.move',
  { params: { ...pick(platformFacts, 'key', 'value'), before: platformFacts.value }, row: pick(platformFacts, 'key') },
  ({ key, value, before }, row) => sql`update ${platformFacts} ${setOf(platformFacts, { value: sql`${value}::jsonb` })}
    where ${platformFacts.key} = ${key} and ${platformFacts.value} = ${before}::jsonb returning ${row}`,
);
