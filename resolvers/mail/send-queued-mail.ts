import { safeMessage } from '../../core/safe-message.ts';
import { sql } from '../../db/drizzle.ts';
import { mailOutbox } from '../../db/schema/platform.ts';
import { computed, pick, setOf, statement, typed } from '../../db/sql.ts';
import { MailError, type MailToSend } from '../../engines/mail/mailer.ts';
import { sendMailTask } from '../../kernel/durability/outbox.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import type { Task } from '../../kernel/run/task.ts';
import { noteAttempts } from '../escalations/shared/note-attempts.ts';
import { asSentByMailbox, noteNoSuchRecipient } from '../mailboxes/shared/auth-sender.ts';
import { noteMail } from '../notices/shared/note-mail.ts';
import { notifyUndelivered } from '../operator-contact/shared/notify-undelivered.ts';

/** After so many failed attempts a mail is given up. */
const attemptsMax = 10;
/** Longer than a mail server may take for all its answers together, in seconds. */
const leaseSeconds = 300;

/**
 * Sends one mail of the outbox; without a mail server it stays queued. The mail is claimed by a lease, so that no two
 * workers send it, and no transaction stays open while the mail server answers. A worker that dies between sending and
 * saying so has it sent again.
 *
 * A mail of sign-in is sent by its mailbox. When the mail server does not take it from there, the installation sends it the
 * next time; where there is no such recipient, nothing is sent any more.
 */
export const sendQueuedMail: Task = async ({ ctx, mailer, addJob, log }, payload) => {
  const { mailId } = payload as { mailId: string };
  const { db } = ctx.services;
  if (!mailer.configured) {
    await db.rows(skippedStatement.with({ id: mailId }));
    return;
  }
  const [mail] = await db.rows(takeStatement.with({ id: mailId, seconds: leaseSeconds }));
  if (mail === undefined) {
    const [leased] = await db.rows(leasedStatement.with({ id: mailId }));
    // Whoever has it may have died; by then that will be known.
    if (leased !== undefined) await addJob(sendMailTask, { mailId }, { key: mailId, runAt: leased.leaseUntil });
    return;
  }
  const theirs = mail.mailboxId === null ? undefined : { ...mail, id: mailId, mailboxId: mail.mailboxId };
  let byMailbox: MailToSend | undefined;
  let failure: { readonly error: unknown } | undefined;
  try {
    byMailbox = theirs === undefined ? undefined : await asSentByMailbox(ctx.services, theirs);
    await mailer.send(byMailbox ?? { to: mail.recipient, subject: mail.subject, text: mail.bodyText, id: mailId });
  } catch (error) {
    failure = { error };
  }
  const { attempts } = mail;
  const refusal = byMailbox !== undefined && failure?.error instanceof MailError ? failure.error : undefined;
  const isNowhere = refusal?.noSuchRecipient === true;
  const state = failure === undefined ? 'sent' : attempts >= attemptsMax || isNowhere ? 'failed' : 'queued';
  const settled = settleStatement.with({
    id: mailId,
    attempts,
    state,
    lastError: failure === undefined ? null : safeMessage(failure.error),
    mailboxId: refusal?.permanent === true && !isNowhere ? null : mail.mailboxId,
  });
  if (state === 'failed') {
    await unitOfWork(ctx, async (work) => {
      await work.rows(settled);
      if (isNowhere) await noteNoSuchRecipient(work.rows, theirs!);
      await notifyUndelivered(work, mailId);
    });
  } else await db.rows(settled);
  if (failure === undefined) return;
  if (state === 'queued') throw failure.error;
  log.error({ err: failure.error, mailId }, 'A mail was given up.');
};

const takeStatement = statement(
  'mail.take',
  {
    params: { ...pick(mailOutbox, 'id'), seconds: typed<number>('double precision') },
    row: pick(mailOutbox, 'mailboxId', 'recipient', 'subject', 'bodyText', 'attempts'),
  },
  ({ id, seconds }, row) => sql`update ${mailOutbox} ${setOf(mailOutbox, {
    leaseUntil: sql`now() + make_interval(secs => ${seconds})`,
    attempts: sql`${mailOutbox.attempts} + 1`,
  })} where ${mailOutbox.id} = ${id} and ${mailOutbox.state} = 'queued'
      and (${mailOutbox.leaseUntil} is null or ${mailOutbox.leaseUntil} < now())
    returning ${row}`,
);

const leasedStatement = statement(
  'mail.leased',
  {
    params: pick(mailOutbox, 'id'),
    row: { leaseUntil: computed<Date>('timestamp with time zone', sql`${mailOutbox.leaseUntil}`) },
  },
  ({ id }, row) => sql`select ${row} from ${mailOutbox}
    where ${mailOutbox.id} = ${id} and ${mailOutbox.state} = 'queued' and ${mailOutbox.leaseUntil} is not null`,
);

const skippedStatement = statement(
  'mail.skipped',
  { params: pick(mailOutbox, 'id') },
  ({ id }) => sql`with skipped as (select ${id}::text as id), noticed as (
      ${noteMail(sql`skipped`, {
        attempts: sql`0`,
        state: sql`'deferred'`,
        error: sql`'No mail server is configured.'`,
      })}
    )
    ${noteAttempts(sql`skipped`, {
      attempt: sql`0`,
      status: sql`'skipped_disabled'`,
      error: sql`'No mail server is configured.'`,
    })}`,
);

// The number of the attempt says whether the mail is still this worker's. A secret that signs a person in is the
// recipient's alone once no attempt will need it any more; users made for tests get no mail but this. The outcome of a
// page is noted with it.
const settleStatement = statement(
  'mail.settle',
  { params: pick(mailOutbox, 'id', 'attempts', 'state', 'lastError', 'mailboxId') },
  ({ id, attempts, state, lastError, mailboxId }) => sql`with settled as (
      update ${mailOutbox} ${setOf(mailOutbox, {
        state,
        lastError,
        mailboxId,
        leaseUntil: sql`null`,
        bodyText: sql`case when ${state} = 'queued' or ${mailOutbox.recipient} like '%.invalid' then ${mailOutbox.bodyText}
          else regexp_replace(regexp_replace(${mailOutbox.bodyText}, '([?&]token=)[A-Za-z0-9_-]+', '\\1***', 'g'),
            '^[0-9]{6}$', '******', 'gn') end`,
        sentAt: sql`case when ${state} = 'sent' then now() end`,
      })} where ${mailOutbox.id} = ${id} and ${mailOutbox.attempts} = ${attempts} and ${mailOutbox.state} = 'queued'
      returning ${mailOutbox.id}
    ), noticed as (
      ${noteMail(sql`settled`, {
        attempts,
        state: sql`case ${state} when 'sent' then 'delivered' when 'failed' then 'failed_permanent'
          else 'failed_transient' end`,
        error: lastError,
      })}
    )
    ${noteAttempts(sql`settled`, {
      attempt: attempts,
      status: sql`case ${state} when 'sent' then 'delivered' when 'failed' then 'failed_permanent'
        else 'failed_transient' end`,
      error: lastError,
    })}`,
);
