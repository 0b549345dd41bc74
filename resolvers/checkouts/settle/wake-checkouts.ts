import type { Work } from '../../../kernel/durability/unit-of-work.ts';

/** The job that wakes a node when a checkout comes due. */
export const wakeCheckoutsTask = 'checkouts.wake';

/** Has a node look at a checkout that is due. @param runAt when it is. @default now */
export async function wakeCheckouts(work: Work, id: string, runAt?: Date): Promise<void> {
  await work.addJob(wakeCheckoutsTask, {}, { key: id, ...(runAt === undefined ? {} : { runAt }) });
  work.afterCommit(() => work.services.checkoutWork.wake());
}
