import { commonErrors } from '../core/common-errors.ts';
import { sql } from '../db/drizzle.ts';
import { isPast } from '../db/intervals.ts';
import { dailyCounts } from '../db/schema/daily-counts.ts';
import { orgs } from '../db/schema/orgs.ts';
import { idempotencyKeys, mailOutbox } from '../db/schema/platform.ts';
import { projectUsage, stepOperations, usageFlushes } from '../db/schema/projects.ts';
import { enqueueAgain } from './durability/housekeeping.ts';
import { pruneChanges } from './feeds/changes.ts';
import { today } from './limits/daily-quota.ts';
import { domain } from './run/domain.ts';
import { reapStep } from './run/reap-step.ts';
import { reapStepJobs, reapStepTask } from './run/steps.ts';

const enqueueSteps = enqueueAgain(
  'enqueue-steps',
  reapStepJobs,
  sql`from ${stepOperations}
    where ${stepOperations.state} = 'running' and ${isPast(stepOperations.leaseUntil, '1 minute')}`,
);

/** The kernel itself: codes that no domain owns, and jobs that clear up after changes of every domain. */
export const kernel = domain('kernel', {
  errors: commonErrors,
  jobs: [{ task: reapStepTask, run: reapStep }],
  expires: [
    { table: idempotencyKeys, when: isPast(idempotencyKeys.expiresAt) },
    { table: mailOutbox, when: isPast(mailOutbox.createdAt, '30 days') },
    // By the lease, which ends soon after the work: that is what the index knows.
    {
      table: stepOperations,
      when: sql`${stepOperations.state} in ('done', 'undone') and ${isPast(stepOperations.leaseUntil, '7 days')}`,
    },
    // Of periods that are over: none lasts so long, since pinned organizations begin new ones, too.
    {
      table: projectUsage,
      when: sql`${isPast(projectUsage.since, '400 days')} and not exists (
        select from ${orgs} where ${orgs.id} = ${projectUsage.orgId} and ${orgs.usageSince} = ${projectUsage.since})`,
    },
    { table: dailyCounts, when: sql`${dailyCounts.day} < ${today} - 7` },
    { table: usageFlushes, when: isPast(usageFlushes.flushedAt, '1 day') },
  ],
  housekeeping: {
    'enqueue steps': enqueueSteps,
    'prune changes': ({ ctx }) => pruneChanges(ctx),
  },
});
