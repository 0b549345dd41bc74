import { sql } from '../../../db/drizzle.ts';
import { mailboxMessages } from '../../../db/schema/mailboxes.ts';
import { pick, statement, typed } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import type { ReadMail } from '../../../engines/mail/inbound/read-mail.ts';
import { knownAs } from '../../../kernel/input/email-address.ts';
import { isSignInMail } from '../return-path.ts';
import { signInMailsStatement } from '../sign-in-feedback.ts';

/** Ids that are looked for: the mail that it says to answer, and the latest of its thread. */
const idsMax = 20;

/**
 * The mail of a mailbox that a mail answers: the latest of its thread that the mailbox has sent, by the `Message-ID` that it was
 * given here or by the name that the mail server has given it; or else the latest mail to whoever writes. Contract 02, section 6.7.
 *
 * @param writers addresses of whoever writes, the one of `From` first
 */
export async function answeredMail(
  rows: Rows,
  mailboxId: string,
  { inReplyTo, references }: Pick<ReadMail, 'inReplyTo' | 'references'>,
  writers: readonly string[],
): Promise<string | undefined> {
  const ids = [...new Set([...inReplyTo.toReversed(), ...references.toReversed()])].slice(0, idsMax);
  if (ids.length > 0) {
    const names = ids.map((id) => id.split('@')[0]!);
    const found = await rows(threadStatement.with({ mailboxId, ids, names }));
    for (const [at, id] of ids.entries()) {
      const named = found.find((one) => one.mailMessageId === id || one.providerMessageId === names[at]);
      if (named !== undefined) return named.id;
    }
  }
  for (const writer of writers) {
    const [latest] = await rows(latestStatement.with({ mailboxId, recipient: knownAs(writer) }));
    if (latest !== undefined) return latest.id;
  }
  return undefined;
}

/**
 * Whether a mail answers one of sign-in, which it may quote with what signs somebody in: no mailbox shows it.
 *
 * @param mailboxId that has sent it
 */
export async function answersSignIn(
  rows: Rows,
  mailboxId: string,
  { inReplyTo, references }: Pick<ReadMail, 'inReplyTo' | 'references'>,
): Promise<boolean> {
  const ids = [...inReplyTo, ...references].map((id) => id.split('@')[0]!).filter(isSignInMail);
  return ids.length > 0 && (await rows(signInMailsStatement.with({ ids, mailboxId }))).length > 0;
}

const found = pick(mailboxMessages, 'id', 'mailMessageId', 'providerMessageId');

// Each half by an index of its own. The mailbox only checks.
const threadStatement = statement(
  'mailboxes.thread',
  {
    params: {
      ...pick(mailboxMessages, 'mailboxId'),
      ids: typed<readonly string[]>('text[]'),
      names: typed<readonly string[]>('text[]'),
    },
    row: found,
  },
  ({ mailboxId, ids, names }, row) => sql`select ${row} from ${mailboxMessages}
    where ${mailboxMessages.mailMessageId} = any(${ids}::text[]) and ${mailboxMessages.direction} = 'outbound'
      and (${mailboxMessages.mailboxId} || '') = ${mailboxId}
    union all
    select ${row} from ${mailboxMessages}
    where ${mailboxMessages.providerMessageId} = any(${names}::text[]) and ${mailboxMessages.providerMessageId} is not null
      and (${mailboxMessages.mailboxId} || '') = ${mailboxId}`,
);

const latestStatement = statement(
  'mailboxes.latest-to',
  { params: pick(mailboxMessages, 'mailboxId', 'recipient'), row: pick(mailboxMessages, 'id') },
  ({ mailboxId, recipient }, row) => sql`select ${row} from ${mailboxMessages}
    where ${mailboxMessages.mailboxId} = ${mailboxId} and lower(${mailboxMessages.recipient}) = ${recipient}
      and ${mailboxMessages.direction} = 'outbound' order by ${mailboxMessages.createdAt} desc limit 1`,
);
