import { sql } from '../../db/drizzle.ts';
import { mailboxes } from '../../db/schema/mailboxes.ts';
import { mailOutbox } from '../../db/schema/platform.ts';
import { pick, setOf, statement, typed } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import type { Bounce, SentMail } from './feedback.ts';
import { suppress } from './suppressions.ts';

/**
 * A mail of sign-in has come back. It has the effect of any other on its recipient, and none on the mailbox: whoever does not
 * know a project can have it write to addresses that there are none of.
 */
export async function noteSignInBounce(work: Work, mail: SentMail, { type, why }: Bounce): Promise<void> {
  await work.rows(bouncedStatement.with({ id: mail.id, lastError: why.slice(0, 500).toWellFormed() }));
  if (type === 'Permanent') await suppress(work.rows, mail, { scope: mail.projectId, reason: 'bounce' });
}

/** The recipient of a mail of sign-in has complained: no mailbox here writes there any more. It goes on, as after a bounce. */
export const noteSignInComplaint = (work: Work, mail: SentMail): Promise<void> =>
  suppress(work.rows, mail, { scope: '*', reason: 'complaint' });

/** A mail of sign-in that a mailbox was to send, by its id. */
export const signInMailStatement = statement(
  'mailboxes.sign-in-mail',
  {
    params: pick(mailOutbox, 'id'),
    row: {
      ...pick(mailOutbox, 'id', 'recipient'),
      ...pick(mailboxes, 'orgId', 'projectId'),
      mailboxId: mailboxes.id,
    },
  },
  ({ id }, row) => sql`select ${row} from ${mailOutbox} join ${mailboxes} on ${mailboxes.id} = ${mailOutbox.mailboxId}
    where ${mailOutbox.id} = ${id}`,
);

/** Whether some of these are mails of sign-in that a mailbox was to send. */
export const signInMailsStatement = statement(
  'mailboxes.sign-in-mails',
  {
    params: { ids: typed<readonly string[]>('text[]'), mailboxId: mailboxes.id },
    row: pick(mailOutbox, 'id'),
  },
  ({ ids, mailboxId }, row) => sql`select ${row} from ${mailOutbox}
    where ${mailOutbox.id} = any(${ids}::text[]) and ${mailOutbox.mailboxId} = ${mailboxId} limit 1`,
);

const bouncedStatement = statement(
  'mailboxes.note-sign-in-bounce',
  { params: pick(mailOutbox, 'id', 'lastError') },
  ({ id, lastError }) => sql`update ${mailOutbox} ${setOf(mailOutbox, { state: sql`'failed'`, lastError })}
    where ${mailOutbox.id} = ${id} and ${mailOutbox.state} = 'sent'`,
);
