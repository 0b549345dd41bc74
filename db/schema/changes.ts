import { createdAt, id } from '../columns.ts';
import { bigint, index, jsonb, pgTable, primaryKey, text, uuid } from '../drizzle.ts';

/**
 * What happened to presences, claims and escalations, for those who follow them: each row holds the thing as it stood
 * right after the change. The things themselves have their own tables; this log is kept for a week.
 */
export const feedChanges = pgTable(
  'feed_changes',
  {
    orgId: uuid('org_id').notNull(),
    /** The kind of the feed, as in `feed_heads`. */
    kind: text('kind').notNull(),
    feedId: text('feed_id').notNull(),
    /** Dense inside its feed. */
    position: bigint('position', { mode: 'bigint' }).notNull(),
    objectId: id('object_id').notNull(),
    /** What followers get, in the form that the kind of feed declares. */
    change: jsonb('change').notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.kind, t.feedId, t.position] }),
    // Retention alone looks for what is old.
    index('feed_changes_created_idx').on(t.createdAt),
  ],
);
