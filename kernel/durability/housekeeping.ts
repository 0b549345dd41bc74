import type { Expiry } from '../run/domain.ts';
import type { Task, TaskContext } from '../run/task.ts';

/** Rows that one statement of housekeeping changes. */
export const batchRows = 1_000;

/** Repeats a batch until one is not full. @param full how many rows a full batch has */
export async function untilNotFull(
  { ctx }: Pick<TaskContext, 'ctx'>,
  full: number,
  batch: () => Promise<number>,
): Promise<void> {
  do ctx.signal.throwIfAborted();
  while ((await batch()) >= full);
}

/** Deletes the rows that have expired, in batches, and leaves those that are locked to the next time. */
export const deleteExpired = ({ table, when }: Expiry): Task => {
  const batch = `select ctid from ${table} where ${when} limit ${batchRows} for update skip locked`;
  const text = `delete from ${table} where ctid = any(array(${batch}))`;
  return updateInBatches(text);
};

/** Runs a statement until it changes fewer rows than a full batch. */
export const updateInBatches =
  (text: string): Task =>
  (job) =>
    untilNotFull(job, batchRows, async () => (await job.ctx.services.db.pool.query(text)).rowCount ?? 0);

/** Runs one statement. */
export const runSql =
  (text: string, values: readonly unknown[] = []): Task =>
  async ({ ctx }) =>
    void (await ctx.services.db.pool.query(text, [...values]));

/** No job of the key will run: there is none, it has failed for good, or a node that vanished has locked it. */
export const hasNoLivingJob = (key: string) => `not exists (
  select from graphile_worker._private_jobs j where j.key = ${key}
    and case when j.locked_at is null then j.attempts < j.max_attempts else j.locked_at > now() - interval '10 minutes' end)`;
