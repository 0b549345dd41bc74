import { commonErrors } from '../core/common-errors.ts';
import { hasNoLivingJob, runSql, untilNotFull } from './durability/housekeeping.ts';
import { changesBatch, pruneChangesSql } from './feeds/changes.ts';
import { today } from './limits/daily-quota.ts';
import { domain } from './run/domain.ts';
import { reapStep } from './run/reap-step.ts';
import { reapStepTask } from './run/steps.ts';

const enqueueStepsSql = `select graphile_worker.add_job($1, json_build_object('stepId', id), job_key => id) from step_operations s
  where state = 'running' and lease_until < now() - interval '1 minute' and ${hasNoLivingJob('s.id')}`;

/** The kernel itself: codes that no domain owns, and jobs that clear up after changes of every domain. */
export const kernel = domain('kernel', {
  errors: commonErrors,
  jobs: [{ task: reapStepTask, run: reapStep }],
  expires: [
    { table: 'idempotency_keys', when: 'expires_at < now()' },
    { table: 'mail_outbox', when: `created_at < now() - interval '30 days'` },
    // By the lease, which ends soon after the work: that is what the index knows.
    {
      table: 'step_operations',
      when: `state in ('done', 'undone') and lease_until < now() - interval '7 days'`,
    },
    // Of periods that are over: none lasts so long, since pinned organizations begin new ones, too.
    {
      table: 'project_usage',
      when: `since < now() - interval '400 days' and not exists (
        select from orgs o where o.id = org_id and o.usage_since = since)`,
    },
    { table: 'daily_counts', when: `day < ${today} - 7` },
    { table: 'usage_flushes', when: `flushed_at < now() - interval '1 day'` },
  ],
  housekeeping: {
    'enqueue steps': runSql(enqueueStepsSql, [reapStepTask]),
    'prune changes': (job) =>
      untilNotFull(job, changesBatch, async () => {
        const { rows } = await job.ctx.services.db.pool.query<{ looked: number }>(pruneChangesSql);
        return rows[0]!.looked;
      }),
  },
});
