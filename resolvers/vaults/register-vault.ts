import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import type { Statement } from '../../db/pool.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { orgId, projectId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { VaultWire, vaultToWire } from './shared/wire.ts';
import { lockNamedOrg, type VaultRow, vaultInside } from './vault-row.ts';

/** `POST /gitvault/v1/admin/:org_id/vaults`. */
export const registerVault = mutation({
  name: 'vaults.register',
  tool: 'admin_register_vault',
  command: 'admin vault register',
  effects: ['idempotent'],
  summary: 'Register the encrypted source vault of a project; one that is registered already stays as it is.',
  access: platformAdmin(),
  input: z.object({ org: orgId, project_id: projectId }),
  async handler(work, { org, project_id: project }): Promise<{ vault: VaultRow; registered: boolean }> {
    await lockNamedOrg(work, org);
    const [made] = await work.rows<{ id: string }>(insertStatement, [org, randomUUID(), project]);
    const [found] = made === undefined ? await work.rows<{ id: string }>(ofProjectStatement, [org, project]) : [made];
    if (found === undefined) throw new ServiceError('RESOURCE_NOT_FOUND', { details: { project_id: project } });
    return { vault: await vaultInside(work, org, found.id), registered: made !== undefined };
  },
  audit: ({ vault, registered }) =>
    registered
      ? {
          action: 'vault.registered',
          object: { kind: 'vault', id: vault.id },
          orgId: vault.orgId,
          details: { project_id: vault.projectId },
        }
      : undefined,
  wire: VaultWire,
  toWire: ({ vault }) => vaultToWire(vault),
});

const ofProject = 'from projects p where p.org_id = $1 and p.deleted_at is null and p.id =';

const insertStatement: Statement = {
  name: 'vaults.insert',
  text: `insert into vaults (org_id, id, project_id) select p.org_id, $2::uuid, p.id ${ofProject} $3
    on conflict (org_id, project_id) do nothing returning id`,
};

const ofProjectStatement: Statement = {
  name: 'vaults.of-project',
  text: `select v.id from vaults v where v.org_id = $1 and v.project_id = $2
    and exists (select ${ofProject} v.project_id)`,
};
