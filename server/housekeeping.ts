import { type Database, inTransaction } from '../db/pool.ts';
import { deleteExpired } from '../kernel/durability/housekeeping.ts';
import type { Domain } from '../kernel/run/domain.ts';
import { reapStepTask } from '../kernel/run/steps.ts';
import type { Task } from '../kernel/run/task.ts';
import { domains } from '../resolvers/index.ts';

/** The job that removes what has expired or was purged, and enqueues again what a vanished node left behind. */
export const housekeepingTask = 'housekeeping';

const expiriesOf = ({ expires = [] }: Domain): [string, Task][] =>
  expires.map((one) => [`expire ${[one.table, one.which].filter(Boolean).join(' ')}`, deleteExpired(one)]);

const steps = [...domains.flatMap(expiriesOf), ...domains.flatMap((one) => Object.entries(one.housekeeping ?? {}))];

/**
 * Does what the domains ask of housekeeping, each step by itself: one that fails keeps no other from running, is told of
 * by name, and fails the job at the end.
 */
export const keepHouse: Task = async (job, payload) => {
  const failures: unknown[] = [];
  for (const [step, run] of steps) {
    job.ctx.signal.throwIfAborted();
    try {
      await run(job, payload);
    } catch (error) {
      // What ends because the server stops has not failed.
      job.ctx.signal.throwIfAborted();
      job.log.warn({ err: error, step }, 'A step of housekeeping failed; the others go on.');
      failures.push(error);
    }
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} steps of housekeeping failed`);
};

/**
 * Frees what a killed process held: claims of idempotency keys, leases of step operations and mails, locks of jobs.
 * Only for a node that is alone (see `NodeLock.alone`), before it serves and before its workers start.
 *
 * @returns how many step operations are picked up
 */
export async function sweepAbandoned(db: Pick<Database, 'pool'>): Promise<number> {
  return inTransaction(db.pool, async (client) => {
    await client.query(
      `update idempotency_keys set lease_until = now() - interval '1 second' where outcome is null and lease_until > now()`,
    );
    await client.query(
      `update step_operations set lease_until = now() - interval '1 second' where state = 'running' and lease_until > now()`,
    );
    await client.query(`update payments set lease_until = now() - interval '1 second' where lease_until > now()`);
    await client.query(`update mail_outbox set lease_until = null where state = 'queued' and lease_until is not null`);
    // The queue itself believes a lost worker for four hours.
    await client.query(
      `select graphile_worker.force_unlock_workers(array(
         select locked_by from graphile_worker._private_jobs where locked_by is not null
         union select locked_by from graphile_worker._private_job_queues where locked_by is not null))`,
    );
    const steps = await client.query(
      `select graphile_worker.add_job($1, json_build_object('stepId', id), job_key => id) from step_operations where state = 'running'`,
      [reapStepTask],
    );
    return steps.rowCount ?? 0;
  });
}
