import { ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import type { Statement } from '../../db/pool.ts';
import type { Vault } from '../../db/schema/vaults.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { writerHolds } from './shared/writers.ts';

/**
 * Refuses a key that is no admitted writer of a vault, or whose member no longer may write. Runs under the vault's lock.
 *
 * @throws GITVAULT_WRITER_NOT_ADMITTED, and GITVAULT_KEY_ROTATION_REQUIRED for an admitted key whose keystore was lost
 */
export async function requireWriter(work: Work, vault: Vault, encryptionKeyId: string): Promise<void> {
  const [writer] = isUuid(encryptionKeyId)
    ? await work.rows<{ holds: boolean; lost: boolean }>(writerStatement, [vault.orgId, vault.id, encryptionKeyId])
    : [];
  if (writer?.holds === true) return;
  const details = { vault_id: vault.id, encryption_key_id: encryptionKeyId };
  if (writer?.lost === true) throw new ServiceError('GITVAULT_KEY_ROTATION_REQUIRED', { details });
  throw new ServiceError('GITVAULT_WRITER_NOT_ADMITTED', {
    message: 'The key is not a writer of the vault.',
    details,
  });
}

const writerStatement: Statement = {
  name: 'vaults.writer',
  text: `select ${writerHolds('w')} as holds, w.removed_at is null and k.state = 'rotation_required' as lost
    from vault_writers w join member_encryption_keys k on k.org_id = w.org_id and k.id = w.encryption_key_id
    where w.org_id = $1 and w.vault_id = $2 and w.encryption_key_id = $3`,
};
