import { sql } from '../../db/drizzle.ts';
import { notices } from '../../db/schema/notices.ts';
import { setOf, statement } from '../../db/sql.ts';

/** What was told is kept for a month; that it was, for three. */
export const redactStatement = statement(
  'notices.redact',
  {},
  () => sql`update ${notices} ${setOf(notices, { payload: sql`null`, redactedAt: sql`now()` })}
    where ${notices.createdAt} < now() - interval '30 days' and ${notices.redactedAt} is null`,
);
