import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { VaultWire, vaultToWire } from './shared/wire.ts';
import { writerAddress } from './vault-input.ts';
import { lockVault, type VaultRow, vaultInside } from './vault-row.ts';
import { requireWriter } from './writer-key.ts';

/**
 * `POST /gitvault/v1/admin/:org_id/vaults/:vault_id/pushes`: whether a vault takes a push of a key, decided under the
 * vault's lock, so that a writer who is removed meanwhile is either before or after it.
 */
export const takePush = mutation({
  name: 'vaults.takePush',
  tool: 'admin_take_vault_push',
  command: 'admin vault push',
  summary: 'Take a push to a vault, by one of its writers.',
  path: 'POST /gitvault/v1/admin/:org_id/vaults/:vault_id/pushes',
  access: platformAdmin(),
  input: z.object(writerAddress),
  async handler(work, { org, vault: id, encryption_key_id }): Promise<VaultRow> {
    const vault = await lockVault(work, org, id);
    await requireWriter(work, vault, encryption_key_id);
    if (vault.rotationRequiredSince !== null) {
      throw new ServiceError('EPOCH_ROTATION_REQUIRED', {
        details: {
          vault_id: vault.id,
          epoch: vault.epoch,
          rotation_required_since: vault.rotationRequiredSince.toISOString(),
        },
      });
    }
    return vaultInside(work, org, vault.id);
  },
  audit: ({ id, orgId, epoch }, { encryption_key_id }) => ({
    action: 'vault.pushed',
    object: { kind: 'vault', id },
    orgId,
    details: { encryption_key_id, epoch },
  }),
  wire: VaultWire,
  toWire: vaultToWire,
});
