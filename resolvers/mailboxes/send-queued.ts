import { safeMessage } from '../../core/safe-message.ts';
import { sql } from '../../db/drizzle.ts';
import { mailboxAttachments, mailboxMessages } from '../../db/schema/mailboxes.ts';
import { projects } from '../../db/schema/projects.ts';
import { computed, pick, setOf, statement, typed } from '../../db/sql.ts';
import { MailError } from '../../engines/mail/mailer.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import type { Task } from '../../kernel/run/task.ts';
import { noteBounce } from './feedback.ts';
import { messageColumns } from './message.ts';
import { messageChanged } from './message-feed.ts';
import { comingBack } from './return-path.ts';
import { signatureOf } from './signature.ts';

/** The job that sends one mail of a mailbox. */
export const sendMailboxTask = 'mailboxes.send';

/** After so many failed attempts a mail is given up. */
const attemptsMax = 8;
/** Longer than a mail server may take for all its answers together, in seconds. */
const leaseSeconds = 300;

/**
 * Sends one mail of a mailbox; without a mail server it stays where it is. It is claimed by a lease, so that no two workers
 * send it, and no transaction stays open while the mail server answers. A worker that dies between sending and saying so has
 * it sent again, under the same `Message-ID`.
 */
export const sendQueuedMailboxMail: Task = async ({ ctx, mailer, addJob, log }, payload) => {
  const { messageId } = payload as { messageId: string };
  const { db } = ctx.services;
  if (!mailer.configured) return;
  const [mail] = await db.rows(takeStatement.with({ id: messageId, seconds: leaseSeconds }));
  if (mail === undefined) {
    const [leased] = await db.rows(leasedStatement.with({ id: messageId }));
    // Whoever has it may have died; by then that will be known.
    if (leased !== undefined)
      await addJob(sendMailboxTask, { messageId }, { key: messageId, runAt: leased.leaseUntil });
    return;
  }
  const contents = await db.rows(bytesStatement.with({ messageId }));
  const { services } = ctx;
  let failure: unknown;
  let providerMessageId: string | null = null;
  try {
    const signature = await signatureOf(services, mail);
    if (signature === 'not_theirs')
      throw new MailError('The domain of the sender is no longer the project’s.', { permanent: true });
    ({ providerMessageId } = await mailer.send({
      signature,
      id: mail.mailMessageId,
      from: { name: mail.fromName ?? '', address: mail.fromAddress },
      to: mail.recipient,
      subject: mail.subject,
      text: mail.bodyText,
      ...(mail.bodyHtml === null ? {} : { html: mail.bodyHtml }),
      inReplyTo: mail.references.at(-1),
      references: mail.references,
      attachments: contents.map(({ number, bytes }) => {
        const { filename, content_type } = mail.attachments![number]!;
        return { filename, contentType: content_type, content: bytes };
      }),
      ...comingBack(services, messageId, mail.publicId),
    }));
  } catch (error) {
    failure = error;
  }
  const { attempts } = mail;
  if (failure instanceof MailError && failure.noSuchRecipient) {
    // The same as a mail that comes back later: told at once, it has the same effect.
    await unitOfWork(ctx, (work) => noteBounce(work, mail, { type: 'Permanent', why: safeMessage(failure) }));
    return;
  }
  const isOver =
    failure !== undefined && (attempts >= attemptsMax || (failure instanceof MailError && failure.permanent));
  const status = failure === undefined ? 'sent' : isOver ? 'failed' : 'pending';
  await unitOfWork(ctx, async (work) => {
    const [settled] = await work.rows(
      settleStatement.with({
        id: messageId,
        attempts,
        status,
        providerMessageId,
        lastError: failure === undefined ? null : safeMessage(failure),
      }),
    );
    if (settled !== undefined) work.append(messageChanged(mail, settled));
  });
  if (failure === undefined) return;
  if (status === 'failed') log.warn({ err: failure, messageId }, 'A mail of a mailbox was given up.');
  else throw failure;
};

const taken = {
  ...pick(
    mailboxMessages,
    'id',
    'orgId',
    'projectId',
    'mailboxId',
    'fromAddress',
    'fromName',
    'recipient',
    'subject',
    'bodyText',
    'bodyHtml',
    'attachments',
    'mailMessageId',
    'references',
    'attempts',
  ),
  publicId: computed<string>(
    'text',
    sql`(select ${projects.publicId} from ${projects} where ${projects.id} = ${mailboxMessages.projectId})`,
  ),
};

const takeStatement = statement(
  'mailboxes.take-message',
  {
    params: { ...pick(mailboxMessages, 'id'), seconds: typed<number>('double precision') },
    row: taken,
  },
  ({ id, seconds }, row) => sql`update ${mailboxMessages} ${setOf(mailboxMessages, {
    leaseUntil: sql`now() + make_interval(secs => ${seconds})`,
    attempts: sql`${mailboxMessages.attempts} + 1`,
  })} where ${mailboxMessages.id} = ${id} and ${mailboxMessages.status} = 'pending'
      and (${mailboxMessages.leaseUntil} is null or ${mailboxMessages.leaseUntil} < now())
    returning ${row}`,
);

const leasedStatement = statement(
  'mailboxes.leased-message',
  {
    params: pick(mailboxMessages, 'id'),
    row: { leaseUntil: computed<Date>('timestamp with time zone', sql`${mailboxMessages.leaseUntil}`) },
  },
  ({ id }, row) => sql`select ${row} from ${mailboxMessages}
    where ${mailboxMessages.id} = ${id} and ${mailboxMessages.status} = 'pending' and ${mailboxMessages.leaseUntil} is not null`,
);

const bytesStatement = statement(
  'mailboxes.attachment-bytes',
  { params: pick(mailboxAttachments, 'messageId'), row: pick(mailboxAttachments, 'number', 'bytes') },
  ({ messageId }, row) => sql`select ${row} from ${mailboxAttachments}
    where ${mailboxAttachments.messageId} = ${messageId} order by ${mailboxAttachments.number}`,
);

// The number of the attempt says whether the mail is still this worker's. The bytes of attachments go with the last one.
const settleStatement = statement(
  'mailboxes.settle-message',
  {
    params: pick(mailboxMessages, 'id', 'attempts', 'status', 'lastError', 'providerMessageId'),
    row: messageColumns,
  },
  ({ id, attempts, status, lastError, providerMessageId }, row) => sql`with settled as (
      update ${mailboxMessages} ${setOf(mailboxMessages, {
        status,
        lastError,
        provider: sql`case when ${status} = 'pending' then ${mailboxMessages.provider} else 'smtp' end`,
        providerMessageId,
        leaseUntil: sql`null`,
        sentAt: sql`case when ${status} = 'sent' then now() end`,
        updatedAt: sql`now()`,
      })} where ${mailboxMessages.id} = ${id} and ${mailboxMessages.attempts} = ${attempts}
        and ${mailboxMessages.status} = 'pending' returning ${mailboxMessages}.*
    ), forgotten as (
      delete from ${mailboxAttachments} where ${status} <> 'pending'
        and ${mailboxAttachments.messageId} in (select id from settled)
    ) select ${row} from settled ${mailboxMessages}`,
);
