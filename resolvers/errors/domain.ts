import { hasNoLivingJob, runSql } from '../../kernel/durability/housekeeping.ts';
import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { eraseGone, forgetErrors } from './erase-gone.ts';
import { releaseErrors } from './error-codes.ts';
import { errorEvents } from './event-types.ts';
import { getError } from './get-error.ts';
import { invocationsKeptDays, minutesKeptDays } from './invocation-buckets.ts';
import { listErrors } from './list-errors.ts';
import { enqueueOverdueSql, observeErrors, observeErrorsTask } from './observe-new.ts';
import { countedSince } from './occurrence-counts.ts';
import { reportActivation } from './report-activation.ts';
import { reportFidelity } from './report-fidelity.ts';
import { reportInvocations } from './report-invocations.ts';
import { reportOccurrences } from './report-occurrences.ts';
import { errorActions } from './shared/actions.ts';

onProjectDeletion(forgetErrors);

export const errors = domain('errors', {
  errors: releaseErrors,
  actions: errorActions,
  events: errorEvents,
  operations: [listErrors, getError, reportOccurrences, reportActivation, reportInvocations, reportFidelity],
  jobs: [{ task: observeErrorsTask, run: observeErrors }],
  expires: [
    {
      table: 'function_invocations',
      when: `span = 'hour' and starts_at < now() - interval '${invocationsKeptDays} days'`,
      which: 'by the hour',
    },
    // Later than windows count whole hours, so that no minute of a window is missing.
    {
      table: 'function_invocations',
      when: `span = 'minute' and starts_at < now() - interval '${minutesKeptDays * 24 + 2} hours'`,
      which: 'by the minute',
    },
    { table: 'error_counts', when: `starts_at < ${countedSince}` },
  ],
  housekeeping: {
    'enqueue errors': runSql(enqueueOverdueSql(hasNoLivingJob)),
    'erase errors': ({ ctx }) => eraseGone(ctx),
  },
});
