import { mailEvents } from '../db/schema/mailbox-webhooks.ts';
import {
  deleteMailboxWebhook,
  registerMailboxWebhook,
  updateMailboxWebhook,
} from '../resolvers/mailboxes/webhooks/change-webhook.ts';
import { deliveryStatusOf, nextAttemptOf, type WebhookDelivery } from '../resolvers/mailboxes/webhooks/delivery.ts';
import { listMailboxWebhookDeliveries } from '../resolvers/mailboxes/webhooks/list-deliveries.ts';
import { getMailboxWebhook, listMailboxWebhooks } from '../resolvers/mailboxes/webhooks/read-webhooks.ts';
import { redriveMailboxWebhookDelivery } from '../resolvers/mailboxes/webhooks/redrive-delivery.ts';
import type { MailboxWebhook } from '../resolvers/mailboxes/webhooks/webhook.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection, listWindowOf } from './connection.ts';
import { enumOf } from './enum-of.ts';
import { changeField, fieldOf, inputsOf, readField } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const MailEventEnum = enumOf('MailEvent', 'What a webhook of a mailbox is told of.', mailEvents, {
  delivery: 'The recipient’s server has a mail.',
  bounced: 'A mail came back.',
  complained: 'A recipient has complained about a mail.',
  reply_received: 'Somebody has answered a mail.',
  mailbox_suspended: 'The mailbox was suspended.',
});

const DeliveryStatusEnum = builder.enumType('WebhookDeliveryStatus', {
  description: 'How a delivery to a webhook stands.',
  values: {
    PENDING: { value: 'pending', description: 'Waits for its first or its next attempt.' },
    IN_FLIGHT: { value: 'in_flight', description: 'Is being sent.' },
    DELIVERED: { value: 'delivered', description: 'The receiver has answered with 2xx.' },
    FAILED_PERMANENT: { value: 'failed_permanent', description: 'Is not tried any more, unless it is driven again.' },
  } as const,
});

const MailboxWebhookRef = builder.objectRef<MailboxWebhook>('MailboxWebhook').implement({
  description: 'An address that is told what happens to the mail of a mailbox.',
  fields: (t) => ({
    webhookId: t.exposeString('id', { description: 'Native id, `whk_…`.' }),
    mailboxId: t.exposeString('mailboxId', { description: 'The mailbox, `mbx_…`.' }),
    url: t.exposeString('url', { description: 'Where events are sent to.' }),
    events: t.field({
      type: [MailEventEnum],
      description: 'What it is told of.',
      resolve: ({ events }) => [...events],
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
  }),
});

const WebhookDeliveryRef = builder.objectRef<WebhookDelivery>('WebhookDelivery').implement({
  description: 'What a webhook is told once, and how that goes.',
  fields: (t) => ({
    deliveryId: t.exposeString('id', { description: 'Native id, `whd_…`.' }),
    mailboxId: t.exposeString('mailboxId', { description: 'The mailbox, `mbx_…`.' }),
    webhookId: t.exposeString('webhookId', {
      nullable: true,
      description: 'The webhook, `whk_…`; null once it is deleted.',
    }),
    eventType: t.expose('eventType', { type: MailEventEnum, description: 'What it tells of.' }),
    status: t.field({ type: DeliveryStatusEnum, description: 'How it stands.', resolve: deliveryStatusOf }),
    attempts: t.exposeInt('attempts', { description: 'How often it was tried.' }),
    lastStatus: t.exposeInt('lastStatus', { nullable: true, description: 'What the receiver answered the last time.' }),
    lastError: t.exposeString('lastError', { nullable: true, description: 'Why it failed the last time.' }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it is tried next.',
      resolve: nextAttemptOf,
    }),
    deliveredAt: t.expose('deliveredAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the receiver took it.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it happened.' }),
  }),
});

const WebhookDeliveryConnection = builder.connectionObject({
  type: WebhookDeliveryRef,
  name: 'WebhookDeliveryConnection',
});

const webhookInputs = inputsOf(listMailboxWebhooks, { omit: ['project'] });

builder.objectField(ProjectRef, 'mailboxWebhooks', (t) =>
  t.field({
    type: [MailboxWebhookRef],
    nullable: true,
    ...fieldOf(listMailboxWebhooks),
    args: webhookInputs.args,
    resolve: async ({ id }, args, ctx) => [
      ...(await run(listMailboxWebhooks, ctx, { project: id, ...webhookInputs.read(args) })),
    ],
  }),
);

const deliveryInputs = inputsOf(listMailboxWebhookDeliveries, {
  omit: ['project', 'limit', 'after', 'before', 'from_end'],
  types: { status: DeliveryStatusEnum },
});

builder.objectField(ProjectRef, 'mailboxWebhookDeliveries', (t) =>
  t.field({
    type: WebhookDeliveryConnection,
    nullable: true,
    ...fieldOf(listMailboxWebhookDeliveries),
    args: { ...pageArgs, ...deliveryInputs.args },
    resolve: async ({ id }, args, ctx) =>
      listConnection(
        await run(listMailboxWebhookDeliveries, ctx, {
          project: id,
          ...deliveryInputs.read(args),
          ...listWindowOf(args),
        }),
        args,
      ),
  }),
);

readField('mailboxWebhook', getMailboxWebhook, { type: MailboxWebhookRef });

changeField('registerMailboxWebhook', registerMailboxWebhook, {
  type: MailboxWebhookRef,
  input: 'A webhook to register.',
  argument: 'The webhook.',
  types: { events: MailEventEnum },
});
changeField('updateMailboxWebhook', updateMailboxWebhook, {
  type: MailboxWebhookRef,
  input: 'A webhook to change.',
  argument: 'The webhook.',
  types: { events: MailEventEnum },
});
changeField('deleteMailboxWebhook', deleteMailboxWebhook, {
  type: MailboxWebhookRef,
  input: 'A webhook to delete.',
  argument: 'The webhook.',
});
changeField('redriveMailboxWebhookDelivery', redriveMailboxWebhookDelivery, {
  type: WebhookDeliveryRef,
  input: 'A delivery to send again.',
  argument: 'The delivery.',
});
