import { createdAt, id } from '../columns.ts';
import { index, pgTable, text, uuid } from '../drizzle.ts';

/**
 * Names that projects are served under beside their generated one: subdomains of the platform domain that were claimed,
 * and domains of their own. A row is there for as long as the name is the project's for certain: a domain is entered
 * once it has been verified. Keyed by the name alone, since a name is one project's and requests know nothing else.
 */
export const hostNames = pgTable(
  'host_names',
  {
    /** The whole host name in lower case (Punycode), without a port or a final dot. */
    name: text('name').primaryKey(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    createdAt: createdAt(),
  },
  (t) => [index('host_names_project_idx').on(t.orgId, t.projectId)],
);
