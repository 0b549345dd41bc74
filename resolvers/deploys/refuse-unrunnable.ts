import { ServiceError } from '../../core/errors.ts';
import type { ReleaseState, RouteEntry } from '../../engines/release/model.ts';
import type { Services } from '../../kernel/run/context.ts';
import { payoutRecoveries, payoutRefusal } from '../orgs/shared/payout-recovery.ts';

/**
 * Refuses a release whose functions would not be run as it says.
 *
 * @throws FUNCTIONS_NOT_AVAILABLE, PAYOUT_WALLET_REQUIRED, PAYOUT_WALLET_AMBIGUOUS
 */
export async function refuseUnrunnable(
  services: Services,
  orgId: string,
  { functions, routes }: ReleaseState,
): Promise<void> {
  if (functions.size === 0) return;
  const priced = routes.find(({ pricing }) => pricing !== undefined);
  if (priced !== undefined) await refuseUnpayable(services, orgId, priced);
  const { functions: standing, reason } = await services.functions.standing();
  if (standing === 'unavailable')
    throw new ServiceError('FUNCTIONS_NOT_AVAILABLE', { details: { functions: [...functions.keys()], reason } });
}

/** Refuses a price that nobody could be paid. */
async function refuseUnpayable(services: Services, orgId: string, { pattern }: RouteEntry): Promise<void> {
  if (services.paymentProcessor.mode === 'unavailable')
    throw new ServiceError('FUNCTIONS_NOT_AVAILABLE', {
      message: `The route ${pattern} has a price, and this gateway takes no payments.`,
      details: { route: pattern, member: 'pricing' },
    });
  const [payout] = await payoutRecoveries(services.db.rows, [orgId]);
  if (payout!.wallet !== null) return;
  throw new ServiceError(payoutRefusal(payout!), {
    details: { route: pattern, active_wallet_count: payout!.activeWallets },
  });
}
