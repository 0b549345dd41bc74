import { type SQL, sql } from '../../../db/drizzle.ts';
import { escalationAttempts, escalationPages } from '../../../db/schema/escalations.ts';
import { namesOf } from '../../../db/sql.ts';

/** SQL of what an attempt is noted with. */
export interface AttemptSql {
  readonly attempt: SQL;
  readonly status: SQL;
  readonly error: SQL;
}

/**
 * The end of a statement by which whoever tried to send a mail notes what came of it, when the mail is a page: so the
 * attempt is noted exactly when the mail's own state is.
 *
 * @param mails a table expression that has the mail's `id`
 */
export const noteAttempts = (mails: SQL, { attempt, status, error }: AttemptSql): SQL =>
  sql`insert into ${escalationAttempts} (${namesOf(
    escalationAttempts.orgId,
    escalationAttempts.escalationId,
    escalationAttempts.mailId,
    escalationAttempts.attempt,
    escalationAttempts.email,
    escalationAttempts.channel,
    escalationAttempts.status,
    escalationAttempts.error,
  )})
  select ${escalationPages.orgId}, ${escalationPages.escalationId}, ${escalationPages.mailId}, ${attempt},
    ${escalationPages.email}, 'email', ${status}, ${error}
  from ${escalationPages} join ${mails} m on m.id = ${escalationPages.mailId}
  on conflict do nothing`;
