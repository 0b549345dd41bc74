import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import type { Statement } from '../../db/pool.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { VaultWire, vaultToWire } from './shared/wire.ts';
import { writes } from './shared/writers.ts';
import { writerAddress } from './vault-input.ts';
import { lockNamedOrg, lockVault, type VaultRow, vaultInside } from './vault-row.ts';

interface KeyToAdmit {
  readonly principalId: string;
  readonly lost: boolean;
}

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
    const [key] = isUuid(keyId) ? await work.rows<KeyToAdmit>(keyStatement, [org, keyId]) : [];
    const details = { encryption_key_id: keyId };
    if (key === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { details });
    if (key.lost) throw new ServiceError('GITVAULT_KEY_ROTATION_REQUIRED', { details });
    const admitted = await work.rows(admitStatement, [org, vault.id, keyId, key.principalId]);
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

const keyStatement: Statement = {
  name: 'vaults.key-to-admit',
  text: `select k.principal_id as "principalId", k.state = 'rotation_required' as lost
    from member_encryption_keys k join memberships m on m.org_id = k.org_id and m.principal_id = k.principal_id
    where k.org_id = $1 and k.id = $2 and k.state <> 'revoked' and ${writes('m')}`,
};

// A key that was removed can be admitted again; one that is a writer stays as it was.
const admitStatement: Statement = {
  name: 'vaults.admit',
  text: `insert into vault_writers as w (org_id, vault_id, encryption_key_id, principal_id) values ($1, $2, $3, $4)
    on conflict (org_id, vault_id, encryption_key_id) do update set admitted_at = now(), removed_at = null
    where w.removed_at is not null returning 1`,
};
