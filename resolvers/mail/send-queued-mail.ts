import { safeMessage } from '../../core/safe-message.ts';
import type { Statement } from '../../db/pool.ts';
import { sendMailTask } from '../../kernel/durability/outbox.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import type { Task } from '../../kernel/run/task.ts';
import { noteAttempts } from '../escalations/shared/note-attempts.ts';
import { tellUndelivered } from '../operator-contact/shared/tell-undelivered.ts';

/** After so many failed attempts a mail is given up. */
const attemptsMax = 10;
/** Longer than a mail server may take for all its answers together, in seconds. */
const leaseSeconds = 300;

interface TakenMail {
  readonly recipient: string;
  readonly subject: string;
  readonly body_text: string;
  readonly attempts: number;
}

/**
 * Sends one mail of the outbox; without a mail server it stays queued. The mail is claimed by a lease, so that no two
 * workers send it, and no transaction stays open while the mail server answers. A worker that dies between sending and
 * saying so has it sent again.
 */
export const sendQueuedMail: Task = async ({ ctx, mailer, addJob, log }, payload) => {
  const { mailId } = payload as { mailId: string };
  const { db } = ctx.services;
  if (!mailer.configured) {
    await db.rows(skippedStatement, [mailId]);
    return;
  }
  const [mail] = await db.rows<TakenMail>(takeStatement, [mailId, leaseSeconds]);
  if (mail === undefined) {
    const [leased] = await db.rows<{ lease_until: Date }>(leasedStatement, [mailId]);
    // Whoever has it may have died; by then that will be known.
    if (leased !== undefined) await addJob(sendMailTask, { mailId }, { key: mailId, runAt: leased.lease_until });
    return;
  }
  let failure: { readonly error: unknown } | undefined;
  try {
    await mailer.send({ to: mail.recipient, subject: mail.subject, text: mail.body_text, id: mailId });
  } catch (error) {
    failure = { error };
  }
  const { attempts } = mail;
  const state = failure === undefined ? 'sent' : attempts >= attemptsMax ? 'failed' : 'queued';
  const reason = failure === undefined ? null : safeMessage(failure.error);
  const settled = [mailId, attempts, state, reason];
  if (state === 'failed') {
    await unitOfWork(ctx, async (work) => {
      await work.rows(settleStatement, settled);
      await tellUndelivered(work, mailId);
    });
  } else await db.rows(settleStatement, settled);
  if (failure === undefined) return;
  if (state === 'queued') throw failure.error;
  log.error({ err: failure.error, mailId }, 'A mail was given up.');
};

const takeStatement: Statement = {
  name: 'mail.take',
  text: `update mail_outbox set lease_until = now() + make_interval(secs => $2), attempts = attempts + 1
    where id = $1 and state = 'queued' and (lease_until is null or lease_until < now())
    returning recipient, subject, body_text, attempts`,
};

const leasedStatement: Statement = {
  name: 'mail.leased',
  text: `select lease_until from mail_outbox where id = $1 and state = 'queued' and lease_until is not null`,
};

const skippedStatement: Statement = {
  name: 'mail.skipped',
  text: `with skipped as (select $1::text as id)
  ${noteAttempts('skipped', { attempt: '0', status: `'skipped_disabled'`, error: `'No mail server is configured.'` })}`,
};

// The number of the attempt says whether the mail is still this worker's.
const settleStatement: Statement = {
  name: 'mail.settle',
  // What signs somebody in is the recipient's alone once no attempt will need it any more; users made for
  // tests get no mail but this. What came of a page is noted with it.
  text: `with settled as (
    update mail_outbox set state = $3, last_error = $4, lease_until = null,
    body_text = case when $3 = 'queued' or recipient like '%.invalid' then body_text else
      regexp_replace(regexp_replace(body_text, '([?&]token=)[A-Za-z0-9_-]+', '\\1***', 'g'), '^[0-9]{6}$', '******', 'gn') end,
    sent_at = case when $3 = 'sent' then now() end where id = $1 and attempts = $2 and state = 'queued'
    returning id
  )
  ${noteAttempts('settled', {
    attempt: '$2',
    status: `case $3 when 'sent' then 'delivered' when 'failed' then 'failed_permanent' else 'failed_transient' end`,
    error: '$4',
  })}`,
};
