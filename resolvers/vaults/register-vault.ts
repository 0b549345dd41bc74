import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { projects } from '../../db/schema/projects.ts';
import { vaults } from '../../db/schema/vaults.ts';
import { insertSelect, namesOf, pick, statement } from '../../db/sql.ts';
import { platformAdmin } from '../../kernel/access/access.ts';
import { orgId, projectId } from '../../kernel/input/fields.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { VaultWire, vaultToWire } from './shared/wire.ts';
import { vaultStands } from './shared/writers.ts';
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
    const [made] = await work.rows(insertStatement.with({ orgId: org, id: randomUUID(), projectId: project }));
    const [found] =
      made === undefined ? await work.rows(ofProjectStatement.with({ orgId: org, projectId: project })) : [made];
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

const insertStatement = statement(
  'vaults.insert',
  { params: pick(vaults, 'orgId', 'id', 'projectId'), row: pick(vaults, 'id') },
  ({ orgId: org, id, projectId: project }, row) =>
    sql`${insertSelect(
      vaults,
      { orgId: sql`${projects.orgId}`, id: sql`${id}::uuid`, projectId: sql`${projects.id}` },
      sql`from ${projects} where ${projects.orgId} = ${org} and ${projects.deletedAt} is null
        and ${projects.id} = ${project}`,
    )}
      on conflict (${namesOf(vaults.orgId, vaults.projectId)}) do nothing returning ${row}`,
);

const ofProjectStatement = statement(
  'vaults.of-project',
  { params: pick(vaults, 'orgId', 'projectId'), row: pick(vaults, 'id') },
  ({ orgId: org, projectId: project }, row) => sql`select ${row} from ${vaults}
    where ${vaults.orgId} = ${org} and ${vaults.projectId} = ${project} and ${vaultStands}`,
);
