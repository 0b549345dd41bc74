import { sql } from '../../db/drizzle.ts';
import type { BounceType } from '../../db/schema/mailboxes.ts';
import { mailboxAttachments, mailboxes, mailboxMessages } from '../../db/schema/mailboxes.ts';
import { projects } from '../../db/schema/projects.ts';
import { computed, pick, type RowOf, setOf, statement } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { appendEvent } from '../../kernel/feeds/append-event.ts';
import { mailboxEventTypes } from './event-types.ts';
import { type MailboxMessage, messageColumns, providerIdOf } from './message.ts';
import { messageChanged } from './message-feed.ts';
import { domainOfProject } from './shared/mail-domain.ts';
import { suppress } from './suppressions.ts';
import { tellMailFact } from './tell-mail-fact.ts';

/** Mails of one mailbox that may come back for good within a day, before it is suspended. Contract 02, section 6.6. */
const bouncesMax = 3;

/** A mail that was sent, and of which something is told. */
export const sentColumns = pick(mailboxMessages, 'id', 'orgId', 'projectId', 'mailboxId', 'recipient');

export type SentMail = RowOf<typeof sentColumns>;

export interface Bounce {
  /** Null where nobody says whether it is for good. */
  readonly type: BounceType | null;
  /** What the server said, or what is known of it. */
  readonly why: string;
}

/** A mail has come back: for good, its recipient is written to no more by the project. Does nothing the second time. */
export async function noteBounce(work: Work, mail: SentMail, { type, why }: Bounce): Promise<void> {
  await work.rows(lockMailboxStatement.with({ id: mail.mailboxId }));
  const [bounced] = await work.rows(
    bouncedStatement.with({ id: mail.id, bounceType: type, lastError: why.slice(0, 500).toWellFormed() }),
  );
  if (bounced === undefined) return;
  work.append(messageChanged(mail, bounced));
  await tell(work, mail, bounced, 'bounced', { bounce_type: type });
  if (type !== 'Permanent') return;
  await suppress(work.rows, mail, { scope: mail.projectId, reason: 'bounce' });
  const [counted] = await work.rows(countStatement.with({ mailboxId: mail.mailboxId }));
  if (counted!.bounces >= bouncesMax) await suspend(work, mail, 'hard_bounces');
}

/** A recipient has complained: nobody here writes to it any more, and the mailbox is suspended. */
export async function noteComplaint(work: Work, mail: SentMail): Promise<void> {
  await work.rows(lockMailboxStatement.with({ id: mail.mailboxId }));
  const [complained] = await work.rows(complainedStatement.with({ id: mail.id }));
  if (complained === undefined) return;
  work.append(messageChanged(mail, complained));
  await tell(work, mail, complained, 'complained');
  await suppress(work.rows, mail, { scope: '*', reason: 'complaint' });
  await suspend(work, mail, 'complaint');
}

/** The server of the recipient has it. Says nothing where it has come back meanwhile. */
export async function noteDelivery(work: Work, mail: SentMail): Promise<void> {
  const [delivered] = await work.rows(deliveredStatement.with({ id: mail.id }));
  if (delivered === undefined) return;
  work.append(messageChanged(mail, delivered));
  await tell(work, mail, delivered, 'delivery');
}

/** How the moment of each fact is called in what webhooks are told. Contract 02, section 6.5. */
const momentOf = { delivery: 'delivered_at', bounced: 'bounced_at', complained: 'complained_at' } as const;

async function tell(
  work: Work,
  { orgId, projectId, mailboxId }: SentMail,
  message: MailboxMessage,
  type: keyof typeof momentOf,
  more: object = {},
): Promise<void> {
  const providerMessageId = providerIdOf(message);
  await tellMailFact(work, {
    orgId,
    projectId,
    mailboxId,
    type,
    discriminator: providerMessageId ?? message.id,
    payload: {
      mailbox_id: mailboxId,
      message_id: message.id,
      to_address: message.recipient,
      provider: message.provider,
      provider_message_id: providerMessageId,
      ...more,
      [momentOf[type]]: work.services.now().toISOString(),
    },
  });
}

/** Stops a mailbox. What still waits in it is not sent. */
async function suspend(
  work: Work,
  { mailboxId, orgId, projectId }: SentMail,
  reason: 'complaint' | 'hard_bounces',
): Promise<void> {
  const [suspended] = await work.rows(suspendStatement.with({ id: mailboxId, suspendedReason: reason }));
  if (suspended === undefined) return;
  for (const failed of await work.rows(failWaitingStatement.with({ mailboxId })))
    work.append(messageChanged({ orgId, mailboxId }, failed));
  const address = `${suspended.slug}@${domainOfProject(work.services, suspended.publicId)}`;
  work.append(
    appendEvent({
      orgId,
      projectId,
      type: mailboxEventTypes.mailbox_suspended,
      payload: { mailbox_id: mailboxId, address, reason },
    }),
  );
  const suspendedAt = work.services.now().toISOString();
  await tellMailFact(work, {
    orgId,
    projectId,
    mailboxId,
    type: 'mailbox_suspended',
    discriminator: suspendedAt,
    payload: { mailbox_id: mailboxId, address, reason, suspended_at: suspendedAt },
  });
}

// Bounces of a mailbox are counted one after the other.
const lockMailboxStatement = statement(
  'mailboxes.lock',
  { params: pick(mailboxes, 'id') },
  ({ id }) => sql`select from ${mailboxes} where ${mailboxes.id} = ${id} for update`,
);

/** What ends the sending, if whoever sends it has not said yet that it is sent. */
const over = {
  leaseUntil: sql`null`,
  provider: sql`coalesce(${mailboxMessages.provider}, 'smtp')`,
  sentAt: sql`coalesce(${mailboxMessages.sentAt}, now())`,
  updatedAt: sql`now()`,
};

const forgetFiles = sql`forgotten as (
  delete from ${mailboxAttachments} where ${mailboxAttachments.messageId} in (select id from told))`;

const bouncedStatement = statement(
  'mailboxes.note-bounce',
  { params: pick(mailboxMessages, 'id', 'bounceType', 'lastError'), row: messageColumns },
  ({ id, bounceType, lastError }, row) => sql`with told as (
      update ${mailboxMessages}
      ${setOf(mailboxMessages, { ...over, status: sql`'bounced'`, bounceType, bouncedAt: sql`now()`, lastError })}
      where ${mailboxMessages.id} = ${id} and ${mailboxMessages.direction} = 'outbound'
        and ${mailboxMessages.status} in ('pending', 'sent', 'delivered', 'failed') returning ${mailboxMessages}.*
    ), ${forgetFiles} select ${row} from told ${mailboxMessages}`,
);

const complainedStatement = statement(
  'mailboxes.note-complaint',
  { params: pick(mailboxMessages, 'id'), row: messageColumns },
  ({ id }, row) => sql`with told as (
      update ${mailboxMessages} ${setOf(mailboxMessages, { ...over, status: sql`'complained'` })}
      where ${mailboxMessages.id} = ${id} and ${mailboxMessages.direction} = 'outbound'
        and ${mailboxMessages.status} <> 'complained' returning ${mailboxMessages}.*
    ), ${forgetFiles} select ${row} from told ${mailboxMessages}`,
);

const deliveredStatement = statement(
  'mailboxes.note-delivery',
  { params: pick(mailboxMessages, 'id'), row: messageColumns },
  ({ id }, row) => sql`with told as (
      update ${mailboxMessages} ${setOf(mailboxMessages, { ...over, status: sql`'delivered'`, lastError: sql`null` })}
      where ${mailboxMessages.id} = ${id} and ${mailboxMessages.direction} = 'outbound'
        and ${mailboxMessages.status} in ('pending', 'sent') returning ${mailboxMessages}.*
    ), ${forgetFiles} select ${row} from told ${mailboxMessages}`,
);

const countStatement = statement(
  'mailboxes.count-bounces',
  { params: pick(mailboxMessages, 'mailboxId'), row: { bounces: computed<number>('integer', sql`count(*)::int`) } },
  ({ mailboxId }, row) => sql`select ${row} from ${mailboxMessages} where ${mailboxMessages.mailboxId} = ${mailboxId}
    and ${mailboxMessages.bouncedAt} > now() - interval '24 hours' and ${mailboxMessages.bounceType} = 'Permanent'`,
);

const suspendStatement = statement(
  'mailboxes.suspend',
  {
    params: pick(mailboxes, 'id', 'suspendedReason'),
    row: { ...pick(mailboxes, 'slug'), publicId: projects.publicId },
  },
  ({ id, suspendedReason }, row) => sql`update ${mailboxes}
    ${setOf(mailboxes, { status: sql`'suspended'`, suspendedReason, suspendedAt: sql`now()`, updatedAt: sql`now()` })}
    from ${projects} where ${mailboxes.id} = ${id} and ${mailboxes.status} = 'active'
      and ${projects.id} = ${mailboxes.projectId} returning ${row}`,
);

// What a worker has just given to the mail server it settles itself.
const failWaitingStatement = statement(
  'mailboxes.fail-waiting',
  { params: pick(mailboxMessages, 'mailboxId'), row: messageColumns },
  ({ mailboxId }, row) => sql`with told as (
      update ${mailboxMessages} ${setOf(mailboxMessages, {
        status: sql`'failed'`,
        lastError: sql`'The mailbox is suspended.'`,
        updatedAt: sql`now()`,
      })} where ${mailboxMessages.mailboxId} = ${mailboxId} and ${mailboxMessages.status} = 'pending'
        and coalesce(${mailboxMessages.leaseUntil} < now(), true) returning ${mailboxMessages}.*
    ), ${forgetFiles} select ${row} from told ${mailboxMessages}`,
);
