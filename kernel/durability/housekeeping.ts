import { type Column, getTableName, type SQL, sql } from '../../db/drizzle.ts';
import { computed, statement } from '../../db/sql.ts';
import type { Bound } from '../../db/statement.ts';
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

/** How the log and the statement of an expiry are called. */
export const nameOfExpiry = ({ table, which }: Expiry): string =>
  ['expire', getTableName(table), which].filter((part) => part !== undefined).join(' ');

/** Deletes the rows that have expired, in batches. Skips rows that are locked until the next run. */
export const deleteExpired = (expiry: Expiry): Task => {
  const { table, when } = expiry;
  const batch = sql`select ctid from ${table} where ${when} limit ${sql.raw(String(batchRows))} for update skip locked`;
  return changeInBatches(nameOfExpiry(expiry), sql`delete from ${table} where ctid = any(array(${batch}))`);
};

/**
 * Repeats a change until it changes fewer rows than a full batch.
 *
 * @param name of the statement, after `housekeeping.`
 * @param change changes {@link batchRows} rows at most, and returns nothing
 */
export function changeInBatches(name: string, change: SQL): Task {
  const batch = statement(
    `housekeeping.${name.replaceAll(' ', '-')}`,
    { row: { changed: computed<number>('integer', sql`count(*)::int`) } },
    (_none, row) => sql`with changed as (${change} returning 1) select ${row} from changed`,
  );
  return (job) =>
    untilNotFull(job, batchRows, async () => (await job.ctx.services.db.rows(batch.with({})))[0]!.changed);
}

/** Runs one statement. */
export const runOnce =
  (bound: Bound<object>): Task =>
  async ({ ctx }) =>
    void (await ctx.services.db.rows(bound));

/** Jobs that rows wait for. */
export interface AwaitedJobs {
  readonly task: string;
  /** Of the job, one for each row. */
  readonly key: SQL | Column;
  /** JSON that the job gets. */
  readonly payload: SQL;
}

/** Enqueues a job of a row: an expression of a `select`. */
export const addJob = ({ task, key, payload }: AwaitedJobs): SQL =>
  sql`graphile_worker.add_job(${sql.raw(`'${task}'`)}, ${payload}, job_key => ${key})`;

/**
 * Enqueues a job again for each row whose job will not run: there is none, it has failed for good, or a node that vanished
 * has locked it.
 *
 * @param name of the statement, after `housekeeping.`
 * @param rows where the rows come from, and which of them wait: `from … where …`
 */
export function enqueueAgain(name: string, jobs: AwaitedJobs, rows: SQL): Task {
  return runOnce(
    statement(
      `housekeeping.${name}`,
      { row: { enqueued: computed<number>('integer', sql`count(${addJob(jobs)})::int`) } },
      (_none, row) => sql`select ${row} ${rows} and not exists (
        select from graphile_worker._private_jobs j where j.key = ${jobs.key} and case
          when j.locked_at is null then j.attempts < j.max_attempts else j.locked_at > now() - interval '10 minutes' end)`,
    ).with({}),
  );
}
