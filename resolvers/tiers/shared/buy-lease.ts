import { randomUUID } from 'node:crypto';
import { invalidField, ServiceError } from '../../../core/errors.ts';
import type { Org, Tier } from '../../../db/schema/orgs.ts';
import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { offerOf, tierNames } from '../../../kernel/limits/tier-table.ts';
import { payDebt, post } from '../../ledger/shared/ledger.ts';
import type { LockedOrg } from '../../orgs/shared/lock-org.ts';
import { leaseEndToWire } from '../../orgs/shared/wire.ts';
import { promotionalShare, startLease, unusedValue } from './lease.ts';

export type TierAction = 'subscribe' | 'renew' | 'upgrade' | 'downgrade';

/** What an organization does by going to a tier. @throws VALIDATION_FAILED for a lower tier while a lease runs */
export function actionOf(org: LockedOrg, tier: Tier, leases: boolean): TierAction {
  if (!org.leaseRuns) return 'subscribe';
  if (tier === org.tier) return 'renew';
  if (tierNames.indexOf(tier) > tierNames.indexOf(org.tier)) return 'upgrade';
  if (!leases) return 'downgrade';
  const reason = `a tier below ${org.tier} has to wait for expiry of the lease`;
  throw invalidField('tier', reason, {
    lease_expires_at: leaseEndToWire(org),
  });
}

/**
 * Starts or renews a lease under the organization's lock, and takes its price from the balance where leases are on.
 *
 * @throws PAYMENT_REQUIRED when the balance and what is left of the old lease do not cover it
 */
export async function buyLease(
  work: Work,
  org: LockedOrg,
  { tier, action, leases }: { readonly tier: Tier; readonly action: TierAction; readonly leases: boolean },
): Promise<Org> {
  const { price } = offerOf(tier, leases);
  const lease = { type: 'lease', id: randomUUID() };
  // What is left of the old lease comes first: it helps to pay for the new one.
  const refund = leases && action === 'upgrade' ? await unusedValue(work, org) : 0n;
  if (refund > 0n) {
    const metadata = { tier: org.tier };
    await post(work, {
      orgId: org.id,
      direction: 'credit',
      kind: 'tier_refund',
      amount: refund,
      promotional: await promotionalShare(work, org.id, refund),
      reference: lease,
      keepsDebt: true,
      metadata,
    });
  }
  if (price > 0n) await take(work, org.id, tier, price, lease);
  await payDebt(work, org.id);
  return startLease(work, {
    orgId: org.id,
    tier,
    // A paid lease that is renewed while leases are off begins anew: what was not paid for is never refunded.
    renews: leases && action === 'renew',
    paid: price > 0n,
  });
}

/** Debits the price of a lease. @throws PAYMENT_REQUIRED when the balance does not cover it */
async function take(work: Work, orgId: string, tier: Tier, amount: bigint, reference: { type: string; id: string }) {
  try {
    await post(work, { orgId, direction: 'debit', kind: 'tier_fee', amount, reference, metadata: { tier } });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'INSUFFICIENT_FUNDS') throw error;
    throw new ServiceError('PAYMENT_REQUIRED', {
      message: 'The prepaid balance does not cover this tier.',
      details: { tier, ...error.details },
    });
  }
}
