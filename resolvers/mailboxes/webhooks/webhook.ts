import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { mailboxWebhooks, mailEvents } from '../../../db/schema/mailbox-webhooks.ts';
import { pick, type RowOf, statement } from '../../../db/sql.ts';
import type { Rows } from '../../../db/statement.ts';
import { itsProject } from '../../../kernel/input/fields.ts';
import { webhookUrl } from '../../../kernel/input/webhook-url.ts';
import { mailboxName } from '../mailbox.ts';

export const webhookColumns = pick(mailboxWebhooks, 'id', 'mailboxId', 'url', 'events', 'createdAt', 'updatedAt');

export type MailboxWebhook = RowOf<typeof webhookColumns>;

/** The mailbox that an operation of webhooks is about. */
export const ofMailbox = {
  project: itsProject,
  mailbox: mailboxName.optional().describe('The mailbox, `mbx_…` or its slug; the only one unless named.'),
};

export const webhookId = z.string().min(1).max(256).describe('The webhook, `whk_…`.');

/** Where events are sent to. */
export const mailWebhookUrl = webhookUrl
  .describe('Where events are sent to: an https address without credentials. http is for `localhost` and `127.0.0.1`.')
  .meta({ examples: ['https://example.com/mail'] });

export const webhookEvents = z
  .array(z.enum(mailEvents))
  .min(1)
  .max(20)
  .transform((events) => [...new Set(events)])
  .describe('What it is told of: `delivery`, `bounced`, `complained`, `reply_received`, `mailbox_suspended`.')
  .meta({ examples: [['reply_received', 'bounced']] });

/** Contract 02, section 6.5. */
export const MailboxWebhookWire = z
  .object({
    webhook_id: z.string(),
    mailbox_id: z.string(),
    url: z.string(),
    events: z.array(z.enum(mailEvents)),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'MailboxWebhook' });

export const webhookToWire = ({ id, mailboxId, url, events, createdAt, updatedAt }: MailboxWebhook) => ({
  webhook_id: id,
  mailbox_id: mailboxId,
  url,
  events: [...events],
  created_at: createdAt.toISOString(),
  updated_at: updatedAt.toISOString(),
});

/** The webhooks of a mailbox, newest first. */
export const webhooksOf = (rows: Rows, mailboxId: string): Promise<MailboxWebhook[]> =>
  rows(listStatement.with({ mailboxId }));

/** A webhook of a mailbox. @throws WEBHOOK_NOT_FOUND */
export async function findWebhook(rows: Rows, mailboxId: string, id: string): Promise<MailboxWebhook> {
  const found = (await webhooksOf(rows, mailboxId)).find((one) => one.id === id);
  if (found === undefined) throw new ServiceError('WEBHOOK_NOT_FOUND', { details: { webhook_id: id } });
  return found;
}

// A mailbox has twenty at most.
const listStatement = statement(
  'mailboxes.webhooks',
  { params: pick(mailboxWebhooks, 'mailboxId'), row: webhookColumns },
  ({ mailboxId }, row) => sql`select ${row} from ${mailboxWebhooks} where ${mailboxWebhooks.mailboxId} = ${mailboxId}
    order by ${mailboxWebhooks.createdAt} desc, ${mailboxWebhooks.id} desc`,
);
