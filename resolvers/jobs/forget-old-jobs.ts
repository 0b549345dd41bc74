import { sql } from '../../db/drizzle.ts';
import { isPast } from '../../db/intervals.ts';
import { jobArtifacts, managedJobs } from '../../db/schema/jobs.ts';
import { pick, statement, typed } from '../../db/sql.ts';
import { untilNotFull } from '../../kernel/durability/housekeeping.ts';
import { unitOfWork } from '../../kernel/durability/unit-of-work.ts';
import type { Task } from '../../kernel/run/task.ts';
import { giveUpContent } from '../content/shared/named-content.ts';
import { lockProject } from '../projects/shared/lock-project.ts';

const batch = 100;

/** Forgets jobs that ended 30 days ago, and lets go of what they made: some of one project after the other. */
export const forgetOldJobs: Task = (job) =>
  untilNotFull(job, 1, async () => {
    const [oldest] = await job.ctx.services.db.rows(oldestStatement.with({}));
    if (oldest === undefined) return 0;
    const { orgId, projectId } = oldest;
    await unitOfWork(job.ctx, async (work) => {
      await lockProject(work, projectId);
      const gone = await work.rows(forgetStatement.with({ projectId, most: batch }));
      const named = await work.rows(forgetArtifacts.with({ ids: gone.map(({ id }) => id) }));
      await giveUpContent(work.rows, { orgId, projectId }, [...new Set(named.map(({ sha256 }) => sha256))]);
    });
    return 1;
  });

const isOld = isPast(managedJobs.completedAt, '30 days');

const oldestStatement = statement(
  'jobs.oldest',
  { row: pick(managedJobs, 'orgId', 'projectId') },
  (_none, row) => sql`select ${row} from ${managedJobs}
    where ${managedJobs.completedAt} is not null and ${isOld} order by ${managedJobs.completedAt} limit 1`,
);

const forgetStatement = statement(
  'jobs.forget-old',
  { params: { ...pick(managedJobs, 'projectId'), most: typed<number>('bigint') }, row: pick(managedJobs, 'id') },
  ({ projectId, most }, row) => sql`delete from ${managedJobs} where ${managedJobs.id} in (
      select ${managedJobs.id} from ${managedJobs}
      where ${managedJobs.projectId} = ${projectId} and ${managedJobs.completedAt} is not null and ${isOld} limit ${most})
    returning ${row}`,
);

const forgetArtifacts = statement(
  'jobs.forget-artifacts-of',
  { params: { ids: typed<readonly string[]>('text[]') }, row: pick(jobArtifacts, 'sha256') },
  ({ ids }, row) => sql`delete from ${jobArtifacts} where ${jobArtifacts.jobId} = any(${ids}::text[]) returning ${row}`,
);
