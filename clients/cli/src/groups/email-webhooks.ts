import type { Command } from '../command.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/email.ts';
import { mailboxFlag, reader } from './mailbox-of.ts';

/** What every command of webhooks has: the mailbox is the only one unless named. */
const ofMailbox = {
  flags: { mailbox: null },
  more: [mailboxFlag('the only one')],
  also: ['email.listMailboxes'],
  set: async (call: Parameters<typeof reader>[0]) => ({ mailbox: await reader(call) }),
} as const;

const theWebhook = [take('project'), take('webhook', { name: 'webhook_id' })];

export const webhookCommands: readonly Command[] = [
  operationCommand('email webhooks register', rows['email.registerWebhook'], {
    ...ofMailbox,
    takes: [take('project'), take('url')],
    examples: [
      [
        'Answers, and what came back',
        'email webhooks register https://example.com/mail --events reply_received,bounced',
      ],
    ],
  }),
  operationCommand('email webhooks list', rows['email.listWebhooks'], {
    ...ofMailbox,
    takes: [take('project')],
    columns: ['webhook_id', 'url', 'events', 'created_at'],
    examples: [['What there is', 'email webhooks list']],
    empty: 'No webhooks.',
  }),
  operationCommand('email webhooks get', rows['email.getWebhook'], {
    ...ofMailbox,
    takes: theWebhook,
    examples: [['One of them', 'email webhooks get whk_…']],
  }),
  operationCommand('email webhooks update', rows['email.updateWebhook'], {
    ...ofMailbox,
    takes: theWebhook,
    examples: [['Another address', 'email webhooks update whk_… --url https://example.com/mails']],
  }),
  operationCommand('email webhooks delete', rows['email.deleteWebhook'], {
    ...ofMailbox,
    takes: theWebhook,
    confirm: 'what still waits for the webhook is not sent.',
    examples: [['It is not needed any more', 'email webhooks delete whk_… --confirm']],
  }),
  operationCommand('email webhooks deliveries', rows['email.listWebhookDeliveries'], {
    ...ofMailbox,
    takes: [take('project')],
    columns: ['delivery_id', 'event_type', 'status', 'attempts', 'last_status', 'last_error', 'created_at'],
    examples: [['Those that were given up', 'email webhooks deliveries --status failed_permanent']],
    empty: 'No deliveries.',
  }),
  operationCommand('email webhooks redrive', rows['email.redriveWebhookDelivery'], {
    ...ofMailbox,
    takes: [take('project'), take('delivery', { name: 'delivery_id' })],
    examples: [['Send it again', 'email webhooks redrive whd_…']],
  }),
];
