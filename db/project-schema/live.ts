import { pgSchema, text } from '../drizzle.ts';

/** A view of every project database, which `db/project-template` makes: tables that can be followed. */
export const liveTables = pgSchema('_svc').table('live_tables', { name: text('name').notNull() });
