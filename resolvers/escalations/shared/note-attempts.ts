/** SQL of what an attempt is noted with. */
export interface AttemptSql {
  readonly attempt: string;
  readonly status: string;
  readonly error: string;
}

/**
 * The end of a statement by which whoever tried to send a mail notes what came of it, when the mail is a page: so the
 * attempt is noted exactly when the mail's own state is.
 *
 * @param mails a table expression that has the mail's `id`
 */
export const noteAttempts = (mails: string, { attempt, status, error }: AttemptSql): string =>
  `insert into escalation_attempts (org_id, escalation_id, mail_id, attempt, email, channel, status, error)
  select p.org_id, p.escalation_id, p.mail_id, ${attempt}, p.email, 'email', ${status}, ${error}
  from escalation_pages p join ${mails} m on m.id = p.mail_id
  on conflict do nothing`;
