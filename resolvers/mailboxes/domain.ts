import { sql } from '../../db/drizzle.ts';
import { interval, isPast } from '../../db/intervals.ts';
import { mailAddresses, mailDomains, receiveTests } from '../../db/schema/mail-domains.ts';
import { mailboxWebhookDeliveries, mailboxWebhooks } from '../../db/schema/mailbox-webhooks.ts';
import {
  mailboxAttachments,
  mailboxes,
  mailboxMessages,
  mailRecipients,
  mailSuppressions,
} from '../../db/schema/mailboxes.ts';
import { pick, statement } from '../../db/sql.ts';
import { enqueueAgain } from '../../kernel/durability/housekeeping.ts';
import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { createMailbox } from './create-mailbox.ts';
import { deleteMailbox } from './delete-mailbox.ts';
import { mailboxErrors } from './error-codes.ts';
import { mailboxEventTypes } from './event-types.ts';
import { getMailbox } from './get-mailbox.ts';
import { getMailboxMessage } from './get-message.ts';
import { getRawMail } from './get-raw.ts';
import { listMailboxes } from './list-mailboxes.ts';
import { listMailboxMessages } from './list-messages.ts';
import { openMailboxMessages } from './open-messages.ts';
import { sendMailboxMail } from './send-mail.ts';
import { sendMailboxTask, sendQueuedMailboxMail } from './send-queued.ts';
import { setMailboxDefaults } from './set-defaults.ts';
import { mailboxActions } from './shared/actions.ts';
import { updateMailbox } from './update-mailbox.ts';
import { deleteMailboxWebhook, registerMailboxWebhook, updateMailboxWebhook } from './webhooks/change-webhook.ts';
import { listMailboxWebhookDeliveries } from './webhooks/list-deliveries.ts';
import { getMailboxWebhook, listMailboxWebhooks } from './webhooks/read-webhooks.ts';
import { redriveMailboxWebhookDelivery } from './webhooks/redrive-delivery.ts';
import { wakeWebhooksTask } from './webhooks/tell-webhooks.ts';

// The mail of a project ends with it; what its addresses must not be written to stays, for those that hold for all.
onProjectDeletion(async (work, { orgId, projectId }) => {
  await work.rows(forgetMessagesStatement.with({ orgId, projectId }));
  await work.rows(forgetMailboxesStatement.with({ orgId, projectId }));
  for (const forget of forgetStatements) await work.rows(forget.with({ orgId, projectId }));
  await work.rows(forgetSuppressionsStatement.with({ scope: projectId }));
});

const enqueueMails = enqueueAgain(
  'enqueue-mailbox-mails',
  {
    task: sendMailboxTask,
    key: mailboxMessages.id,
    payload: sql`json_build_object('messageId', ${mailboxMessages.id})`,
  },
  sql`from ${mailboxMessages}
    where ${mailboxMessages.status} = 'pending' and ${mailboxMessages.createdAt} > now() - ${interval('3 days')}`,
);

export const mailboxesDomain = domain('mailboxes', {
  errors: mailboxErrors,
  actions: mailboxActions,
  events: mailboxEventTypes,
  operations: [
    listMailboxes,
    createMailbox,
    setMailboxDefaults,
    getMailbox,
    updateMailbox,
    deleteMailbox,
    sendMailboxMail,
    listMailboxMessages,
    getMailboxMessage,
    getRawMail,
    openMailboxMessages,
    registerMailboxWebhook,
    listMailboxWebhooks,
    getMailboxWebhook,
    updateMailboxWebhook,
    deleteMailboxWebhook,
    listMailboxWebhookDeliveries,
    redriveMailboxWebhookDelivery,
  ],
  jobs: [
    { task: sendMailboxTask, run: sendQueuedMailboxMail },
    { task: wakeWebhooksTask, run: async ({ ctx }) => ctx.services.webhookDeliveries.wake() },
  ],
  expires: [
    { table: mailboxes, when: isPast(mailboxes.deletedAt, '30 days') },
    { table: mailboxWebhookDeliveries, when: isPast(mailboxWebhookDeliveries.createdAt, '30 days') },
    // Usage is counted anew at least every 30 days.
    { table: mailRecipients, when: isPast(mailRecipients.createdAt, '90 days') },
  ],
  housekeeping: {
    'enqueue mails of mailboxes': async (job, payload) => {
      if (job.mailer.configured) await enqueueMails(job, payload);
    },
  },
});

const ofProject = pick(mailboxMessages, 'orgId', 'projectId');

const forgetMessagesStatement = statement(
  'mailboxes.forget-project-messages',
  { params: ofProject },
  ({ orgId, projectId }) => sql`with gone as (
      delete from ${mailboxMessages} where ${mailboxMessages.orgId} = ${orgId}
        and ${mailboxMessages.projectId} = ${projectId} returning id
    ) delete from ${mailboxAttachments} where ${mailboxAttachments.messageId} in (select id from gone)`,
);

const forgetMailboxesStatement = statement(
  'mailboxes.forget-project',
  { params: ofProject },
  ({ orgId, projectId }) => sql`delete from ${mailboxes}
    where ${mailboxes.orgId} = ${orgId} and ${mailboxes.projectId} = ${projectId}`,
);

const forgetStatements = [mailboxWebhookDeliveries, mailboxWebhooks, mailAddresses, mailDomains, receiveTests].map(
  (table, at) =>
    statement(
      `mailboxes.forget-project-parts-${at}`,
      { params: ofProject },
      ({ orgId, projectId }) =>
        sql`delete from ${table} where ${table.orgId} = ${orgId} and ${table.projectId} = ${projectId}`,
    ),
);

const forgetSuppressionsStatement = statement(
  'mailboxes.forget-suppressions',
  { params: pick(mailSuppressions, 'scope') },
  ({ scope }) => sql`delete from ${mailSuppressions} where ${mailSuppressions.scope} = ${scope}`,
);
