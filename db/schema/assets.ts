import type { AssetMetadata, AssetVisibility, ExifPolicy, ImageFacts } from '../../core/asset-facts.ts';
import { createdAt, id, moment } from '../columns.ts';
import { bigint, boolean, index, jsonb, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts';

/** Names that a project has given to bytes of its own. The bytes are counted and kept by `content_objects`. */
export const assets = pgTable(
  'assets',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    /** For example `images/logo.png`. */
    key: text('key').notNull(),
    sha256: text('sha256').notNull(),
    size: bigint('size', { mode: 'bigint' }).notNull(),
    contentType: text('content_type').notNull(),
    visibility: text('visibility').$type<AssetVisibility>().notNull(),
    /** Whether each version has an address of its own. */
    immutable: boolean('immutable').notNull(),
    metadata: jsonb('metadata').$type<AssetMetadata>(),
    exifPolicy: text('exif_policy').$type<ExifPolicy>().notNull().default('keep'),
    /** Null for what is no image. */
    image: jsonb('image').$type<ImageFacts>(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId, t.key] }),
    // Lists by key, byte by byte, and keys that begin alike.
    index('assets_key_idx').on(t.orgId, t.projectId, sql`(${t.key} collate "C")`),
    // Lists of one folder, and of the folders below one: what is in those is passed over.
    index('assets_folder_idx').on(
      t.orgId,
      t.projectId,
      sql`(regexp_replace(${t.key}, '[^/]*$', '') collate "C")`,
      sql`(${t.key} collate "C")`,
    ),
    index('assets_created_idx').on(t.orgId, t.projectId, t.createdAt, sql`(${t.key} collate "C")`),
    // Whether a project still names an object.
    index('assets_sha256_idx').on(t.projectId, t.sha256),
  ],
);

/**
 * Paths of a project that always have the same bytes: each version of an immutable asset, and images that were made of an
 * asset. Those of a version outlive it.
 */
export const assetVersions = pgTable(
  'asset_versions',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    /** Below `/_blob/`: `images/logo-1a2b3c4d.png`. */
    path: text('path').notNull(),
    /** Of the asset. */
    key: text('key').notNull(),
    /** Of the asset’s version; its own but for an image that was made of it. */
    versionSha256: text('version_sha256').notNull(),
    sha256: text('sha256').notNull(),
    size: bigint('size', { mode: 'bigint' }).notNull(),
    contentType: text('content_type').notNull(),
    visibility: text('visibility').$type<AssetVisibility>().notNull(),
    createdAt: createdAt(),
    /** Since when nothing leads here any more; the bytes are then kept for nobody. */
    retiredAt: moment('retired_at'),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId, t.path] }),
    index('asset_versions_key_idx').on(t.orgId, t.projectId, t.key),
    index('asset_versions_sha256_idx').on(t.projectId, t.sha256),
    index('asset_versions_retired_idx').on(t.retiredAt).where(sql`${t.retiredAt} is not null`),
  ],
);

export type Asset = typeof assets.$inferSelect;
