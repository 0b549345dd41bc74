import { createdAt, id, moment } from '../columns.ts';
import { index, integer, jsonb, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';

/** What a webhook of a mailbox is told of. */
export const mailEvents = ['delivery', 'bounced', 'complained', 'reply_received', 'mailbox_suspended'] as const;

export type MailEvent = (typeof mailEvents)[number];

/** Addresses that are told what happens to the mail of a mailbox. */
export const mailboxWebhooks = pgTable(
  'mailbox_webhooks',
  {
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    mailboxId: id('mailbox_id').notNull(),
    url: text('url').notNull(),
    events: text('events').array().$type<MailEvent[]>().notNull(),
    createdAt: createdAt(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('mailbox_webhooks_mailbox_idx').on(t.mailboxId, t.createdAt),
    // Of a project that is deleted.
    index('mailbox_webhooks_project_idx').on(t.orgId, t.projectId),
  ],
);

export const webhookDeliveryStates = ['pending', 'delivered', 'failed_permanent'] as const;

export type WebhookDeliveryState = (typeof webhookDeliveryStates)[number];

/** What webhooks are told, for any node to send: leased work of `kernel/durability`. */
export const mailboxWebhookDeliveries = pgTable(
  'mailbox_webhook_deliveries',
  {
    id: id().primaryKey(),
    orgId: uuid('org_id').notNull(),
    projectId: id('project_id').notNull(),
    mailboxId: id('mailbox_id').notNull(),
    /** Null once the webhook is deleted. */
    webhookId: id('webhook_id'),
    eventType: text('event_type').$type<MailEvent>().notNull(),
    /** Names what is told, and to which webhook: it is told once. */
    idempotencyKey: text('idempotency_key').notNull(),
    payload: jsonb('payload').$type<Readonly<Record<string, unknown>>>().notNull(),
    status: text('status').$type<WebhookDeliveryState>().notNull().default('pending'),
    attempts: integer('attempts').notNull().default(0),
    lastStatus: integer('last_status'),
    lastError: text('last_error'),
    /** When a node has to look at it; while one has it, the end of its lease. Null for what is over. */
    dueAt: moment('due_at').defaultNow(),
    /** Names the hold of a node. */
    lease: text('lease'),
    deliveredAt: moment('delivered_at'),
    createdAt: createdAt(),
  },
  (t) => [
    uniqueIndex('mailbox_webhook_deliveries_key_uq').on(t.idempotencyKey),
    index('mailbox_webhook_deliveries_due_idx').on(t.dueAt).where(sql`${t.dueAt} is not null`),
    index('mailbox_webhook_deliveries_lane_idx').on(t.projectId, t.dueAt).where(sql`${t.dueAt} is not null`),
    index('mailbox_webhook_deliveries_newest_idx').on(t.mailboxId, t.createdAt, t.id),
    index('mailbox_webhook_deliveries_webhook_idx').on(t.webhookId),
    index('mailbox_webhook_deliveries_created_idx').on(t.createdAt),
    index('mailbox_webhook_deliveries_project_idx').on(t.orgId, t.projectId),
  ],
);
