import type { CardPayment } from '../../../engines/cards/card-processor.ts';
import { CardsUnavailable } from '../../../engines/cards/card-processor.ts';
import type { Context } from '../../../kernel/run/context.ts';
import { findRecharge } from '../auto-recharge.ts';
import { cent } from '../card-session.ts';
import type { Checkout } from '../checkout-rows.ts';
import { describeCheckout, isOpen } from '../wire.ts';
import type { Seen } from './seen.ts';

/** Seconds between looks at a payment that no event tells of: the number of the look picks one, the last for all behind it. */
const looks = [60, 240, 900, 3_600] as const;

/** After so long no saved card is charged for a purchase any more, in milliseconds: the provider forgets that it was. */
const chargeableMs = 20 * 3_600_000;

/** Asks the card provider where a payment stands. @throws CardsUnavailable */
export async function lookAtCard(ctx: Context, held: Checkout): Promise<Seen> {
  const payment = await readPayment(ctx, held);
  const again = looks[Math.min(held.looks, looks.length - 1)]!;
  if (payment === undefined) {
    if (held.sessionId === null && held.paymentIntentId === null) return { state: held.state, again: null };
    return { state: 'failed', failure: 'The card provider does not know the payment.', again: null };
  }
  const fault = faultOf(ctx, held, payment);
  if (fault !== undefined) {
    ctx.services.log.error({ topup: held.id, fault }, 'A payment by card is not the one that was asked for.');
    return isOpen(held) ? { state: 'failed', failure: fault, again: null } : { state: held.state, again: null };
  }
  if (payment.state === 'paid') {
    const { paymentIntentId, savedCard } = payment;
    const paidBy = { kind: 'card_topup' as const, paymentIntentId, savedCard, paidAt: null };
    return { state: 'paid', payment: paidBy, back: BigInt(payment.centsBack) * BigInt(cent), again: null };
  }
  if (payment.state === 'failed')
    return { state: 'failed', failure: payment.failure ?? 'The payment failed.', again: null };
  if (payment.state === 'expired') return { state: 'expired', again: null };
  return { state: 'pending', again };
}

async function readPayment({ services }: Context, held: Checkout): Promise<CardPayment | undefined> {
  const { cards } = services;
  if (cards === undefined) throw new CardsUnavailable('no longer configured');
  if (held.sessionId !== null) return cards.readSession(held.sessionId);
  if (held.paymentIntentId !== null) return cards.readPayment(held.paymentIntentId);
  if (!held.automatic || held.state !== 'creating') return undefined;
  const recharge = await findRecharge(services.db.rows, held.orgId);
  if (recharge?.customerId == null || recharge.paymentMethodId === null) return declined(held, 'no saved card');
  if (services.now().getTime() - held.createdAt.getTime() > chargeableMs) return declined(held, 'not charged in time');
  return cards.charge({
    topupId: held.id,
    cents: Number(held.amount / BigInt(cent)),
    description: describeCheckout(held),
    customerId: recharge.customerId,
    paymentMethodId: recharge.paymentMethodId,
  });

  function declined({ id, amount }: Checkout, failure: string): CardPayment {
    const cents = Number(amount / BigInt(cent));
    const nothing = { paymentIntentId: null, savedCard: null, centsBack: 0 };
    return { topupId: id, cents, currency: 'usd', live: cards!.live, state: 'failed', failure, ...nothing };
  }
}

/** Why a payment is not that of the checkout; undefined when it is. */
function faultOf({ services }: Context, held: Checkout, payment: CardPayment): string | undefined {
  if (payment.topupId !== held.id) return 'The payment names another top-up.';
  if (payment.live !== services.cards!.live) return 'The payment is of another mode of the account.';
  if (payment.currency !== 'usd') return 'The payment is in another currency.';
  if (BigInt(payment.cents) * BigInt(cent) !== held.amount) return 'The payment is of another amount.';
  return undefined;
}
