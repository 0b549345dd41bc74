import { ServiceError } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { type SQL, sql } from '../../db/drizzle.ts';
import { type Vault, type VaultWriter, vaults, vaultWriters } from '../../db/schema/vaults.ts';
import { allOf, pick, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
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
  const [vault] = isUuid(vaultId) ? await work.rows(lockStatement.with({ orgId, id: vaultId })) : [];
  if (vault === undefined) throw absent({ vault_id: vaultId });
  return vault;
}

/** A vault that is there, as it is inside the transaction. */
export async function vaultInside(
  { rows }: { readonly rows: Rows },
  orgId: string,
  vaultId: string,
): Promise<VaultRow> {
  const [vault] = await rows(findStatement.with({ orgId, id: vaultId }));
  return { ...vault!, writers: await rows(writersStatement.with({ orgId, vaultId })) };
}

const absent = (details: Record<string, string>) => new ServiceError('RESOURCE_NOT_FOUND', { details });

const key = pick(vaults, 'orgId', 'id');
const isVault = ({ orgId, id }: { readonly [Name in keyof typeof key]: SQL }): SQL =>
  sql`${vaults.orgId} = ${orgId} and ${vaults.id} = ${id}`;

const findStatement = statement(
  'vaults.find',
  { params: key, row: allOf(vaults) },
  (given, row) => sql`select ${row} from ${vaults} where ${isVault(given)}`,
);

const lockStatement = statement(
  'vaults.lock',
  { params: key, row: allOf(vaults) },
  (given, row) => sql`select ${row} from ${vaults} where ${isVault(given)} and ${vaultStands} for no key update`,
);

const writersStatement = statement(
  'vaults.writers',
  {
    params: pick(vaultWriters, 'orgId', 'vaultId'),
    row: pick(vaultWriters, 'encryptionKeyId', 'principalId', 'admittedAt'),
  },
  ({ orgId, vaultId }, row) => sql`select ${row} from ${vaultWriters}
    where ${vaultWriters.orgId} = ${orgId} and ${vaultWriters.vaultId} = ${vaultId} and ${vaultWriters.removedAt} is null
    order by ${vaultWriters.admittedAt}, ${vaultWriters.encryptionKeyId}`,
);
