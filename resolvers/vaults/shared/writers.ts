import { ServiceError } from '../../../core/errors.ts';
import { alias, type Column, type SQL, sql } from '../../../db/drizzle.ts';
import { memberships, type Role } from '../../../db/schema/orgs.ts';
import { projects } from '../../../db/schema/projects.ts';
import { memberEncryptionKeys, vaults, vaultWriters } from '../../../db/schema/vaults.ts';
import { from, pick, setOf, statement, typed } from '../../../db/sql.ts';
import { principalIdOf } from '../../../kernel/access/caller.ts';
import { reaches, roles } from '../../../kernel/access/permissions.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';

/** Whether a role writes to the organization's vaults, once a key of its own is admitted. */
export const mayWrite = (role: Role): boolean => reaches(role, 'developer');

const writingRoles = roles.filter(mayWrite).map((role) => `'${role}'`);

/** A membership that may write to vaults, by its table or an alias. */
export const writes = (member: { readonly status: Column; readonly role: Column }): SQL =>
  sql`${member.status} = 'active' and ${member.role} in (${sql.raw(writingRoles.join(', '))})`;

/** A vault that still matters: one goes with its project. */
export const vaultStands = sql`exists (select from ${projects} where ${projects.orgId} = ${vaults.orgId}
  and ${projects.id} = ${vaults.projectId} and ${projects.deletedAt} is null)`;

const writerKey = alias(memberEncryptionKeys, 'writer_key');
const writerMember = alias(memberships, 'writer_member');

/** A writer that was admitted, and whose member and key are still what they were. */
export const writerHolds = sql`(${vaultWriters.removedAt} is null
  and exists (select from ${from(writerKey)} where ${writerKey.orgId} = ${vaultWriters.orgId}
    and ${writerKey.id} = ${vaultWriters.encryptionKeyId} and ${writerKey.state} = 'active')
  and exists (select from ${from(writerMember)} where ${writerMember.orgId} = ${vaultWriters.orgId}
    and ${writerMember.principalId} = ${vaultWriters.principalId} and ${writes(writerMember)}))`;

/** The writers of a vault. */
export const ofVault = sql`${vaultWriters.orgId} = ${vaults.orgId} and ${vaultWriters.vaultId} = ${vaults.id}`;

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
  const missing = await work.rows(missingStatement.with({ orgId, principal: self }));
  if (missing.length === 0) return;
  throw new ServiceError('GITVAULT_WRITER_NOT_ADMITTED', { details: { vault_ids: missing.map(({ id }) => id) } });
}

/** Lets no vault that a principal writes to take anything more until another writer has changed the vault's key. */
export const requireRotation = (work: Work, orgId: string, principalId: string): Promise<{ id: string }[]> =>
  work.rows(rotationStatement.with({ orgId, principalId }));

const missingStatement = statement(
  'vaults.not-writer-of',
  { params: { orgId: vaults.orgId, principal: typed<string | null>('text') }, row: pick(vaults, 'id') },
  ({ orgId, principal }, row) => sql`select ${row} from ${vaults}
    where ${vaults.orgId} = ${orgId} and ${vaultStands} and not exists (
      select from ${vaultWriters} where ${ofVault} and ${vaultWriters.principalId} = ${principal} and ${writerHolds})
    order by ${vaults.createdAt}, ${vaults.id}`,
);

const rotationStatement = statement(
  'vaults.require-rotation',
  { params: { orgId: vaults.orgId, principalId: vaultWriters.principalId }, row: pick(vaults, 'id') },
  ({ orgId, principalId }, row) => sql`update ${vaults} ${setOf(vaults, {
    rotationRequiredSince: sql`coalesce(${vaults.rotationRequiredSince}, now())`,
  })} where ${vaults.orgId} = ${orgId} and exists (
      select from ${vaultWriters} where ${ofVault} and ${vaultWriters.principalId} = ${principalId}
        and ${vaultWriters.removedAt} is null)
    returning ${row}`,
);
