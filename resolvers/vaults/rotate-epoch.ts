import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { vaults, vaultWriters } from '../../db/schema/vaults.ts';
import { pick, setOf, statement } from '../../db/sql.ts';
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
  path: 'POST /gitvault/v1/admin/:org_id/vaults/:vault_id/rotations',
  access: platformAdmin(),
  input: z.object(writerAddress),
  async handler(work, { org, vault: id, encryption_key_id }): Promise<VaultRow> {
    await lockNamedOrg(work, org);
    const vault = await lockVault(work, org, id);
    await requireWriter(work, vault, encryption_key_id);
    await work.rows(dropStatement.with({ orgId: org, vaultId: vault.id }));
    await work.rows(rotateStatement.with({ orgId: org, id: vault.id }));
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

const dropStatement = statement(
  'vaults.drop-writers',
  { params: pick(vaultWriters, 'orgId', 'vaultId') },
  ({ orgId, vaultId }) => sql`update ${vaultWriters} ${setOf(vaultWriters, { removedAt: sql`now()` })}
    where ${vaultWriters.orgId} = ${orgId} and ${vaultWriters.vaultId} = ${vaultId}
      and ${vaultWriters.removedAt} is null and not ${writerHolds}`,
);

const rotateStatement = statement(
  'vaults.rotate',
  { params: pick(vaults, 'orgId', 'id') },
  ({ orgId, id }) =>
    sql`update ${vaults} ${setOf(vaults, {
      epoch: sql`${vaults.epoch} + 1`,
      rotationRequiredSince: sql`null`,
    })} where ${vaults.orgId} = ${orgId} and ${vaults.id} = ${id}`,
);
