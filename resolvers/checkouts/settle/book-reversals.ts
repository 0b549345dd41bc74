import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { changeEmailCredits } from '../../ledger/shared/email-credits.ts';
import { post, takeBack } from '../../ledger/shared/ledger.ts';
import type { Checkout } from '../checkout-rows.ts';
import { emailPack } from '../shared/email-pack.ts';

/**
 * Books what the payer has got back, which is a running total, as the difference to what is booked: a refund that was
 * canceled and a dispute that was won are given back. Mail credits that are left of a pack go and come by the same part.
 *
 * @returns mail credits that are taken back in all, and what is owed of this difference, in micro-dollars
 */
export async function bookReversals(
  work: Work,
  row: Checkout,
  back: bigint,
): Promise<{ readonly creditsBack: bigint; readonly owed: bigint }> {
  const { id, orgId, amount, takenBack, reversals } = row;
  const difference = back - takenBack;
  const reference = { type: 'checkout_reversal', id: `${id}:${reversals + 1}` };
  const metadata = { topup_id: id, taken_back_usd_micros: Number(back), of_usd_micros: Number(amount) };
  let owed = 0n;
  if (difference > 0n) owed = await takeBack(work, { orgId, amount: difference, reference, metadata });
  else await post(work, { orgId, direction: 'credit', kind: 'card_refund', amount: -difference, reference, metadata });
  if (row.product !== 'email_pack' || row.outcome !== 'bought') return { creditsBack: row.creditsBack, owed };
  const wanted = (emailPack.credits * back) / amount;
  const changed = await changeEmailCredits(work, orgId, row.creditsBack - wanted);
  return { creditsBack: row.creditsBack - changed, owed };
}
