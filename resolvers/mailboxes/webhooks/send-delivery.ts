import { postWebhook, refusalOf } from '../../../core/post-webhook.ts';
import { sql } from '../../../db/drizzle.ts';
import {
  mailboxWebhookDeliveries,
  mailboxWebhooks,
  type WebhookDeliveryState,
} from '../../../db/schema/mailbox-webhooks.ts';
import { pick, type RowOf, setOf, statement, typed } from '../../../db/sql.ts';
import type { LeasedItem } from '../../../kernel/durability/leased-statements.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { wakeWebhooks } from './tell-webhooks.ts';

/** Attempts of one delivery, and the pauses between them in seconds: twice as long after each. Contract 02, section 6.5. */
const attemptsMax = 8;
const firstPause = 5;
const longestPause = 300;
/** Characters of what is kept of a failure. */
const errorMax = 500;

/** How an attempt went. */
interface Outcome {
  readonly isDelivered: boolean;
  readonly status: number | null;
  readonly error: string | null;
}

/**
 * Sends a delivery that this node holds, and writes how it went under its lease: a node that has lost it writes nothing, and
 * whoever has it now sends it again. Receivers tell repetitions by the key.
 */
export async function sendDelivery(ctx: Context, { id, lease }: LeasedItem): Promise<void> {
  const [delivery] = await ctx.services.db.rows(heldStatement.with({ id, lease }));
  if (delivery === undefined) return;
  const attempt = delivery.attempts + 1;
  const { isDelivered, status, error } = await post(ctx, delivery, attempt);
  // Whoever stops this node is no fault of the receiver's: it is sent again, and this attempt does not count.
  if (ctx.signal.aborted && !isDelivered) {
    await ctx.services.db.rows(putBackStatement.with({ id, lease }));
    return;
  }
  const isOver = isDelivered || attempt >= attemptsMax;
  const pause = Math.min(longestPause, firstPause * 2 ** (attempt - 1));
  await unitOfWork(ctx, async (work) => {
    const [written] = await work.rows(
      settleStatement.with({
        id,
        lease,
        attempts: attempt,
        status: isDelivered ? 'delivered' : isOver ? 'failed_permanent' : 'pending',
        lastStatus: status,
        lastError: error?.slice(0, errorMax).toWellFormed() ?? null,
        seconds: isOver ? null : pause,
      }),
    );
    if (written?.dueAt != null) await wakeWebhooks(work, id, written.dueAt);
  });
}

type Held = RowOf<typeof heldRow>;

async function post({ services, signal }: Context, delivery: Held, attempt: number): Promise<Outcome> {
  const { id, eventType, idempotencyKey, createdAt, payload, url } = delivery;
  const body = JSON.stringify({
    id,
    type: eventType,
    created_at: createdAt.toISOString(),
    schema_version: '1',
    idempotency_key: idempotencyKey,
    payload,
  });
  const posted = await postWebhook(services.webhookFetch, url, {
    headers: {
      'svc-webhook-id': idempotencyKey,
      'x-svc-webhook-delivery-id': id,
      'x-svc-webhook-event-type': eventType,
      'x-svc-webhook-idempotency-key': idempotencyKey,
      'x-svc-webhook-attempt': String(attempt),
    },
    body,
    signal,
  });
  const error = refusalOf(posted);
  return { isDelivered: error === undefined, status: posted.status, error: error ?? null };
}

const held = pick(mailboxWebhookDeliveries, 'id', 'lease');
const heldRow = {
  ...pick(mailboxWebhookDeliveries, 'id', 'attempts', 'eventType', 'idempotencyKey', 'payload', 'createdAt'),
  ...pick(mailboxWebhooks, 'url'),
};

// A webhook that is deleted ends its deliveries in the same transaction.
const heldStatement = statement(
  'mailboxes.held-delivery',
  { params: held, row: heldRow },
  ({ id, lease }, row) => sql`select ${row} from ${mailboxWebhookDeliveries}
    join ${mailboxWebhooks} on ${mailboxWebhooks.id} = ${mailboxWebhookDeliveries.webhookId}
    where ${mailboxWebhookDeliveries.id} = ${id} and ${mailboxWebhookDeliveries.lease} = ${lease}`,
);

const settleStatement = statement(
  'mailboxes.settle-delivery',
  {
    params: {
      ...held,
      ...pick(mailboxWebhookDeliveries, 'attempts', 'lastStatus', 'lastError'),
      status: typed<WebhookDeliveryState>('text'),
      seconds: typed<number | null>('double precision'),
    },
    row: pick(mailboxWebhookDeliveries, 'dueAt'),
  },
  ({ id, lease, attempts, status, lastStatus, lastError, seconds }, row) => sql`update ${mailboxWebhookDeliveries}
    ${setOf(mailboxWebhookDeliveries, {
      attempts,
      status,
      lastStatus,
      lastError,
      dueAt: sql`now() + make_interval(secs => ${seconds})`,
      lease: sql`null`,
      deliveredAt: sql`case when ${status} = 'delivered' then now() end`,
    })} where ${mailboxWebhookDeliveries.id} = ${id} and ${mailboxWebhookDeliveries.lease} = ${lease} returning ${row}`,
);

const putBackStatement = statement(
  'mailboxes.put-back-delivery',
  { params: held },
  ({ id, lease }) => sql`update ${mailboxWebhookDeliveries}
    ${setOf(mailboxWebhookDeliveries, { dueAt: sql`now()`, lease: sql`null` })}
    where ${mailboxWebhookDeliveries.id} = ${id} and ${mailboxWebhookDeliveries.lease} = ${lease}`,
);
