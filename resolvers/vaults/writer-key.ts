import { ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { sql } from '../../db/drizzle.ts';
import { memberEncryptionKeys, type Vault, vaultWriters } from '../../db/schema/vaults.ts';
import { computed, pick, statement } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { writerHolds } from './shared/writers.ts';

/**
 * Refuses a key that is no admitted writer of a vault, or whose member no longer may write. Runs under the vault's lock.
 *
 * @throws GITVAULT_WRITER_NOT_ADMITTED, and GITVAULT_KEY_ROTATION_REQUIRED for an admitted key whose keystore was lost
 */
export async function requireWriter(work: Work, vault: Vault, encryptionKeyId: string): Promise<void> {
  const [writer] = isUuid(encryptionKeyId)
    ? await work.rows(writerStatement.with({ orgId: vault.orgId, vaultId: vault.id, encryptionKeyId }))
    : [];
  if (writer?.holds === true) return;
  const details = { vault_id: vault.id, encryption_key_id: encryptionKeyId };
  if (writer?.lost === true) throw new ServiceError('GITVAULT_KEY_ROTATION_REQUIRED', { details });
  throw new ServiceError('GITVAULT_WRITER_NOT_ADMITTED', {
    message: 'The key is not a writer of the vault.',
    details,
  });
}

const writerStatement = statement(
  'vaults.writer',
  {
    params: pick(vaultWriters, 'orgId', 'vaultId', 'encryptionKeyId'),
    row: {
      holds: computed<boolean>('boolean', writerHolds),
      lost: computed<boolean>(
        'boolean',
        sql`${vaultWriters.removedAt} is null and ${memberEncryptionKeys.state} = 'rotation_required'`,
      ),
    },
  },
  ({ orgId, vaultId, encryptionKeyId }, row) => sql`select ${row} from ${vaultWriters}
    join ${memberEncryptionKeys} on ${memberEncryptionKeys.orgId} = ${vaultWriters.orgId}
      and ${memberEncryptionKeys.id} = ${vaultWriters.encryptionKeyId}
    where ${vaultWriters.orgId} = ${orgId} and ${vaultWriters.vaultId} = ${vaultId}
      and ${vaultWriters.encryptionKeyId} = ${encryptionKeyId}`,
);
