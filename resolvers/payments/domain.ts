import { runSql, updateInBatches } from '../../kernel/durability/housekeeping.ts';
import { domain } from '../../kernel/run/domain.ts';
import { paymentErrors } from './error-codes.ts';
import { paymentEvents } from './event-types.ts';
import { forgetAnswersSql } from './payment-outcome.ts';
import { reconcilePayments, reconcilePaymentsTask } from './reconcile-payments.ts';
import { forgetReportsSql } from './shared/chain-payments.ts';

export const payments = domain('payments', {
  errors: paymentErrors,
  events: paymentEvents,
  jobs: [{ task: reconcilePaymentsTask, run: reconcilePayments, everyMinutes: 1 }],
  expires: [
    // Transfers that were presented by their hash, and whose audit failed.
    { table: 'payments', when: `version = 0 and state = 'verified' and lease_until < now() - interval '1 hour'` },
    // Payments that nothing was given for: whoever still has such a signature may present it as if for the first time.
    // The month is for those that never expire, since to have them refused costs nothing.
    {
      table: 'payments',
      when: `state in ('released', 'failed') and version <> 0 and lease_until < now()
        and created_at < now() - interval '1 day'
        and (valid_before < now() - interval '1 day' or created_at < now() - interval '30 days')`,
      which: 'given back or refused',
    },
  ],
  housekeeping: {
    'forget answers of payments': runSql(forgetAnswersSql),
    'forget reports': updateInBatches(forgetReportsSql),
  },
});
