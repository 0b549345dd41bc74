import { moment } from '../columns.ts';
import { index, pgTable, text } from '../drizzle.ts';

/**
 * How much sites are fetched from for audits, by host: all nodes draw on it, since the host feels them all. Keyed by the
 * name alone; a row says nothing once its moment is past.
 */
export const auditHosts = pgTable(
  'audit_hosts',
  {
    host: text('host').primaryKey(),
    /** When everything is granted again: each audit moves it on by what one is worth. */
    fullAt: moment('full_at').notNull(),
  },
  (t) => [index('audit_hosts_full_idx').on(t.fullAt)],
);
