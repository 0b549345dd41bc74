import { LightningUnavailable } from '../../../engines/lightning/lightning.ts';
import type { Context } from '../../../kernel/run/context.ts';
import type { Checkout } from '../checkout-rows.ts';
import type { Seen } from './seen.ts';

/** For how long after its end an invoice that is paid is credited, in milliseconds. Contract 04, section 1.4. */
export const lateMs = 3_600_000;
/** Seconds between looks at an invoice while it can be paid, and while only a late payment may come. */
const openSeconds = 2;
const lateSeconds = 30;

/** Asks the lightning node whether an invoice is paid. @throws LightningUnavailable */
export async function lookAtInvoice({ services }: Context, held: Checkout): Promise<Seen> {
  const { lightning, now } = services;
  const { paymentHash, amountSats, invoiceExpiresAt, state } = held;
  if (paymentHash === null || invoiceExpiresAt === null) return { state, again: null };
  if (lightning === undefined) throw new LightningUnavailable('Payments by lightning are no longer configured.');
  // By the clock before the look: a payment that comes meanwhile is found by the next one.
  const lateBy = now().getTime() - invoiceExpiresAt.getTime();
  const payment = await lightning.lookup({ paymentHash, sats: amountSats! });
  if (payment !== null) {
    const paidLateBy = payment.paidAt.getTime() - invoiceExpiresAt.getTime();
    if (paidLateBy <= lateMs) {
      const paid = { kind: 'lightning_topup' as const, paymentIntentId: null, savedCard: null, paidAt: payment.paidAt };
      return { state: paidLateBy > 0 ? 'paid_late' : 'paid', payment: paid, again: null };
    }
    services.log.error({ topup: held.id }, 'An invoice was paid more than an hour after its end, and is not credited.');
    return { state: 'expired', failure: 'It was paid more than an hour after its end.', again: null };
  }
  if (lateBy > lateMs) return { state: 'expired', again: null };
  // It is shown as expired, and looked at for an hour more.
  return lateBy > 0 ? { state: 'expired', again: lateSeconds } : { state: 'pending', again: openSeconds };
}
