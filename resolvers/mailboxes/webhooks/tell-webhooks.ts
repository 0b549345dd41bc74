import { sql } from '../../../db/drizzle.ts';
import { mailboxWebhookDeliveries, mailboxWebhooks } from '../../../db/schema/mailbox-webhooks.ts';
import { insertInto, pick, statement, typed } from '../../../db/sql.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { MailFact } from '../shared/mail-facts.ts';

/** The job that wakes the senders of a node when a delivery comes due. */
export const wakeWebhooksTask = 'mailboxes.wakeWebhooks';

/** Has the webhooks of a mailbox told of something. */
export async function tellWebhooks(work: Work, fact: MailFact): Promise<void> {
  const { orgId, projectId, mailboxId, type, discriminator } = fact;
  const payload = JSON.stringify(fact.payload);
  for (const { id: webhookId } of await work.rows(listenersStatement.with({ mailboxId, type }))) {
    const id = work.services.newId('whd');
    const idempotencyKey = `${webhookId}:${type}:${discriminator}`;
    await work.rows(
      insertStatement.with({ id, orgId, projectId, mailboxId, webhookId, eventType: type, idempotencyKey, payload }),
    );
    await wakeWebhooks(work, id);
  }
}

/** Has a node look at a delivery that is due. @param runAt when it is. @default now */
export async function wakeWebhooks(work: Work, id: string, runAt?: Date): Promise<void> {
  await work.addJob(wakeWebhooksTask, {}, { key: id, ...(runAt === undefined ? {} : { runAt }) });
  work.afterCommit(() => work.services.webhookDeliveries.wake());
}

const listenersStatement = statement(
  'mailboxes.webhooks-of-event',
  { params: { ...pick(mailboxWebhooks, 'mailboxId'), type: typed<string>('text') }, row: pick(mailboxWebhooks, 'id') },
  ({ mailboxId, type }, row) => sql`select ${row} from ${mailboxWebhooks}
    where ${mailboxWebhooks.mailboxId} = ${mailboxId} and ${type}::text = any(${mailboxWebhooks.events})`,
);

const insertStatement = statement(
  'mailboxes.insert-delivery',
  {
    params: pick(
      mailboxWebhookDeliveries,
      'id',
      'orgId',
      'projectId',
      'mailboxId',
      'webhookId',
      'eventType',
      'idempotencyKey',
      'payload',
    ),
  },
  (given) => sql`${insertInto(mailboxWebhookDeliveries, given)} on conflict do nothing`,
);
