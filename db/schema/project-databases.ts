import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { moment } from '../columns.ts';

/** How far each project database is known to be brought; one without a row has yet to be looked at. */
export const projectTemplateVersions = pgTable('project_template_versions', {
  databaseName: text('database_name').primaryKey(),
  /** Of the template; 0 until it was brought to one. */
  version: integer('version').notNull(),
  /** When it was last begun with: nobody else begins for a while then. */
  triedAt: moment('tried_at').notNull(),
});
