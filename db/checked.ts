import { type SQL, sql } from './drizzle.ts';

/**
 * A condition that is checked on the rows which the others find, and which no index can be asked for. A prepared
 * statement is planned without its values, and for all Postgres knows a room holds one row, so it would as soon read a
 * room of a million messages through as look up the one that is wanted by its id.
 */
export const checked = (condition: SQL): SQL => sql`(${condition}) is true`;
