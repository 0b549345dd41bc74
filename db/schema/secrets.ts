import { bytea, createdAt, id, moment } from '../columns.ts';
import { pgTable, primaryKey, text, uuid } from '../drizzle.ts';

/** Secrets of projects: no value is kept in clear. */
export const projectSecrets = pgTable(
  'project_secrets',
  {
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    /** For example `STRIPE_KEY`. */
    key: text('key').notNull(),
    /** The value, sealed under the key ring for this project and this key alone. */
    sealed: bytea('sealed').notNull(),
    /** Who set it last; null for the project’s own key. */
    updatedBy: id('updated_by'),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.orgId, t.projectId, t.key] })],
);
