import { ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { columnsOf } from '../../db/columns-of.ts';
import type { Statement } from '../../db/pool.ts';
import { type Vault, type VaultWriter, vaults } from '../../db/schema/vaults.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { lockOrg } from '../orgs/shared/lock-org.ts';
import { vaultStands } from './shared/writers.ts';

export type Writer = Pick<VaultWriter, 'encryptionKeyId' | 'principalId' | 'admittedAt'>;

/** A vault with the keys that were admitted to it and not removed, oldest first. */
export interface VaultRow extends Vault {
  readonly writers: readonly Writer[];
}

/** Locks an organization that the platform admin named. @throws RESOURCE_NOT_FOUND */
export async function lockNamedOrg(work: Work, orgId: string): Promise<void> {
  if ((await lockOrg(work, orgId)) === undefined) throw absent({ org_id: orgId });
}

/**
 * Locks a vault of an organization: what is pushed to it, and what changes who may, happen one after the other.
 * Whoever locks both takes the organization first.
 *
 * @throws RESOURCE_NOT_FOUND also for a text that is no vault's id
 */
export async function lockVault(work: Work, orgId: string, vaultId: string): Promise<Vault> {
  const [vault] = isUuid(vaultId) ? await work.rows<Vault>(lockStatement, [orgId, vaultId]) : [];
  if (vault === undefined) throw absent({ vault_id: vaultId });
  return vault;
}

/** The vault as it is inside the transaction. */
export async function vaultInside(work: Work, orgId: string, vaultId: string): Promise<VaultRow> {
  const [vault] = await work.rows<Vault>(findStatement, [orgId, vaultId]);
  return { ...vault!, writers: await work.rows<Writer>(writersStatement, [orgId, vaultId]) };
}

const absent = (details: Record<string, string>) => new ServiceError('RESOURCE_NOT_FOUND', { details });

const findStatement: Statement = {
  name: 'vaults.find',
  text: `select ${columnsOf(vaults, 'v')} from vaults v where v.org_id = $1 and v.id = $2`,
};

const lockStatement: Statement = {
  name: 'vaults.lock',
  text: `${findStatement.text} and ${vaultStands('v')} for no key update`,
};

const writersStatement: Statement = {
  name: 'vaults.writers',
  text: `select encryption_key_id as "encryptionKeyId", principal_id as "principalId", admitted_at as "admittedAt"
    from vault_writers where org_id = $1 and vault_id = $2 and removed_at is null order by admitted_at, encryption_key_id`,
};
