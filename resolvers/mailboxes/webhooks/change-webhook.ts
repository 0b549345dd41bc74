import { z } from 'zod';
import { invalidField, ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { mailboxWebhookDeliveries, mailboxWebhooks } from '../../../db/schema/mailbox-webhooks.ts';
import { insertInto, pick, setOf, statement } from '../../../db/sql.ts';
import { onNamedOrOwnProject, ownerOf } from '../../../kernel/access/access.ts';
import { webhooksPerMailbox } from '../../../kernel/limits/limits.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { lockProjectFor } from '../../projects/shared/lock-project.ts';
import { mailboxToRead } from '../find-mailbox.ts';
import { mailboxActions } from '../shared/actions.ts';
import {
  findWebhook,
  type MailboxWebhook,
  MailboxWebhookWire,
  mailWebhookUrl,
  ofMailbox,
  webhookColumns,
  webhookEvents,
  webhookId,
  webhooksOf,
  webhookToWire,
} from './webhook.ts';

const access = onNamedOrOwnProject(mailboxActions['project:mail:write']);

const audited = (action: string, { id, mailboxId }: MailboxWebhook, projectId: string) => ({
  action,
  object: { kind: 'mailbox_webhook', id },
  details: { project_id: projectId, mailbox_id: mailboxId },
});

/** `POST /mailboxes/v1/:mailbox_id/webhooks`. Contract 02, section 6.5. */
export const registerMailboxWebhook = mutation({
  name: 'email.registerWebhook',
  tool: 'register_mailbox_webhook',
  command: 'email webhooks register',
  effects: ['openWorld'],
  summary: 'Have an address told what happens to the mail of a mailbox.',
  access,
  lifecycle: 'owned',
  input: z.object({ ...ofMailbox, url: mailWebhookUrl, events: webhookEvents }),
  async handler(work, { mailbox: name, url, events }): Promise<MailboxWebhook> {
    await lockProjectFor(work, mailboxActions['project:mail:write']);
    const mailbox = await mailboxToRead(work.rows, work, name);
    const known = await webhooksOf(work.rows, mailbox.id);
    if (known.length >= webhooksPerMailbox)
      throw new ServiceError('MAILBOX_WEBHOOK_LIMIT_REACHED', {
        details: { limit: webhooksPerMailbox, used: known.length },
      });
    const id = work.services.newId('whk');
    const [made] = await work.rows(insertStatement.with({ ...ownerOf(work), id, mailboxId: mailbox.id, url, events }));
    return made!;
  },
  audit: (made, _input, { project }) => audited('mailbox.webhook_registered', made, project.id),
  wire: MailboxWebhookWire,
  toWire: webhookToWire,
});

/** `PATCH /mailboxes/v1/:mailbox_id/webhooks/:webhook_id`. Contract 02, section 6.5. */
export const updateMailboxWebhook = mutation({
  name: 'email.updateWebhook',
  tool: 'update_mailbox_webhook',
  command: 'email webhooks update',
  effects: ['destructive', 'idempotent', 'openWorld'],
  summary: 'Change the address of a webhook, or what it is told of. What still waits goes to the new address.',
  access,
  lifecycle: 'owned',
  input: z.object({
    ...ofMailbox,
    webhook: webhookId,
    url: mailWebhookUrl.optional(),
    events: webhookEvents.optional(),
  }),
  async handler(work, { mailbox: name, webhook, url, events }): Promise<MailboxWebhook> {
    if (url === undefined && events === undefined) throw invalidField('url', 'or `events` must be given');
    await lockProjectFor(work, mailboxActions['project:mail:write']);
    const mailbox = await mailboxToRead(work.rows, work, name);
    const known = await findWebhook(work.rows, mailbox.id, webhook);
    const [changed] = await work.rows(
      updateStatement.with({ id: known.id, url: url ?? known.url, events: events ?? known.events }),
    );
    return changed!;
  },
  audit: (changed, _input, { project }) => audited('mailbox.webhook_updated', changed, project.id),
  wire: MailboxWebhookWire,
  toWire: webhookToWire,
});

/** `DELETE /mailboxes/v1/:mailbox_id/webhooks/:webhook_id`. Contract 02, section 6.5. */
export const deleteMailboxWebhook = mutation({
  name: 'email.deleteWebhook',
  tool: 'delete_mailbox_webhook',
  command: 'email webhooks delete',
  effects: ['destructive', 'idempotent'],
  summary: 'Delete a webhook of a mailbox. What still waits for it is not sent.',
  access,
  lifecycle: 'owned',
  input: z.object({ ...ofMailbox, webhook: webhookId }),
  async handler(work, { mailbox: name, webhook }): Promise<MailboxWebhook> {
    await lockProjectFor(work, mailboxActions['project:mail:write']);
    const mailbox = await mailboxToRead(work.rows, work, name);
    const known = await findWebhook(work.rows, mailbox.id, webhook);
    await work.rows(deleteStatement.with({ id: known.id }));
    await work.rows(endDeliveriesStatement.with({ webhookId: known.id }));
    return known;
  },
  audit: (deleted, _input, { project }) => audited('mailbox.webhook_deleted', deleted, project.id),
  wire: z.object({ status: z.literal('deleted'), webhook_id: z.string() }),
  toWire: ({ id }) => ({ status: 'deleted' as const, webhook_id: id }),
});

const insertStatement = statement(
  'mailboxes.insert-webhook',
  { params: pick(mailboxWebhooks, 'orgId', 'projectId', 'id', 'mailboxId', 'url', 'events'), row: webhookColumns },
  (given, row) => sql`${insertInto(mailboxWebhooks, given)} returning ${row}`,
);

const updateStatement = statement(
  'mailboxes.update-webhook',
  { params: pick(mailboxWebhooks, 'id', 'url', 'events'), row: webhookColumns },
  ({ id, url, events }, row) => sql`update ${mailboxWebhooks}
    ${setOf(mailboxWebhooks, { url, events, updatedAt: sql`now()` })} where ${mailboxWebhooks.id} = ${id} returning ${row}`,
);

const deleteStatement = statement(
  'mailboxes.delete-webhook',
  { params: pick(mailboxWebhooks, 'id') },
  ({ id }) => sql`delete from ${mailboxWebhooks} where ${mailboxWebhooks.id} = ${id}`,
);

// A node that sends one right now writes nothing of it any more.
const endDeliveriesStatement = statement(
  'mailboxes.end-deliveries',
  { params: { webhookId: mailboxWebhooks.id } },
  ({ webhookId }) =>
    sql`update ${mailboxWebhookDeliveries} ${setOf(mailboxWebhookDeliveries, {
      webhookId: sql`null`,
      status: sql`case when ${mailboxWebhookDeliveries.status} = 'pending' then 'failed_permanent'
      else ${mailboxWebhookDeliveries.status} end`,
      lastError: sql`case when ${mailboxWebhookDeliveries.status} = 'pending' then 'The webhook was deleted.'
      else ${mailboxWebhookDeliveries.lastError} end`,
      dueAt: sql`null`,
      lease: sql`null`,
    })} where ${mailboxWebhookDeliveries.webhookId} = ${webhookId}`,
);
