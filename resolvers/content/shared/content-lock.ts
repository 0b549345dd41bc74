import { sql } from '../../../db/drizzle.ts';
import { statement } from '../../../db/sql.ts';

const key = sql`hashtextextended('content-objects', 0)`;

/**
 * Held by what makes objects somebody's, until its transaction ends. Bytes are stored once for all projects, so that the
 * collector may not take away what another project is just about to hold.
 */
export const keepContentLock = statement(
  'content.keep-lock',
  {},
  () => sql`select from pg_advisory_xact_lock_shared(${key})`,
);

/** Held by the collector while it looks whether an object is still somebody's, and removes it. */
export const removeContentLock = statement(
  'content.remove-lock',
  {},
  () => sql`select from pg_advisory_xact_lock(${key})`,
);
