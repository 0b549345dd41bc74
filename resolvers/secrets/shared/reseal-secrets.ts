import { sql } from '../../../db/drizzle.ts';
import { projectSecrets } from '../../../db/schema/secrets.ts';
import { pick, setOf, statement } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { openSecret, sealSecret } from './secret-values.ts';

/**
 * Seals the secrets of a project for the organization that is about to have it, before their rows are moved there.
 *
 * @returns their keys
 */
export async function resealSecrets(
  work: Work,
  { projectId, from, to }: { readonly projectId: string; readonly from: string; readonly to: string },
): Promise<readonly string[]> {
  const held = await work.rows(heldStatement.with({ orgId: from, projectId }));
  for (const { key, sealed } of held) {
    const value = openSecret(work.services, { orgId: from, projectId, key }, sealed);
    const anew = sealSecret(work.services, { orgId: to, projectId, key }, value);
    await work.rows(resealStatement.with({ orgId: from, projectId, key, sealed: anew }));
  }
  return held.map(({ key }) => key);
}

const heldStatement = statement(
  'secrets.held',
  { params: pick(projectSecrets, 'orgId', 'projectId'), row: pick(projectSecrets, 'key', 'sealed') },
  (given, row) => sql`select ${row} from ${projectSecrets} where ${projectSecrets.orgId} = ${given.orgId}
    and ${projectSecrets.projectId} = ${given.projectId} order by ${projectSecrets.key} collate "C" for update`,
);

const resealStatement = statement(
  'secrets.reseal',
  { params: pick(projectSecrets, 'orgId', 'projectId', 'key', 'sealed') },
  ({ sealed, ...given }) => sql`update ${projectSecrets} ${setOf(projectSecrets, { sealed })}
    where ${projectSecrets.orgId} = ${given.orgId} and ${projectSecrets.projectId} = ${given.projectId}
      and ${projectSecrets.key} = ${given.key}`,
);
