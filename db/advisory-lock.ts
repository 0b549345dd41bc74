import { sql } from './drizzle.ts';
import { statement, typed } from './sql.ts';

/**
 * Has every transaction wait that takes the lock of the same key, until the end of the one that asks. Statements that
 * begin after it see what those before it have committed.
 */
export const advisoryLock = statement(
  'advisory-lock',
  { params: { key: typed<string>('text') } },
  ({ key }) => sql`select from pg_advisory_xact_lock(hashtextextended(${key}, 0))`,
);
