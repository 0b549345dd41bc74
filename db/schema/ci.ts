import { createdAt, id, moment } from '../columns.ts';
import { bigint, index, jsonb, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';

/** What a wallet signed to let workflows deploy. */
export interface CiSignature {
  /** The header as it came. */
  readonly payload: string;
  /** The text that was signed. */
  readonly raw: string;
  readonly signer: string;
  readonly verified_at: string;
}

/** Workflows of CI that may deploy to a project. Contract 03, section 9.1. */
export const ciBindings = pgTable(
  'ci_bindings',
  {
    /** `bnd_…` */
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    /** What its sessions act as: ended with the binding. */
    delegateId: uuid('delegate_id').notNull(),
    issuer: text('issuer').notNull(),
    /** The subject of tokens, or what it begins with, before a final `*`. */
    subjectMatch: text('subject_match').notNull(),
    allowedEvents: text('allowed_events').array().notNull(),
    routeScopes: text('route_scopes').array().notNull(),
    assetKeyScopes: text('asset_key_scopes').array().notNull().default(sql`'{}'`),
    /** Null: tokens of any repository whose subject matches. */
    githubRepositoryId: text('github_repository_id'),
    nonce: text('nonce').notNull(),
    createdSig: jsonb('created_sig').$type<CiSignature>(),
    createdBy: id('created_by'),
    createdAt: createdAt(),
    expiresAt: moment('expires_at'),
    revokedAt: moment('revoked_at'),
    lastUsedAt: moment('last_used_at'),
    useCount: bigint('use_count', { mode: 'bigint' }).notNull().default(sql`0`),
  },
  (t) => [
    uniqueIndex('ci_bindings_nonce_uq').on(t.nonce),
    index('ci_bindings_project_idx').on(t.projectId, t.createdAt, t.id),
    index('ci_bindings_delegate_idx').on(t.delegateId),
  ],
);
