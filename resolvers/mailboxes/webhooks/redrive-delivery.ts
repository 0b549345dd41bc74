import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { mailboxWebhookDeliveries } from '../../../db/schema/mailbox-webhooks.ts';
import { pick, setOf, statement } from '../../../db/sql.ts';
import { onNamedOrOwnProject } from '../../../kernel/access/access.ts';
import { mutation } from '../../../kernel/run/operation.ts';
import { lockProjectFor } from '../../projects/shared/lock-project.ts';
import { mailboxToRead } from '../find-mailbox.ts';
import { mailboxActions } from '../shared/actions.ts';
import {
  deliveryColumns,
  deliveryStatusOf,
  deliveryToWire,
  type WebhookDelivery,
  WebhookDeliveryWire,
} from './delivery.ts';
import { wakeWebhooks } from './tell-webhooks.ts';
import { ofMailbox } from './webhook.ts';

/** `POST /mailboxes/v1/:mailbox_id/webhooks/deliveries/:delivery_id/redrive`. Contract 02, section 6.5. */
export const redriveMailboxWebhookDelivery = mutation({
  name: 'email.redriveWebhookDelivery',
  tool: 'redrive_mailbox_webhook_delivery',
  command: 'email webhooks redrive',
  effects: ['openWorld'],
  summary: 'Send a delivery again that was given up: the same event, under the same key.',
  access: onNamedOrOwnProject(mailboxActions['project:mail:write']),
  lifecycle: 'gated',
  input: z.object({ ...ofMailbox, delivery: z.string().min(1).max(256).describe('The delivery, `whd_…`.') }),
  async handler(work, { mailbox: name, delivery: id }): Promise<WebhookDelivery> {
    await lockProjectFor(work, mailboxActions['project:mail:write']);
    const mailbox = await mailboxToRead(work.rows, work, name);
    const [known] = await work.rows(findStatement.with({ id, mailboxId: mailbox.id }));
    if (known === undefined) throw new ServiceError('WEBHOOK_DELIVERY_NOT_FOUND', { details: { delivery_id: id } });
    if (known.status !== 'failed_permanent')
      throw new ServiceError('WEBHOOK_DELIVERY_NOT_FAILED', {
        details: { delivery_id: id, status: deliveryStatusOf(known) },
      });
    if (known.webhookId === null) throw new ServiceError('WEBHOOK_NOT_FOUND', { details: { delivery_id: id } });
    const [again] = await work.rows(redriveStatement.with({ id: known.id }));
    await wakeWebhooks(work, known.id);
    return again!;
  },
  audit: ({ id, mailboxId }, _input, { project }) => ({
    action: 'mailbox.webhook_redriven',
    object: { kind: 'webhook_delivery', id },
    details: { project_id: project.id, mailbox_id: mailboxId },
  }),
  wire: z.object({ status: z.literal('requeued'), delivery: WebhookDeliveryWire }),
  toWire: (delivery) => ({ status: 'requeued' as const, delivery: deliveryToWire(delivery) }),
});

// Found by its id alone, and then checked: two indexes could serve both.
const findStatement = statement(
  'mailboxes.find-delivery',
  { params: pick(mailboxWebhookDeliveries, 'id', 'mailboxId'), row: deliveryColumns },
  ({ id, mailboxId }, row) => sql`select ${row} from ${mailboxWebhookDeliveries}
    where ${mailboxWebhookDeliveries.id} = ${id} and (${mailboxWebhookDeliveries.mailboxId} || '') = ${mailboxId}`,
);

const redriveStatement = statement(
  'mailboxes.redrive-delivery',
  { params: pick(mailboxWebhookDeliveries, 'id'), row: deliveryColumns },
  ({ id }, row) =>
    sql`update ${mailboxWebhookDeliveries} ${setOf(mailboxWebhookDeliveries, {
      status: sql`'pending'`,
      attempts: sql`0`,
      lastStatus: sql`null`,
      lastError: sql`null`,
      dueAt: sql`now()`,
      lease: sql`null`,
    })} where ${mailboxWebhookDeliveries.id} = ${id} returning ${row}`,
);
