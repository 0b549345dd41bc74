import { createdAt, id, moment } from '../columns.ts';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  sql,
  text,
  uniqueIndex,
  uuid,
} from '../drizzle.ts';

/** Bytes that a project holds, by their SHA-256. The bytes themselves are in the object store, once for all projects. */
export const contentObjects = pgTable(
  'content_objects',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    /** 64 lower-case hex digits. */
    sha256: text('sha256').notNull(),
    size: bigint('size', { mode: 'bigint' }).notNull(),
    /** When something last came to name it: the collector leaves what is young alone. */
    usedAt: moment('used_at').notNull().defaultNow(),
    /** A release that may go live names it. */
    released: boolean('released').notNull().default(false),
    /** An asset names it. */
    named: boolean('named').notNull().default(false),
    /** The last asset that named it is gone: the collector takes it soon. */
    givenUp: boolean('given_up').notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId, t.sha256] }),
    // Whether any project still holds an object.
    index('content_objects_sha256_idx').on(t.sha256),
    index('content_objects_used_idx').on(t.usedAt).where(sql`not ${t.released} and not ${t.named}`),
  ],
);

/** One object of a plan. */
export interface PlannedContent {
  readonly sha256: string;
  readonly size: number;
}

/** What somebody is about to upload for a project. */
export const contentPlans = pgTable(
  'content_plans',
  {
    orgId: uuid('org_id').notNull(),
    /** `cplan_…` */
    id: id().notNull(),
    projectId: id('project_id').notNull(),
    content: jsonb('content').$type<readonly PlannedContent[]>().notNull(),
    expiresAt: moment('expires_at').notNull(),
    committedAt: moment('committed_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.id] }),
    index('content_plans_project_idx').on(t.orgId, t.projectId),
    index('content_plans_expires_idx').on(t.expiresAt),
  ],
);

/** An object that is being uploaded: one for each object of a project, whichever plans name it. */
export const contentUploads = pgTable(
  'content_uploads',
  {
    orgId: uuid('org_id').notNull(),
    /** `upl_…`; names the staged bytes in the object store. */
    id: id().notNull(),
    projectId: id('project_id').notNull(),
    sha256: text('sha256').notNull(),
    size: bigint('size', { mode: 'bigint' }).notNull(),
    /** Length of every part but the last. */
    partSize: bigint('part_size', { mode: 'bigint' }).notNull(),
    partCount: integer('part_count').notNull(),
    /** After it the staged bytes are thrown away. */
    expiresAt: moment('expires_at').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.id] }),
    uniqueIndex('content_uploads_object_uq').on(t.orgId, t.projectId, t.sha256, t.size),
    // The address of a part names the upload alone. Ids are random, so the pair above keeps them unique.
    index('content_uploads_id_idx').on(t.id),
    index('content_uploads_expires_idx').on(t.expiresAt),
    // Whether somebody is about to hold an object.
    index('content_uploads_sha256_idx').on(t.sha256),
  ],
);

/** Parts that have arrived, whole and as their checksum says. */
export const contentParts = pgTable(
  'content_parts',
  {
    uploadId: id('upload_id').notNull(),
    number: integer('number').notNull(),
    etag: text('etag').notNull(),
    arrivedAt: moment('arrived_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.uploadId, t.number] })],
);

/** Bytes that a project has let go: they are removed from the object store unless another one holds them. */
export const contentRemovals = pgTable('content_removals', {
  sha256: text('sha256').primaryKey(),
  createdAt: createdAt(),
});
