import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { sql } from '../../db/drizzle.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { memberEncryptionKeys, vaultWriters } from '../../db/schema/vaults.ts';
import { computed, insertInto, namesOf, pick, setOf, statement } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { VaultWire, vaultToWire } from './shared/wire.ts';
import { writes } from './shared/writers.ts';
import { writerAddress } from './vault-input.ts';
import { lockNamedOrg, lockVault, type VaultRow, vaultInside } from './vault-row.ts';

/** `POST /gitvault/v1/admin/:org_id/vaults/:vault_id/writers`. */
export const admitWriter = mutation({
  name: 'vaults.admitWriter',
  tool: 'admin_admit_vault_writer',
  command: 'admin vault admit-writer',
  effects: ['idempotent'],
  summary: 'Admit the encryption key of a member to the writers of a vault.',
  access: platformAdmin(),
  input: z.object(writerAddress),
  async handler(work, { org, vault: id, encryption_key_id: keyId }): Promise<{ vault: VaultRow; admitted: boolean }> {
    await lockNamedOrg(work, org);
    const vault = await lockVault(work, org, id);
    const [key] = isUuid(keyId) ? await work.rows(keyStatement.with({ orgId: org, id: keyId })) : [];
    const details = { encryption_key_id: keyId };
    if (key === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { details });
    if (key.lost) throw new ServiceError('GITVAULT_KEY_ROTATION_REQUIRED', { details });
    const admitted = await work.rows(
      admitStatement.with({ orgId: org, vaultId: vault.id, encryptionKeyId: keyId, principalId: key.principalId }),
    );
    return { vault: await vaultInside(work, org, vault.id), admitted: admitted.length > 0 };
  },
  audit: ({ vault, admitted }, { encryption_key_id }) =>
    admitted
      ? {
          action: 'vault.writer_admitted',
          object: { kind: 'vault', id: vault.id },
          orgId: vault.orgId,
          details: { encryption_key_id },
        }
      : undefined,
  wire: VaultWire,
  toWire: ({ vault }) => vaultToWire(vault),
});

const keyStatement = statement(
  'vaults.key-to-admit',
  {
    params: pick(memberEncryptionKeys, 'orgId', 'id'),
    row: {
      ...pick(memberEncryptionKeys, 'principalId'),
      lost: computed<boolean>('boolean', sql`${memberEncryptionKeys.state} = 'rotation_required'`),
    },
  },
  ({ orgId, id }, row) => sql`select ${row} from ${memberEncryptionKeys}
    join ${memberships} on ${memberships.orgId} = ${memberEncryptionKeys.orgId}
      and ${memberships.principalId} = ${memberEncryptionKeys.principalId}
    where ${memberEncryptionKeys.orgId} = ${orgId} and ${memberEncryptionKeys.id} = ${id}
      and ${memberEncryptionKeys.state} <> 'revoked' and ${writes(memberships)}`,
);

// A key that was removed can be admitted again; one that is a writer stays as it was.
const admitStatement = statement(
  'vaults.admit',
  {
    params: pick(vaultWriters, 'orgId', 'vaultId', 'encryptionKeyId', 'principalId'),
    row: pick(vaultWriters, 'encryptionKeyId'),
  },
  (given, row) => sql`${insertInto(vaultWriters, given)}
    on conflict (${namesOf(vaultWriters.orgId, vaultWriters.vaultId, vaultWriters.encryptionKeyId)})
    do update ${setOf(vaultWriters, { admittedAt: sql`now()`, removedAt: sql`null` })}
    where ${vaultWriters.removedAt} is not null returning ${row}`,
);
