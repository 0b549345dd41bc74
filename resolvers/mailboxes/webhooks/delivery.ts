import { z } from 'zod';
import { sql } from '../../../db/drizzle.ts';
import { mailboxWebhookDeliveries, mailEvents, webhookDeliveryStates } from '../../../db/schema/mailbox-webhooks.ts';
import { computed, pick, type RowOf } from '../../../db/sql.ts';

export const deliveryColumns = {
  ...pick(
    mailboxWebhookDeliveries,
    'id',
    'mailboxId',
    'webhookId',
    'eventType',
    'status',
    'attempts',
    'lastStatus',
    'lastError',
    'dueAt',
    'deliveredAt',
    'createdAt',
  ),
  isHeld: computed<boolean>('boolean', sql`${mailboxWebhookDeliveries.lease} is not null`),
};

export type WebhookDelivery = RowOf<typeof deliveryColumns>;

/** How a delivery stands: `in_flight` while a node sends it. */
export const deliveryStatusOf = ({ status, isHeld }: Pick<WebhookDelivery, 'status' | 'isHeld'>) =>
  status === 'pending' && isHeld ? ('in_flight' as const) : status;

/** When it is tried next; null while it is, and when it is over. */
export const nextAttemptOf = ({ status, isHeld, dueAt }: WebhookDelivery): Date | null =>
  status === 'pending' && !isHeld ? dueAt : null;

/** Contract 02, section 6.5. */
export const WebhookDeliveryWire = z
  .object({
    delivery_id: z.string(),
    mailbox_id: z.string(),
    webhook_id: z.string().nullable(),
    event_type: z.enum(mailEvents),
    status: z.enum([...webhookDeliveryStates, 'in_flight']),
    attempts: z.int(),
    last_status: z.int().nullable(),
    last_error: z.string().nullable(),
    next_attempt_at: z.iso.datetime().nullable(),
    delivered_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'WebhookDelivery' });

export const deliveryToWire = (delivery: WebhookDelivery): z.output<typeof WebhookDeliveryWire> => ({
  delivery_id: delivery.id,
  mailbox_id: delivery.mailboxId,
  webhook_id: delivery.webhookId,
  event_type: delivery.eventType,
  status: deliveryStatusOf(delivery),
  attempts: delivery.attempts,
  last_status: delivery.lastStatus,
  last_error: delivery.lastError,
  next_attempt_at: nextAttemptOf(delivery)?.toISOString() ?? null,
  delivered_at: delivery.deliveredAt?.toISOString() ?? null,
  created_at: delivery.createdAt.toISOString(),
});
