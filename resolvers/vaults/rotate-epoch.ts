import { z } from 'zod';
import type { Statement } from '../../db/pool.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { VaultWire, vaultToWire } from './shared/wire.ts';
import { writerHolds } from './shared/writers.ts';
import { writerAddress } from './vault-input.ts';
import { lockNamedOrg, lockVault, type VaultRow, vaultInside } from './vault-row.ts';
import { requireWriter } from './writer-key.ts';

/** `POST /gitvault/v1/admin/:org_id/vaults/:vault_id/rotations`. */
export const rotateEpoch = mutation({
  name: 'vaults.rotateEpoch',
  tool: 'admin_rotate_vault_epoch',
  command: 'admin vault rotate-epoch',
  effects: ['destructive'],
  summary: 'Begin a new epoch of a vault’s key, by a surviving writer; keys of members who are gone are left out.',
  access: platformAdmin(),
  input: z.object(writerAddress),
  async handler(work, { org, vault: id, encryption_key_id }): Promise<VaultRow> {
    await lockNamedOrg(work, org);
    const vault = await lockVault(work, org, id);
    await requireWriter(work, vault, encryption_key_id);
    await work.rows(dropStatement, [org, vault.id]);
    await work.rows(rotateStatement, [org, vault.id]);
    return vaultInside(work, org, vault.id);
  },
  audit: ({ id, orgId, epoch }, { encryption_key_id }) => ({
    action: 'vault.epoch_rotated',
    object: { kind: 'vault', id },
    orgId,
    details: { encryption_key_id, epoch },
  }),
  wire: VaultWire,
  toWire: vaultToWire,
});

const dropStatement: Statement = {
  name: 'vaults.drop-writers',
  text: `update vault_writers w set removed_at = now()
    where w.org_id = $1 and w.vault_id = $2 and w.removed_at is null and not ${writerHolds('w')}`,
};

const rotateStatement: Statement = {
  name: 'vaults.rotate',
  text: 'update vaults set epoch = epoch + 1, rotation_required_since = null where org_id = $1 and id = $2',
};
