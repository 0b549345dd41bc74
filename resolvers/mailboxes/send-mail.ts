import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { mailboxAttachments, mailboxMessages, mailRecipients } from '../../db/schema/mailboxes.ts';
import { type Org, orgs } from '../../db/schema/orgs.ts';
import { computed, insertInto, insertSelect, pick, statement } from '../../db/sql.ts';
import { onNamedOrOwnProject, type ProjectScope } from '../../kernel/access/access.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { knownAs } from '../../kernel/input/email-address.ts';
import { itsProject } from '../../kernel/input/fields.ts';
import { spendDaily } from '../../kernel/limits/daily-quota.ts';
import { limitsOf, mailboxSendsPerMinute } from '../../kernel/limits/limits.ts';
import { quotaExceeded } from '../../kernel/limits/quota.ts';
import { mutation } from '../../kernel/run/operation.ts';
import { keptRequestId } from '../../kernel/run/request-id.ts';
import { spendEmailCredit } from '../checkouts/shared/spend-email-credit.ts';
import { mailboxToSend } from './find-mailbox.ts';
import { findMessage } from './find-message.ts';
import { attachmentsOf, mailInput, textOf } from './mail-input.ts';
import { type MailboxRow, mailboxName, shownMailbox } from './mailbox.ts';
import { type MailboxMessage, MailboxMessageWire, messageColumns, messageToWire } from './message.ts';
import { messageChanged } from './message-feed.ts';
import { sendMailboxTask } from './send-queued.ts';
import { mailboxActions } from './shared/actions.ts';
import { sandboxProvider } from './shared/sandbox.ts';
import { suppressionOf } from './suppressions.ts';
import { withFooter } from './with-footer.ts';

/** `POST /mailboxes/v1/:mailbox_id/messages`. Contract 02, section 6.3. */
export const sendMailboxMail = mutation({
  name: 'email.send',
  tool: 'send_email',
  command: 'email send',
  effects: ['openWorld'],
  summary: 'Send a mail from a mailbox, by a template or as it is given. It is kept first, and sent until it is taken.',
  access: onNamedOrOwnProject(mailboxActions['project:mail:write']),
  lifecycle: 'gated',
  input: z.object({
    project: itsProject,
    mailbox: mailboxName
      .optional()
      .describe('The mailbox that sends it, `mbx_…` or its slug; the default one unless named.'),
    ...mailInput,
  }),
  async handler(work, input): Promise<MailboxMessage> {
    const { services, org, project } = work;
    if (project.branch?.mail === 'off') throw new ServiceError('BRANCH_MAIL_OFF');
    const mailbox = await mailboxToSend(work.rows, work, input.mailbox);
    const given = textOf(input);
    const attachments = attachmentsOf(input);
    const answered =
      input.in_reply_to === undefined ? undefined : await findMessage(work.rows, mailbox.id, input.in_reply_to);
    await refuseSuppressed(work, input.to);
    await spendAllowance(work, org);
    // From here on, senders of the organization wait for each other: the count of the day is one row.
    await refuseFast(work, mailbox);
    await countRecipient(work, mailbox, knownAs(input.to));
    const shown = shownMailbox(work, mailbox);
    const { subject, text, html } = withFooter(given, shown, services.settings.platformDomain);
    const id = services.newId('msg');
    const [message] = await work.rows(
      insertStatement.with({
        id,
        orgId: org.id,
        projectId: project.id,
        mailboxId: mailbox.id,
        template: input.template ?? null,
        variables: input.template === undefined ? null : JSON.stringify(input.variables ?? {}),
        fromAddress: shown.address,
        fromName: input.from_name ?? null,
        recipient: input.to,
        subject,
        bodyText: text,
        bodyHtml: html,
        attachments:
          attachments.length === 0 ? null : JSON.stringify(attachments.map(({ bytes: _bytes, ...meta }) => meta)),
        inReplyToId: answered?.id ?? null,
        requestId: keptRequestId(work.request),
        mailMessageId: `${id}@${shown.addressDomain}`,
        ...(project.branch === null ? goesOut : staysInside),
        references: answered === undefined ? [] : threadOf([...answered.references, answered.mailMessageId]),
      }),
    );
    if (project.branch === null) {
      for (const [number, { bytes }] of attachments.entries())
        await work.rows(attachStatement.with({ messageId: id, number, bytes }));
      await work.addJob(sendMailboxTask, { messageId: id }, { key: id });
    }
    work.append(messageChanged({ orgId: org.id, mailboxId: mailbox.id }, message!));
    return message!;
  },
  audit: ({ id, mailboxId }, _input, { project }) => ({
    action: 'mail.queued',
    object: { kind: 'mailbox_message', id },
    details: { project_id: project.id, mailbox_id: mailboxId },
  }),
  wire: MailboxMessageWire,
  toWire: messageToWire,
});

const goesOut = { status: 'pending', provider: null } as const;
/** A mail of a branch has come to its end. */
const staysInside = { status: 'sent', provider: sandboxProvider } as const;

/** Mails that `References` names at most. */
const threadMax = 20;

/** Of a long thread the first mail, which names it, and the latest ones. */
const threadOf = ([first, ...later]: readonly string[]): string[] => [first!, ...later.slice(1 - threadMax)];

/** @throws RECIPIENT_SUPPRESSED */
async function refuseSuppressed(work: Work & ProjectScope, address: string): Promise<void> {
  const found = await suppressionOf(work.rows, work.project.id, address);
  if (found === undefined) return;
  throw new ServiceError('RECIPIENT_SUPPRESSED', {
    details: {
      suppression_scope: found.scope === '*' ? 'global' : 'project',
      suppression_reason: found.reason,
    },
  });
}

/** @throws MAILBOX_SEND_RATE_LIMITED */
async function refuseFast(work: Work, { id }: MailboxRow): Promise<void> {
  const [minute] = await work.rows(minuteStatement.with({ mailboxId: id }));
  const { sent, seconds } = minute!;
  if (sent < mailboxSendsPerMinute) return;
  const retryAfter = Math.max(1, Math.ceil(seconds));
  throw new ServiceError('MAILBOX_SEND_RATE_LIMITED', {
    retryAfter,
    details: { retry_after_seconds: retryAfter, limit: mailboxSendsPerMinute, window_ms: 60_000 },
  });
}

/** Notes whom an organization has written to. @throws QUOTA_EXCEEDED for one address more than it may write to */
async function countRecipient(work: Work & ProjectScope, { id }: MailboxRow, address: string): Promise<void> {
  const { org } = work;
  const noted = await work.rows(recipientStatement.with({ orgId: org.id, mailboxId: id, address }));
  if (noted.length === 0) return;
  const [counted] = await work.rows(recipientsStatement.with({ orgId: org.id }));
  const limit = limitsOf(org).mailRecipients;
  if (counted!.used > limit)
    throw quotaExceeded({ scope: 'organization', metric: 'unique_recipients' }, limit, counted!.used - 1);
}

const minuteStatement = statement(
  'mailboxes.sent-in-minute',
  {
    params: pick(mailboxMessages, 'mailboxId'),
    row: {
      sent: computed<number>('integer', sql`count(*)::int`),
      seconds: computed<number>(
        'double precision',
        sql`coalesce(60 - extract(epoch from now() - min(${mailboxMessages.createdAt})), 0)::float8`,
      ),
    },
  },
  ({ mailboxId }, row) => sql`select ${row} from ${mailboxMessages} where ${mailboxMessages.mailboxId} = ${mailboxId}
    and ${mailboxMessages.createdAt} > now() - interval '1 minute' and ${mailboxMessages.direction} = 'outbound'`,
);

const recipientStatement = statement(
  'mailboxes.note-recipient',
  { params: pick(mailRecipients, 'orgId', 'mailboxId', 'address'), row: pick(mailRecipients, 'address') },
  ({ orgId, mailboxId, address }, row) =>
    sql`${insertSelect(
      mailRecipients,
      { orgId, since: sql`${orgs.usageSince}`, mailboxId, address },
      sql`from ${orgs} where ${orgs.id} = ${orgId}`,
    )} on conflict do nothing returning ${row}`,
);

const recipientsStatement = statement(
  'mailboxes.count-recipients',
  {
    params: pick(mailRecipients, 'orgId'),
    row: { used: computed<number>('integer', sql`count(distinct ${mailRecipients.address})::int`) },
  },
  ({ orgId }, row) => sql`select ${row} from ${mailRecipients}
    join ${orgs} on ${orgs.id} = ${mailRecipients.orgId} and ${orgs.usageSince} = ${mailRecipients.since}
    where ${mailRecipients.orgId} = ${orgId}`,
);

const written = pick(
  mailboxMessages,
  'id',
  'orgId',
  'projectId',
  'mailboxId',
  'template',
  'fromAddress',
  'fromName',
  'recipient',
  'subject',
  'bodyText',
  'bodyHtml',
  'inReplyToId',
  'mailMessageId',
  'references',
  'status',
  'requestId',
  'provider',
);

/** One of the day's mails, else one mail credit. @throws QUOTA_EXCEEDED without either */
async function spendAllowance(work: Work, org: Org): Promise<void> {
  try {
    await spendDaily(work, {
      orgId: org.id,
      resource: 'emails_per_day',
      limit: limitsOf(org).emailsPerDay,
      message: 'The organization’s mails of today are used up.',
    });
  } catch (error) {
    const isUsedUp = error instanceof ServiceError && error.code === 'QUOTA_EXCEEDED';
    if (!isUsedUp || !(await spendEmailCredit(work, org.id))) throw error;
  }
}

const insertStatement = statement(
  'mailboxes.insert-message',
  { params: { ...written, ...pick(mailboxMessages, 'variables', 'attachments') }, row: messageColumns },
  (given, row) =>
    sql`${insertInto(mailboxMessages, {
      ...given,
      direction: sql`'outbound'`,
      sentAt: sql`case when ${given.status} = 'sent' then now() end`,
    })} returning ${row}`,
);

const attachStatement = statement(
  'mailboxes.attach',
  { params: pick(mailboxAttachments, 'messageId', 'number', 'bytes') },
  (given) => insertInto(mailboxAttachments, given),
);
