import { type Column, type PgTable, type SQL, sql } from '../../db/drizzle.ts';

/**
 * Deletes a few rows that are over, as a part of the statement that makes new ones: `with ${swept(…)} insert …`.
 *
 * @param ends when a row is over; there is an index on it
 * @param before how long ago that is
 */
export const swept = (table: PgTable & { readonly id: Column }, ends: SQL, before: SQL = sql`now()`): SQL =>
  sql`swept as (
      delete from ${table} where ${table.id} in (
        select ${table.id} from ${table} where ${ends} < ${before} order by ${ends} limit 10 for update skip locked)
    )`;
