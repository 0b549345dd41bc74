import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { errorCounts, functionInvocations } from '../../db/schema/errors.ts';
import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { eraseGone, forgetErrors } from './erase-gone.ts';
import { releaseErrors } from './error-codes.ts';
import { errorEvents } from './event-types.ts';
import { getError } from './get-error.ts';
import { invocationsKeptDays, minutesKeptDays } from './invocation-buckets.ts';
import { listErrors } from './list-errors.ts';
import { enqueueOverdue, observeErrors, observeErrorsTask } from './observe-new.ts';
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
      table: functionInvocations,
      when: sql`${functionInvocations.span} = 'hour'
        and ${isPast(functionInvocations.startsAt, `${invocationsKeptDays} days`)}`,
      which: 'by the hour',
    },
    // Later than windows count whole hours, so that no minute of a window is missing.
    {
      table: functionInvocations,
      when: sql`${functionInvocations.span} = 'minute'
        and ${isPast(functionInvocations.startsAt, `${minutesKeptDays * 24 + 2} hours`)}`,
      which: 'by the minute',
    },
    { table: errorCounts, when: sql`${errorCounts.startsAt} < ${countedSince}` },
  ],
  housekeeping: {
    'enqueue errors': enqueueOverdue,
    'erase errors': ({ ctx }) => eraseGone(ctx),
  },
});
