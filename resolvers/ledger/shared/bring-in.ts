import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import type { PaidFor } from '../../../kernel/run/price.ts';
import { post } from './ledger.ts';

/** Credits what was paid on chain for something, so that the history shows all money that came and went. */
export async function bringIn(work: Work, orgId: string, { id, price, settlement }: PaidFor): Promise<void> {
  await post(work, {
    orgId,
    direction: 'credit',
    kind: 'x402_payment',
    amount: price.amount,
    reference: { type: 'payment', id },
    // It is for what was bought, whatever is owed.
    keepsDebt: true,
    metadata: { network: settlement.network, transaction: settlement.transaction, payer: settlement.payer },
  });
}
