import { type SQL, sql } from '../../../db/drizzle.ts';
import { notices } from '../../../db/schema/notices.ts';
import { setOf } from '../../../db/sql.ts';

/**
 * Part of a statement by which whoever tried to send a mail notes what came of it, when the mail is a notice: so it is noted
 * exactly when the mail's own state is.
 *
 * @param mails a table expression that has the mail's `id`
 */
export const noteMail = (mails: SQL, outcome: Readonly<Record<'attempts' | 'state' | 'error', SQL>>): SQL =>
  sql`update ${notices} ${setOf(notices, outcome)} from ${mails} m where ${notices.mailId} = m.id`;
