import { z } from 'zod';
import { sql } from '../../../db/drizzle.ts';
import { mailboxWebhookDeliveries, webhookDeliveryStates } from '../../../db/schema/mailbox-webhooks.ts';
import { pick, statement, typed } from '../../../db/sql.ts';
import { onNamedOrOwnProject } from '../../../kernel/access/access.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../../kernel/input/list-page.ts';
import { query } from '../../../kernel/run/operation.ts';
import { mailboxToRead } from '../find-mailbox.ts';
import { mailboxActions } from '../shared/actions.ts';
import { deliveryColumns, deliveryToWire, type WebhookDelivery, WebhookDeliveryWire } from './delivery.ts';
import { ofMailbox } from './webhook.ts';

/** `GET /mailboxes/v1/:mailbox_id/webhooks/deliveries`. Contract 02, section 6.5. */
export const listMailboxWebhookDeliveries = query({
  name: 'email.listWebhookDeliveries',
  tool: 'list_mailbox_webhook_deliveries',
  command: 'email webhooks deliveries',
  summary: 'What webhooks of a mailbox were told in the last 30 days, and how it went, newest first.',
  access: onNamedOrOwnProject(mailboxActions['project:mail:read']),
  input: z.object({
    ...ofMailbox,
    status: z
      .enum([...webhookDeliveryStates, 'in_flight'])
      .optional()
      .describe('Only deliveries that stand so: `pending`, `in_flight`, `delivered` or `failed_permanent`.'),
    ...listWindow,
  }),
  async handler(ctx, { mailbox, status = null, project: _named, ...window }): Promise<ListPage<WebhookDelivery>> {
    const { db, keys } = ctx.services;
    const { id } = await mailboxToRead(db.rows, ctx, mailbox);
    const list = newestFirst(keys, `mailbox-deliveries:${id}`);
    const asked = { mailboxId: id, status, ...list.positionOf(window), limit: window.limit + 1 };
    return list.pageOf(await db.rows(list.statementOf(window, listStatements).with(asked)), window);
  },
  wire: z.object({
    deliveries: z.array(WebhookDeliveryWire),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  }),
  toWire: (page) => ({ deliveries: page.rows.map(({ row }) => deliveryToWire(row)), ...pageToWire(page) }),
});

const shownStatus = sql`case when ${mailboxWebhookDeliveries.status} = 'pending' and ${mailboxWebhookDeliveries.lease} is not null
  then 'in_flight' else ${mailboxWebhookDeliveries.status} end`;

const listStatements = bothWays(mailboxWebhookDeliveries, (way) =>
  statement(
    `mailboxes.list-deliveries-${way.name}`,
    {
      params: {
        ...pick(mailboxWebhookDeliveries, 'mailboxId'),
        status: typed<string | null>('text'),
        ...way.params,
        limit: typed<number>('bigint'),
      },
      row: deliveryColumns,
    },
    ({ mailboxId, status, limit, ...given }, row) => sql`select ${row} from ${mailboxWebhookDeliveries}
      where ${mailboxWebhookDeliveries.mailboxId} = ${mailboxId} and ${way.beyond(given)}
        and coalesce(${shownStatus} = ${status}::text, true) ${way.order} limit ${limit}`,
  ),
);
