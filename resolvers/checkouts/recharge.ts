import { randomUUID } from 'node:crypto';
import { sql } from '../../db/drizzle.ts';
import { checkouts } from '../../db/schema/checkouts.ts';
import { orgBalances } from '../../db/schema/orgs.ts';
import { computed, pick, setOf, statement } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { lockBalance } from '../ledger/shared/ledger.ts';
import { findRecharge } from './auto-recharge.ts';
import { insertCheckout } from './checkout-rows.ts';
import { buyPack } from './settle/book-payment.ts';
import { wakeCheckouts } from './settle/wake-checkouts.ts';
import { emailPack } from './shared/email-pack.ts';
import { stopRecharge } from './stop-recharge.ts';

/**
 * Buys a pack of mail credits where there are fewer than the threshold: from the balance where that covers it, else with
 * the saved card, one at a time. Without either it is turned off, and somebody is told.
 */
export async function rechargeIfLow(work: Work, orgId: string): Promise<void> {
  const { available } = await lockBalance(work, orgId);
  const recharge = await findRecharge(work.rows, orgId);
  if (recharge?.enabled !== true || recharge.threshold === null) return;
  const [standing] = await work.rows(standingStatement.with({ orgId }));
  if (standing!.credits >= recharge.threshold || standing!.isBuying) return;
  const isCovered = available >= emailPack.price;
  const hasCard = recharge.paymentMethodId !== null && work.services.cards !== undefined;
  if (!isCovered && !hasCard) return stopRecharge(work, orgId, 'Neither the balance nor a card pays for a pack.');
  const row = await insertCheckout(work.rows, {
    id: randomUUID(),
    orgId,
    product: 'email_pack',
    rail: isCovered ? 'balance' : 'card',
    automatic: true,
    amount: emailPack.price,
    tier: null,
    successUrl: null,
    cancelUrl: null,
    savesCard: false,
    createdBy: null,
    dueIn: isCovered ? null : 0,
  });
  if (!isCovered) return wakeCheckouts(work, row.id);
  await buyPack(work, row);
  await work.rows(boughtStatement.with({ id: row.id }));
}

const standingStatement = statement(
  'checkouts.recharge-standing',
  {
    params: pick(orgBalances, 'orgId'),
    row: {
      credits: computed<bigint>('bigint', sql`${orgBalances.emailCredits}`),
      isBuying: computed<boolean>(
        'boolean',
        sql`exists (select from ${checkouts} where ${checkouts.orgId} = ${orgBalances.orgId}
          and ${checkouts.automatic} and ${checkouts.state} in ('creating', 'pending'))`,
      ),
    },
  },
  ({ orgId }, row) => sql`select ${row} from ${orgBalances} where ${orgBalances.orgId} = ${orgId}`,
);

const boughtStatement = statement(
  'checkouts.bought',
  { params: pick(checkouts, 'id') },
  ({ id }) =>
    sql`update ${checkouts} ${setOf(checkouts, {
      state: sql`'paid'`,
      outcome: sql`'bought'`,
      paidAt: sql`now()`,
    })} where ${checkouts.id} = ${id}`,
);
