import type { Work } from '../../kernel/durability/unit-of-work.ts';

/** The job of the queue that wakes the workers of a node when a managed job comes due. */
export const wakeJobsTask = 'jobs.wake';

/** Has a node look at a job that is due. @param runAt when it is. @default now */
export async function wakeJobs(work: Work, id: string, runAt?: Date): Promise<void> {
  await work.addJob(wakeJobsTask, {}, { key: id, ...(runAt === undefined ? {} : { runAt }) });
  work.afterCommit(() => work.services.jobWork.wake());
}
