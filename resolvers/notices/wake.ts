import type { Work } from '../../kernel/durability/unit-of-work.ts';

/** The job that wakes the senders of a node when a notice comes due. */
export const wakeNoticesTask = 'notices.wake';

/** Has a node look at a notice that is due. @param runAt when it is. @default now */
export async function wakeNotices(work: Work, id: string, runAt?: Date): Promise<void> {
  await work.addJob(wakeNoticesTask, {}, { key: id, ...(runAt === undefined ? {} : { runAt }) });
  work.afterCommit(() => work.services.noticeDeliveries.wake());
}
