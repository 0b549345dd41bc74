import { ServiceError } from '../../../core/errors.ts';
import type { Statement } from '../../../db/pool.ts';
import type { Role } from '../../../db/schema/orgs.ts';
import { principalIdOf } from '../../../kernel/access/caller.ts';
import { reaches, roles } from '../../../kernel/access/permissions.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';

/** Whether a role writes to the organization's vaults, once a key of its own is admitted. */
export const mayWrite = (role: Role): boolean => reaches(role, 'developer');

const writingRoles = roles.filter(mayWrite).map((role) => `'${role}'`);

/** A membership `alias` that may write to vaults. */
export const writes = (alias: string): string =>
  `${alias}.status = 'active' and ${alias}.role in (${writingRoles.join(', ')})`;

/** A vault `alias` that still matters: one goes with its project. */
export const vaultStands = (alias: string): string => `exists (
    select from projects p where p.org_id = ${alias}.org_id and p.id = ${alias}.project_id and p.deleted_at is null)`;

/** A writer `alias` that was admitted, and whose member and key are still what they were. */
export const writerHolds = (alias: string): string => `(${alias}.removed_at is null
    and exists (select from member_encryption_keys wk
      where wk.org_id = ${alias}.org_id and wk.id = ${alias}.encryption_key_id and wk.state = 'active')
    and exists (select from memberships wm
      where wm.org_id = ${alias}.org_id and wm.principal_id = ${alias}.principal_id and ${writes('wm')}))`;

/**
 * Refuses to let somebody in at a role that writes to vaults while the caller's own key could not wrap the key of each
 * of them for the newcomer. An organization without vaults is never affected. Contract 01, section 6.4.
 *
 * @throws GITVAULT_WRITER_NOT_ADMITTED with the vaults in question
 */
export async function requireWriterOfAll(work: Work, orgId: string, role: Role): Promise<void> {
  if (!mayWrite(role)) return;
  const caller = await work.caller();
  const self = principalIdOf(caller);
  const missing = await work.rows<{ id: string }>(missingStatement, [orgId, self]);
  if (missing.length === 0) return;
  throw new ServiceError('GITVAULT_WRITER_NOT_ADMITTED', { details: { vault_ids: missing.map(({ id }) => id) } });
}

/** Lets no vault that a principal writes to take anything more until another writer has changed the vault's key. */
export const requireRotation = (work: Work, orgId: string, principalId: string): Promise<{ id: string }[]> =>
  work.rows<{ id: string }>(rotationStatement, [orgId, principalId]);

const missingStatement: Statement = {
  name: 'vaults.not-writer-of',
  text: `select v.id from vaults v
    where v.org_id = $1 and ${vaultStands('v')} and not exists (
      select from vault_writers w
      where w.org_id = v.org_id and w.vault_id = v.id and w.principal_id = $2 and ${writerHolds('w')})
    order by v.created_at, v.id`,
};

const rotationStatement: Statement = {
  name: 'vaults.require-rotation',
  text: `update vaults v set rotation_required_since = coalesce(v.rotation_required_since, now())
    where v.org_id = $1 and exists (
      select from vault_writers w
      where w.org_id = v.org_id and w.vault_id = v.id and w.principal_id = $2 and w.removed_at is null)
    returning v.id`,
};
