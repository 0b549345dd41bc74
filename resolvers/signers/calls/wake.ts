import type { Work } from '../../../kernel/durability/unit-of-work.ts';

/** The job that wakes the senders of a node when a call comes due. */
export const wakeCallsTask = 'contracts.wakeCalls';

/** Has a node look at a call that is due. */
export async function wakeCalls(work: Work, id: string): Promise<void> {
  await work.addJob(wakeCallsTask, {}, { key: id });
  work.afterCommit(() => work.services.contractCalls.wake());
}
