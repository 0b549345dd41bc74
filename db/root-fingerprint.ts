import type { KeyRing } from '../core/keys.ts';
import type { Database, Statement } from './pool.ts';

/** This node's root secret is not the one that the control database was made with. */
export class RootMismatchError extends Error {
  override readonly name = 'RootMismatchError';
}

const factKey = 'root_fingerprint';

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
  const fact = JSON.stringify(current);
  if ((await db.rows(insertStatement, [factKey, fact])).length === 1) return 'stored';
  for (;;) {
    const [row] = await db.rows<{ value: unknown }>(findStatement, [factKey]);
    if (row?.value === current) return 'matched';
    if (typeof row?.value !== 'string' || !previous.includes(row.value)) {
      throw new RootMismatchError(
        'This control database belongs to another root secret: start with the SVC_SECRET_KEY (or the secret.key of the data folder) it was made with, or give that one as SVC_SECRET_KEY_PREVIOUS.',
      );
    }
    const moved = await db.rows(moveStatement, [factKey, fact, JSON.stringify(row.value)]);
    if (moved.length === 1) return 'rotated';
    // Another node moved it meanwhile: look again.
  }
}

const insertStatement: Statement = {
  name: 'root_fingerprint.insert',
  text: 'insert into platform_facts (key, value) values ($1, $2::jsonb) on conflict (key) do nothing returning key',
};

const findStatement: Statement = {
  name: 'root_fingerprint.find',
  text: 'select value from platform_facts where key = $1',
};

const moveStatement: Statement = {
  name: 'root_fingerprint.move',
  text: 'update platform_facts set value = $2::jsonb where key = $1 and value = $3::jsonb returning key',
};
