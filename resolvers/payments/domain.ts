import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { payments as kept } from '../../db/schema/payments.ts';
import { changeInBatches, runOnce } from '../../kernel/durability/housekeeping.ts';
import { domain } from '../../kernel/run/domain.ts';
import { paymentErrors } from './error-codes.ts';
import { paymentEvents } from './event-types.ts';
import { forgetAnswersStatement } from './payment-outcome.ts';
import { reconcilePayments, reconcilePaymentsTask } from './reconcile-payments.ts';
import { forgetOldReports } from './shared/chain-payments.ts';

export const payments = domain('payments', {
  errors: paymentErrors,
  events: paymentEvents,
  jobs: [{ task: reconcilePaymentsTask, run: reconcilePayments, everyMinutes: 1 }],
  expires: [
    // Transfers that were presented by their hash, and whose audit failed.
    {
      table: kept,
      when: sql`${kept.version} = 0 and ${kept.state} = 'verified' and ${isPast(kept.leaseUntil, '1 hour')}`,
    },
    // Payments that nothing was given for: whoever still has such a signature may present it as if for the first time.
    // The month is for those that never expire, since to have them refused costs nothing.
    {
      table: kept,
      when: sql`${kept.state} in ('released', 'failed') and ${kept.version} <> 0 and ${isPast(kept.leaseUntil)}
        and ${isPast(kept.createdAt, '1 day')}
        and (${isPast(kept.validBefore, '1 day')} or ${isPast(kept.createdAt, '30 days')})`,
      which: 'given back or refused',
    },
  ],
  housekeeping: {
    'forget answers of payments': runOnce(forgetAnswersStatement.with({})),
    'forget reports': changeInBatches('forget reports', forgetOldReports),
  },
});
