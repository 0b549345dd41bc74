import { invalidField, ServiceError } from '../../core/errors.ts';
import type { CheckoutProduct } from '../../db/schema/checkouts.ts';
import type { Tier } from '../../db/schema/orgs.ts';
import { CardsUnavailable } from '../../engines/cards/card-processor.ts';
import { offerOf } from '../../kernel/limits/tier-table.ts';
import type { Context } from '../../kernel/run/context.ts';
import { findRecharge } from './auto-recharge.ts';
import { type Checkout, noteSession } from './checkout-rows.ts';
import { cardsOf } from './providers.ts';
import { emailPack } from './shared/email-pack.ts';
import { describeCheckout } from './wire.ts';

/** A cent, in micro-dollars. */
export const cent = 10_000;
/** The least that is topped up by card, in micro-dollars. */
const topupMin = 500_000;
/** The most, in micro-dollars: what the provider takes at once. */
const topupMax = 999_999_990_000;

/** What a purchase costs, in micro-dollars. @throws VALIDATION_FAILED, INVALID_STATE */
export function amountOf(
  product: CheckoutProduct,
  amount: number | undefined,
  tier: Tier | undefined,
  leases: boolean,
): bigint {
  if (product !== 'balance_topup' && amount !== undefined)
    throw invalidField('amount_usd_micros', `the price of ${product} is fixed`);
  if (product !== 'tier' && tier !== undefined) throw invalidField('tier', `is for the product tier, not ${product}`);
  if (product === 'email_pack') return emailPack.price;
  if (product === 'balance_topup') {
    if (amount === undefined) throw invalidField('amount_usd_micros', 'must say how much');
    if (amount < topupMin || amount > topupMax || amount % cent !== 0)
      throw invalidField('amount_usd_micros', `must be ${topupMin} to ${topupMax} and a multiple of ${cent}`);
    return BigInt(amount);
  }
  if (tier === undefined) throw invalidField('tier', 'must say which tier');
  if (tier === 'prototype') throw invalidField('tier', 'prototype costs nothing');
  const { price } = offerOf(tier, leases);
  if (price === 0n)
    throw new ServiceError('INVALID_STATE', { message: 'Tiers cost nothing in this installation: set it instead.' });
  return price;
}

/** Asks the provider for the page. Repeated, it is the same one: the provider knows the top-up. */
export async function openSession({ services }: Pick<Context, 'services'>, wanted: Checkout): Promise<void> {
  const { rows } = services.db;
  const recharge = wanted.savesCard ? await findRecharge(rows, wanted.orgId) : undefined;
  try {
    const { sessionId, url } = await cardsOf(services).createSession({
      topupId: wanted.id,
      cents: Number(wanted.amount / BigInt(cent)),
      description: describeCheckout(wanted),
      successUrl: wanted.successUrl!,
      cancelUrl: wanted.cancelUrl!,
      customerId: recharge?.customerId ?? null,
      savesCard: wanted.savesCard,
    });
    await noteSession(rows, { id: wanted.id, sessionId, checkoutUrl: url });
  } catch (error) {
    if (!(error instanceof CardsUnavailable)) throw error;
    throw new ServiceError('CARD_CHECKOUT_PROVIDER_UNAVAILABLE', { cause: error });
  }
}
