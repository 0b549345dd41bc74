import { z } from 'zod';
import { onNamedOrOwnProject } from '../../../kernel/access/access.ts';
import { query } from '../../../kernel/run/operation.ts';
import { mailboxToRead } from '../find-mailbox.ts';
import { mailboxActions } from '../shared/actions.ts';
import {
  findWebhook,
  type MailboxWebhook,
  MailboxWebhookWire,
  ofMailbox,
  webhookId,
  webhooksOf,
  webhookToWire,
} from './webhook.ts';

const access = onNamedOrOwnProject(mailboxActions['project:mail:read']);

/** `GET /mailboxes/v1/:mailbox_id/webhooks`. Contract 02, section 6.5. */
export const listMailboxWebhooks = query({
  name: 'email.listWebhooks',
  tool: 'list_mailbox_webhooks',
  command: 'email webhooks list',
  summary: 'The webhooks of a mailbox, newest first.',
  access,
  input: z.object(ofMailbox),
  async handler(ctx, { mailbox }): Promise<readonly MailboxWebhook[]> {
    const { rows } = ctx.services.db;
    return webhooksOf(rows, (await mailboxToRead(rows, ctx, mailbox)).id);
  },
  wire: z.object({ webhooks: z.array(MailboxWebhookWire) }),
  toWire: (webhooks) => ({ webhooks: webhooks.map(webhookToWire) }),
});

/** `GET /mailboxes/v1/:mailbox_id/webhooks/:webhook_id`. Contract 02, section 6.5. */
export const getMailboxWebhook = query({
  name: 'email.getWebhook',
  tool: 'get_mailbox_webhook',
  command: 'email webhooks get',
  summary: 'A webhook of a mailbox.',
  access,
  input: z.object({ ...ofMailbox, webhook: webhookId }),
  async handler(ctx, { mailbox, webhook }): Promise<MailboxWebhook> {
    const { rows } = ctx.services.db;
    return findWebhook(rows, (await mailboxToRead(rows, ctx, mailbox)).id, webhook);
  },
  wire: MailboxWebhookWire,
  toWire: webhookToWire,
});
