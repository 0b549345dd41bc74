import { id, moment } from '../columns.ts';
import { index, integer, pgTable, primaryKey, text } from '../drizzle.ts';

/**
 * How many live connections each node holds for a project. Not keyed by organization: a project's may be counted while
 * it moves from one to another. A row counts until its node has not renewed it for a while.
 */
export const liveConnections = pgTable(
  'live_connections',
  {
    projectId: id('project_id').notNull(),
    /** Random, new with each start of a node. */
    nodeId: text('node_id').notNull(),
    count: integer('count').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.nodeId] }),
    index('live_connections_node_idx').on(t.nodeId),
    index('live_connections_expiry_idx').on(t.expiresAt),
  ],
);

/** Projects whose hints have to be pruned although no client follows them: a manifest made tables of theirs live. */
export const liveProjects = pgTable('live_projects', { projectId: id('project_id').primaryKey() });
