import { createdAt, id, moment } from '../columns.ts';
import { index, integer, pgTable, primaryKey, text, uuid } from '../drizzle.ts';

/** SQL that the developers of a project keep for each other. */
export const savedQueries = pgTable(
  'saved_queries',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    description: text('description'),
    sql: text('sql').notNull(),
    /** Rises by one with each change, so that two who edit one query see each other. */
    version: integer('version').notNull().default(1),
    /** Who changed it last; null for the project’s own key. */
    updatedBy: id('updated_by'),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.projectId, t.id] }),
    // Lists run newest first.
    index('saved_queries_newest_idx').on(t.orgId, t.projectId, t.createdAt, t.id),
  ],
);

export type SavedQuery = typeof savedQueries.$inferSelect;
