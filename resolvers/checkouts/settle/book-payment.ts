import { ServiceError } from '../../../core/errors.ts';
import { sql } from '../../../db/drizzle.ts';
import { autoRecharges, checkouts } from '../../../db/schema/checkouts.ts';
import { excluded, insertInto, nameOf, pick, setOf, statement } from '../../../db/sql.ts';
import type { SavedCard } from '../../../engines/cards/card-processor.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { offerOf } from '../../../kernel/limits/tier-table.ts';
import { changeEmailCredits } from '../../ledger/shared/email-credits.ts';
import { balanceOf, post } from '../../ledger/shared/ledger.ts';
import { lockOrg } from '../../orgs/shared/lock-org.ts';
import { actionOf, buyLease } from '../../tiers/shared/buy-lease.ts';
import { unusedValue } from '../../tiers/shared/lease.ts';
import type { Checkout } from '../checkout-rows.ts';
import { emailPack } from '../shared/email-pack.ts';

/** Money that has come. */
export interface Payment {
  readonly kind: 'card_topup' | 'lightning_topup';
  readonly paymentIntentId: string | null;
  /** A card that may be charged again. */
  readonly savedCard: SavedCard | null;
  /** Null: now. */
  readonly paidAt: Date | null;
}

export interface Booked {
  readonly entryId: string;
  /** Null where nothing was to be bought. */
  readonly outcome: Checkout['outcome'];
  readonly paidAt: Date | null;
}

/** Credits the money of a checkout, and buys what it is for. Its caller has locked the row, and seen that it is the first time. */
export async function bookPayment(work: Work, row: Checkout, payment: Payment): Promise<Booked> {
  const { id, orgId, product, amount } = row;
  // Before the balance, as everybody locks them.
  const org = product === 'tier' ? await lockOrg(work, orgId) : undefined;
  const { entry } = await post(work, {
    orgId,
    direction: 'credit',
    kind: payment.kind,
    amount,
    reference: checkoutReference(id),
    metadata: { product, ...(payment.paymentIntentId === null ? {} : { payment_intent: payment.paymentIntentId }) },
  });
  if (payment.paymentIntentId !== null)
    await work.rows(intentStatement.with({ id, paymentIntentId: payment.paymentIntentId }));
  if (payment.savedCard !== null)
    await work.rows(cardStatement.with({ orgId, cardLabel: payment.savedCard.label, ...payment.savedCard }));
  const isBought =
    org !== undefined ? await buyTier(work, org, row) : product === 'email_pack' && (await buyPack(work, row));
  const outcome = product === 'balance_topup' ? null : isBought ? 'bought' : 'kept';
  return { entryId: entry.id, outcome, paidAt: payment.paidAt };
}

/** What entries of a checkout name. */
export const checkoutReference = (id: string) => ({ type: 'checkout', id });

/** Takes the price of mail credits from the balance and adds them. @returns false when the balance does not cover it */
export async function buyPack(work: Work, { id, orgId }: Pick<Checkout, 'id' | 'orgId'>): Promise<boolean> {
  const { available } = await balanceOf(work, orgId);
  if (available < emailPack.price) return false;
  await post(work, {
    orgId,
    direction: 'debit',
    kind: 'email_pack',
    amount: emailPack.price,
    reference: checkoutReference(id),
    metadata: { email_credits: Number(emailPack.credits) },
  });
  await changeEmailCredits(work, orgId, emailPack.credits);
  return true;
}

/**
 * Puts the organization on the tier that was paid for, as it stands now.
 *
 * @returns false when the money stays on the balance: the organization has a higher tier or needs no lease by now, is
 * gone, or what it owed has taken the money
 */
async function buyTier(
  work: Work,
  org: NonNullable<Awaited<ReturnType<typeof lockOrg>>>,
  { tier }: Checkout,
): Promise<boolean> {
  const { leases } = work.services.settings;
  if (!leases || org.leasePerpetual || org.lifecycleState === 'purged') return false;
  try {
    const action = actionOf(org, tier!, leases);
    const left = action === 'upgrade' ? await unusedValue(work, org) : 0n;
    const { available } = await balanceOf(work, org.id);
    if (available + left < offerOf(tier!, leases).price) return false;
    await buyLease(work, org, { tier: tier!, action, leases });
    return true;
  } catch (error) {
    // The refusal of a lower tier, which comes before anything is written.
    if (error instanceof ServiceError && error.code === 'VALIDATION_FAILED') return false;
    throw error;
  }
}

const intentStatement = statement(
  'checkouts.note-payment',
  { params: pick(checkouts, 'id', 'paymentIntentId') },
  ({ id, paymentIntentId }) => sql`update ${checkouts} ${setOf(checkouts, { paymentIntentId })}
    where ${checkouts.id} = ${id}`,
);

const cardStatement = statement(
  'checkouts.save-card',
  { params: pick(autoRecharges, 'orgId', 'customerId', 'paymentMethodId', 'cardLabel') },
  (given) => sql`${insertInto(autoRecharges, given)} on conflict (${nameOf(autoRecharges.orgId)}) do update
    ${setOf(autoRecharges, {
      customerId: excluded(autoRecharges.customerId),
      paymentMethodId: excluded(autoRecharges.paymentMethodId),
      cardLabel: excluded(autoRecharges.cardLabel),
    })}`,
);
