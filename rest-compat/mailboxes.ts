import { createMailbox } from '../resolvers/mailboxes/create-mailbox.ts';
import { deleteMailbox } from '../resolvers/mailboxes/delete-mailbox.ts';
import { getMailbox } from '../resolvers/mailboxes/get-mailbox.ts';
import { getMailboxMessage } from '../resolvers/mailboxes/get-message.ts';
import { getRawMail } from '../resolvers/mailboxes/get-raw.ts';
import { listMailboxes } from '../resolvers/mailboxes/list-mailboxes.ts';
import { listMailboxMessages } from '../resolvers/mailboxes/list-messages.ts';
import { sendMailboxMail } from '../resolvers/mailboxes/send-mail.ts';
import { setMailboxDefaults } from '../resolvers/mailboxes/set-defaults.ts';
import { updateMailbox } from '../resolvers/mailboxes/update-mailbox.ts';
import {
  deleteMailboxWebhook,
  registerMailboxWebhook,
  updateMailboxWebhook,
} from '../resolvers/mailboxes/webhooks/change-webhook.ts';
import { listMailboxWebhookDeliveries } from '../resolvers/mailboxes/webhooks/list-deliveries.ts';
import { getMailboxWebhook, listMailboxWebhooks } from '../resolvers/mailboxes/webhooks/read-webhooks.ts';
import { redriveMailboxWebhookDelivery } from '../resolvers/mailboxes/webhooks/redrive-delivery.ts';
import { route } from './route.ts';

/** Attachments of 7 MB in base64, and two bodies of 1 MiB. */
const mailBytesMax = 12 * 1024 * 1024;

const inQuery = { project: ['query project_id', 'query project'] } as const;
const inBody = { project: ['body project_id', 'body project'] } as const;
const byKey = { keyDecides: true } as const;
const one = '/mailboxes/v1/:mailbox_id';

/** Paths of mailboxes and their mail. Contract 02, section 6. */
export const mailboxRoutes = [
  route('GET', '/mailboxes/v1', 200, listMailboxes, inQuery, byKey),
  route('POST', '/mailboxes/v1', 201, createMailbox, inBody, byKey),
  route('PATCH', '/mailboxes/v1/settings', 200, setMailboxDefaults, inBody, byKey),
  route('GET', one, 200, getMailbox, inQuery, byKey),
  route('PATCH', one, 200, updateMailbox, inBody, byKey),
  route('DELETE', one, 200, deleteMailbox, { project: [...inQuery.project, ...inBody.project] }, byKey),
  route('GET', `${one}/webhooks`, 200, listMailboxWebhooks, inQuery, byKey),
  route('POST', `${one}/webhooks`, 201, registerMailboxWebhook, inBody, byKey),
  route(
    'GET',
    `${one}/webhooks/deliveries`,
    200,
    listMailboxWebhookDeliveries,
    { ...inQuery, before: null, from_end: null },
    byKey,
  ),
  route(
    'POST',
    `${one}/webhooks/deliveries/:delivery_id/redrive`,
    200,
    redriveMailboxWebhookDelivery,
    { ...inBody, delivery: 'path delivery_id' },
    byKey,
  ),
  route(
    'GET',
    `${one}/webhooks/:webhook_id`,
    200,
    getMailboxWebhook,
    { ...inQuery, webhook: 'path webhook_id' },
    byKey,
  ),
  route(
    'PATCH',
    `${one}/webhooks/:webhook_id`,
    200,
    updateMailboxWebhook,
    { ...inBody, webhook: 'path webhook_id' },
    byKey,
  ),
  route(
    'DELETE',
    `${one}/webhooks/:webhook_id`,
    200,
    deleteMailboxWebhook,
    { project: [...inQuery.project, ...inBody.project], webhook: 'path webhook_id' },
    byKey,
  ),
  route('GET', `${one}/messages`, 200, listMailboxMessages, { ...inQuery, before: null, from_end: null }, byKey),
  { ...route('POST', `${one}/messages`, 201, sendMailboxMail, inBody, byKey), bodyBytesMax: mailBytesMax },
  route('GET', `${one}/messages/:mail_id`, 200, getMailboxMessage, { ...inQuery, message: 'path mail_id' }, byKey),
  route(
    'GET',
    `${one}/messages/:mail_id/raw`,
    200,
    getRawMail,
    { ...inQuery, message: 'path mail_id' },
    {
      ...byKey,
      asObject: ({ projectId, sha256, size }) => ({ projectId, sha256, size, contentType: 'message/rfc822' }),
    },
  ),
];
