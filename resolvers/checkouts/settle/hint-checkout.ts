import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { checkouts } from '../../../db/schema/checkouts.ts';
import { pick, setOf, statement } from '../../../db/sql.ts';
import type { CardEvent, CardProcessor } from '../../../engines/cards/card-processor.ts';
import { CardsUnavailable } from '../../../engines/cards/card-processor.ts';
import { unitOfWork } from '../../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { cardsOf } from '../providers.ts';
import { wakeCheckouts } from './wake-checkouts.ts';

/** Types of events that may change what is known of a payment. */
const telling = /^(checkout\.session|payment_intent|charge|refund)\./;

/**
 * Takes an event of the card provider. It credits nothing by itself: it has a node ask the provider about the checkout that
 * it points at. So it does not matter how often events come, in which order, or how late. What points at nothing here is
 * acknowledged and logged.
 *
 * @throws CARD_EVENT_SIGNATURE_INVALID, CARD_CHECKOUT_NOT_CONFIGURED; CARD_CHECKOUT_PROVIDER_UNAVAILABLE has it sent again
 */
export async function takeCardEvent(ctx: Context, body: Buffer, signature: string): Promise<void> {
  const { services } = ctx;
  const cards = cardsOf(services);
  const event = await cards.readEvent(body, signature);
  if (event === undefined) throw new ServiceError('CARD_EVENT_SIGNATURE_INVALID');
  const { id, type, foreignAccount } = event;
  if (!telling.test(type)) return;
  if (foreignAccount !== null) {
    services.log.info({ event: id, type, account: foreignAccount }, 'An event of another card account was passed by.');
    return;
  }
  const topupId = await topupOf(ctx, cards, event);
  if (topupId !== undefined && (await hint(ctx, event, topupId))) return;
  services.log.info({ event: id, type }, 'An event of the card provider concerns no checkout here.');
}

/** The checkout that an event points at: by what the provider keeps with it, or by a payment that is known here. */
async function topupOf(ctx: Context, cards: CardProcessor, event: CardEvent): Promise<string | undefined> {
  if (event.topupId !== null) return event.topupId;
  if (event.paymentIntentId === null) return undefined;
  const known = { paymentIntentId: event.paymentIntentId };
  const [row] = await ctx.services.db.rows(byPaymentStatement.with(known));
  if (row !== undefined) return row.id;
  try {
    return (await cards.readPayment(event.paymentIntentId))?.topupId ?? undefined;
  } catch (error) {
    if (!(error instanceof CardsUnavailable)) throw error;
    throw new ServiceError('CARD_CHECKOUT_PROVIDER_UNAVAILABLE', { cause: error });
  }
}

/** Has a node look at a checkout. @returns false for one that there is not */
const hint = (ctx: Context, { sessionId, paymentIntentId }: CardEvent, id: string): Promise<boolean> =>
  unitOfWork(ctx, async (work) => {
    const [hinted] = await work.rows(hintStatement.with({ id, sessionId, paymentIntentId }));
    if (hinted === undefined) return false;
    await wakeCheckouts(work, id);
    return true;
  });

const byPaymentStatement = statement(
  'checkouts.by-payment',
  { params: pick(checkouts, 'paymentIntentId'), row: pick(checkouts, 'id') },
  ({ paymentIntentId }, row) => sql`select ${row} from ${checkouts}
    where ${checkouts.paymentIntentId} = ${paymentIntentId}`,
);

// A node that has the row sees by the hints that it has to look again.
const hintStatement = statement(
  'checkouts.hint',
  { params: pick(checkouts, 'id', 'sessionId', 'paymentIntentId'), row: pick(checkouts, 'id') },
  ({ id, sessionId, paymentIntentId }, row) =>
    sql`update ${checkouts} ${setOf(checkouts, {
      sessionId: sql`coalesce(${checkouts.sessionId}, ${sessionId})`,
      paymentIntentId: sql`coalesce(${checkouts.paymentIntentId}, ${paymentIntentId})`,
      hints: sql`${checkouts.hints} + 1`,
      dueAt: sql`case when ${checkouts.lease} is null then now() else ${checkouts.dueAt} end`,
    })} where ${checkouts.id} = ${id} and ${checkouts.rail} = 'card' returning ${row}`,
);
