import { type Column, sql } from '../db/drizzle.ts';
import { interval } from '../db/intervals.ts';
import { type Database, inTransaction } from '../db/pool.ts';
import { payments } from '../db/schema/payments.ts';
import { idempotencyKeys, mailOutbox } from '../db/schema/platform.ts';
import { stepOperations } from '../db/schema/projects.ts';
import { deployOperations, runningStatuses } from '../db/schema/releases.ts';
import { computed, setOf, statement } from '../db/sql.ts';
import { rowsOn } from '../db/transaction.ts';
import { addJob, deleteExpired, nameOfExpiry } from '../kernel/durability/housekeeping.ts';
import type { Domain } from '../kernel/run/domain.ts';
import { reapStepJobs } from '../kernel/run/steps.ts';
import type { Task } from '../kernel/run/task.ts';
import { domains } from '../resolvers/index.ts';
import { freeLeasedStatements } from './leased-kinds.ts';

/** The job that removes what has expired or was purged, and enqueues again what a vanished node left behind. */
export const housekeepingTask = 'housekeeping';

const expiriesOf = ({ expires = [] }: Domain): [string, Task][] =>
  expires.map((one) => [nameOfExpiry(one), deleteExpired(one)]);

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

const justNow = sql`now() - ${interval('1 second')}`;
const isAhead = (moment: Column) => sql`${moment} > now()`;

const running = sql.raw(runningStatuses.map((one) => `'${one}'`).join(', '));

/** What a killed process held: claims of idempotency keys, and leases of step operations, deploys, payments, leased work and mails. */
const freeStatements = [
  statement(
    'abandoned.idempotency-keys',
    {},
    () => sql`update ${idempotencyKeys} ${setOf(idempotencyKeys, { leaseUntil: justNow })}
      where ${idempotencyKeys.outcome} is null and ${isAhead(idempotencyKeys.leaseUntil)}`,
  ),
  statement(
    'abandoned.steps',
    {},
    () => sql`update ${stepOperations} ${setOf(stepOperations, { leaseUntil: justNow })}
      where ${stepOperations.state} = 'running' and ${isAhead(stepOperations.leaseUntil)}`,
  ),
  // Their jobs are unlocked below, and would find them taken.
  statement(
    'abandoned.deploys',
    {},
    () => sql`update ${deployOperations} ${setOf(deployOperations, { leaseUntil: sql`null` })}
      where ${isAhead(deployOperations.leaseUntil)} and ${deployOperations.status} in (${running})`,
  ),
  statement(
    'abandoned.payments',
    {},
    () => sql`update ${payments} ${setOf(payments, { leaseUntil: justNow })} where ${isAhead(payments.leaseUntil)}`,
  ),
  ...freeLeasedStatements,
  statement(
    'abandoned.mails',
    {},
    () => sql`update ${mailOutbox} ${setOf(mailOutbox, { leaseUntil: sql`null` })}
      where ${mailOutbox.state} = 'queued' and ${mailOutbox.leaseUntil} is not null`,
  ),
  // The queue itself believes a lost worker for four hours.
  statement(
    'abandoned.jobs',
    {},
    () => sql`select from graphile_worker.force_unlock_workers(array(
      select locked_by from graphile_worker._private_jobs where locked_by is not null
      union select locked_by from graphile_worker._private_job_queues where locked_by is not null))`,
  ),
];

const resumeStatement = statement(
  'abandoned.resume-steps',
  { row: { resumed: computed<number>('integer', sql`count(${addJob(reapStepJobs)})::int`) } },
  (_none, row) => sql`select ${row} from ${stepOperations} where ${stepOperations.state} = 'running'`,
);

/**
 * Frees what a killed process held, and enqueues the step operations that it left. Only for a node that is alone (see
 * `NodeLock.alone`), before it serves and before its workers start.
 *
 * @returns how many step operations are picked up
 */
export const sweepAbandoned = (db: Pick<Database, 'pool'>): Promise<number> =>
  inTransaction(db.pool, async (client) => {
    const rows = rowsOn(client);
    for (const one of freeStatements) await rows(one.with({}));
    const [steps] = await rows(resumeStatement.with({}));
    return steps!.resumed;
  });
