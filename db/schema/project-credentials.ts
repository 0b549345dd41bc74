import { createdAt, id, moment } from '../columns.ts';
import { index, pgTable, primaryKey, sql, text, uniqueIndex, uuid } from '../drizzle.ts';

export type CredentialKind = 'anon' | 'service';

/** Why a credential was revoked by what the gateway itself does; people may give reasons of their own. */
export type RevokedBy = 'rotated' | 'transferred';

/** Further keys of a project. The keys themselves are signed tokens that name their row, and are stored nowhere. */
export const projectCredentials = pgTable(
  'project_credentials',
  {
    orgId: uuid('org_id').notNull(),
    id: id().notNull(),
    projectId: id('project_id').notNull(),
    kind: text('kind').$type<CredentialKind>().notNull(),
    name: text('name').notNull(),
    /** The credential that this one was made in place of, by a rotation. */
    replacementOf: id('replacement_of'),
    expiresAt: moment('expires_at'),
    revokedAt: moment('revoked_at'),
    revokedReason: text('revoked_reason'),
    /** Noted once a minute at most. */
    lastUsedAt: moment('last_used_at'),
    createdBy: id('created_by'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.id] }),
    // A key names its row without its organization. Ids are random, so the pair above keeps them unique.
    index('project_credentials_id_idx').on(t.id),
    // A name is held until it is revoked.
    uniqueIndex('project_credentials_name_uq').on(t.orgId, t.projectId, t.name).where(sql`${t.revokedAt} is null`),
    // Lists run newest first.
    index('project_credentials_newest_idx').on(t.orgId, t.projectId, t.createdAt, t.id),
    // What was revoked long ago is swept up.
    index('project_credentials_revoked_idx').on(t.revokedAt).where(sql`${t.revokedAt} is not null`),
  ],
);

export type ProjectCredential = typeof projectCredentials.$inferSelect;
