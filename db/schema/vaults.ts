import { createdAt, id, moment } from '../columns.ts';
import { index, integer, pgTable, primaryKey, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { orgs } from './orgs.ts';

export type EncryptionKeyState = 'active' | 'rotation_required' | 'revoked';

/** The public half of the key that a member's copy of the organization's vaults is wrapped for. */
export const memberEncryptionKeys = pgTable(
  'member_encryption_keys',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id),
    id: uuid('id').notNull(),
    principalId: id('principal_id').notNull(),
    fingerprint: text('fingerprint').notNull(),
    /** Where the secret half is kept, for example `device_keystore`. */
    custodyScheme: text('custody_scheme').notNull(),
    /** `rotation_required`: its keystore was lost or rebuilt; an owner has to revoke it before another is enrolled. */
    state: text('state').$type<EncryptionKeyState>().notNull(),
    createdAt: createdAt(),
    revokedAt: moment('revoked_at'),
    revokedReason: text('revoked_reason'),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.id] }),
    // One at a time for a member.
    uniqueIndex('member_encryption_keys_current_uq').on(t.orgId, t.principalId).where(sql`${t.state} <> 'revoked'`),
    index('member_encryption_keys_principal_idx').on(t.principalId),
  ],
);

/** An encrypted source vault of a project: only its writers and the epoch of its key are here. */
export const vaults = pgTable(
  'vaults',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => orgs.id),
    id: uuid('id').notNull(),
    projectId: id('project_id').notNull(),
    /** Raised with each rotation of the vault's key. */
    epoch: integer('epoch').notNull().default(1),
    /** Set when a writer was removed: nothing is taken until a surviving writer has rotated. */
    rotationRequiredSince: moment('rotation_required_since'),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.orgId, t.id] }), uniqueIndex('vaults_project_uq').on(t.orgId, t.projectId)],
);

/** The keys that a vault takes writes from. */
export const vaultWriters = pgTable(
  'vault_writers',
  {
    orgId: uuid('org_id').notNull(),
    vaultId: uuid('vault_id').notNull(),
    encryptionKeyId: uuid('encryption_key_id').notNull(),
    principalId: id('principal_id').notNull(),
    admittedAt: moment('admitted_at').notNull().defaultNow(),
    removedAt: moment('removed_at'),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.vaultId, t.encryptionKeyId] }),
    index('vault_writers_principal_idx').on(t.orgId, t.principalId),
  ],
);

export type Vault = typeof vaults.$inferSelect;
export type VaultWriter = typeof vaultWriters.$inferSelect;
