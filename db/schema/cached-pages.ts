import { bytea, id, moment } from '../columns.ts';
import { bigint, index, integer, jsonb, pgTable, primaryKey, text, uuid } from '../drizzle.ts';

/**
 * Pages that functions have rendered, as long as they may be answered again. One is answered only while the release that made it
 * has been live without a break, so that another release need not remove any.
 */
export const cachedPages = pgTable(
  'cached_pages',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    /** SHA-256 of host, target, locale and release: together these may be longer than a key can be. */
    key: text('key').notNull(),
    host: text('host').notNull(),
    /** Path and query, as they were sent. */
    target: text('target').notNull(),
    /** Empty for a release without locales. */
    locale: text('locale').notNull(),
    releaseId: id('release_id').notNull(),
    releaseGeneration: bigint('release_generation', { mode: 'bigint' }).notNull(),
    /** The generation of the host when it began to be made. */
    generation: bigint('generation', { mode: 'bigint' }).notNull(),
    status: integer('status').notNull(),
    headers: jsonb('headers').$type<readonly (readonly [string, string])[]>().notNull(),
    body: bytea('body').notNull(),
    bytes: integer('bytes').notNull(),
    sha256: text('sha256').notNull(),
    cachedAt: moment('cached_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId, t.key] }),
    // What goes first when a project has too many; and how many it has.
    index('cached_pages_project_idx').on(t.orgId, t.projectId, t.expiresAt, t.bytes),
    index('cached_pages_host_idx').on(t.orgId, t.projectId, t.host),
    index('cached_pages_expires_idx').on(t.expiresAt),
  ],
);

/** Rises with each invalidation of a host: what began to be made before is not kept after it. */
export const cacheGenerations = pgTable(
  'cache_generations',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    host: text('host').notNull(),
    generation: bigint('generation', { mode: 'bigint' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.orgId, t.projectId, t.host] })],
);
