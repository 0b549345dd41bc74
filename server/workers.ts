import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type JobHelpers,
  Logger as JobLogger,
  type Runner,
  run,
  runMigrations,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker';
import pg from 'pg';
import type { Logger } from 'pino';
import { newTraceId, traced } from '../core/tracing.ts';
import { type Database, inTransaction, type Statement } from '../db/pool.ts';
import type { Mailer } from '../engines/mail.ts';
import type { Context, Services } from '../resolvers/context.ts';
import { completeStep } from '../resolvers/execute.ts';
import { sendMailTask } from '../resolvers/mail/outbox.ts';
import type { AnyOperation } from '../resolvers/operation.ts';
import { findStep, reapStepTask, releaseStep, stepAttemptsMax, takeStep, undoStep } from '../resolvers/steps.ts';
import { safeMessage } from './log.ts';
import type { Metrics } from './metrics.ts';

/** Removes what has expired and enqueues again what a vanished node left behind. */
export const housekeepingTask = 'housekeeping';

/** After so many failed attempts a mail is given up. */
const mailAttemptsMax = 10;
/** After so many failed attempts to undo it, a step operation is left to the operator. */
const undoAttemptsMax = 10;
/** How long to leave a step to the process that works on it before looking again, in milliseconds. */
const leasedStepMs = 5_000;
const housekeepingCron = `*/10 * * * * ${housekeepingTask} ?jobKey=${housekeepingTask}&max=3`;
/** Rows deleted by one statement. */
const batchRows = 1_000;
/** How long running jobs may take to end when the server stops, in milliseconds; then other nodes get them. */
const stopMs = 4_000;
/** How long giving them back may take, in milliseconds. */
const giveBackMs = 1_000;
/** Session lock under which the tables of the job queue are made. */
const jobsLock = 7_306_003;

/**
 * Makes the tables and functions of the job queue. Needed before the port opens, since changes enqueue their follow-up
 * work in their own transaction. Nodes that start together wait for each other.
 */
export async function installJobs(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'svc-gateway jobs' });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [jobsLock]);
    await runMigrations({ connectionString: url, maxPoolSize: 1, logger: silent });
  } finally {
    // Ending the session gives the lock back.
    await client.end();
  }
}

const unlockText = 'select graphile_worker.force_unlock_workers($1)';

const silent = new JobLogger(() => () => {});

/**
 * Frees what a killed process held: claims of idempotency keys, leases of step operations, locks of jobs. Only for a
 * node that is alone (see `NodeLock.alone`), before it serves and before its workers start.
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

export interface WorkersOptions {
  /** Control database. */
  readonly url: string;
  readonly services: Services;
  readonly mailer: Mailer;
  /** Operations by name: a step operation is finished or undone by the one that began it. */
  readonly operations: ReadonlyMap<string, AnyOperation>;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'jobRan'>;
  /** Jobs at once. @default 2 */
  readonly concurrency?: number;
  /** How often to look for jobs that have become due, in milliseconds; new ones announce themselves. @default 2_000 */
  readonly pollMs?: number;
}

export interface Workers {
  /** Waits some seconds for running jobs, then gives them back to the queue. Idempotent. */
  readonly stop: () => Promise<void>;
}

/**
 * Runs background jobs on the control database until stopped, also across an outage of it.
 *
 * @throws when the queue cannot be reached at the start
 */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const { url, log, concurrency = 2, pollMs = 2_000 } = options;
  // Not the pool of the requests: the library listens on one connection for good, and it takes job ids, which are
  // 64 bits wide, for something that JSON can hold.
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'svc-gateway workers',
    max: concurrency + 2,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  // A connection may break in the pool or in use; whoever uses it learns by its statement.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const taskList = tasksOf(options);
  const stopping = new AbortController();
  let runner: Runner;
  let workerIds: string[] = [];

  const start = async (): Promise<Runner> => {
    // Locks of a runner that broke down would outlive it by hours.
    if (workerIds.length > 0) await pool.query(unlockText, [workerIds]);
    await pool.query(`select graphile_worker.add_job($1, job_key => $1, max_attempts => 3)`, [housekeepingTask]);
    workerIds = [];
    const events = new EventEmitter() as WorkerEvents;
    events.on('pool:create', ({ workerPool }) => void workerIds.push(workerPool.id));
    return run({
      pgPool: pool,
      taskList,
      crontab: housekeepingCron,
      concurrency,
      events,
      schema: 'graphile_worker',
      noHandleSignals: true,
      pollInterval: pollMs,
      gracefulShutdownAbortTimeout: stopMs / 2,
      // Without a delay nobody awaits these writes, and their failure in an outage would end the process; with one they
      // are tried again until the database is back.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      logger: bridge(log),
    });
  };

  /** The library gives up when it cannot write to the database; the gateway does not. */
  async function supervise(): Promise<void> {
    while (!stopping.signal.aborted) {
      await runner.promise.catch(() => undefined);
      let pause = 500;
      let again = false;
      while (!stopping.signal.aborted && !again) {
        await sleep(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
        if (stopping.signal.aborted) return;
        try {
          runner = await start();
          again = true;
          log.warn('Background workers had stopped and run again.');
        } catch (error) {
          log.warn({ err: error }, 'Background workers cannot be started; trying again.');
          pause = Math.min(pause * 2, 5_000);
        }
      }
    }
  }

  try {
    runner = await start();
  } catch (error) {
    await pool.end();
    throw error;
  }
  const supervision = supervise();

  const stop = async () => {
    stopping.abort();
    // A runner that has stopped already says so by a rejection.
    const drained = runner.stop().catch(() => undefined);
    if ((await Promise.race([drained, sleep(stopMs, 'late', { ref: false })])) === 'late') {
      log.warn('Background jobs did not end in time and go back to the queue.');
      const unlocked = pool.query(unlockText, [workerIds]).catch(() => undefined);
      await Promise.race([unlocked, sleep(giveBackMs, undefined, { ref: false })]);
    } else await supervision;
    await Promise.race([pool.end(), sleep(giveBackMs, undefined, { ref: false })]);
  };
  let stopped: Promise<void> | undefined;
  return { stop: () => (stopped ??= stop()) };
}

/** The queue's own records are for debugging; failed jobs are logged by {@link tasksOf}. */
function bridge(log: Logger): JobLogger {
  return new JobLogger((scope) => (level, message) => {
    log.debug({ worker: { ...scope, level } }, safeMessage(message));
  });
}

type TaskContext = WorkersOptions & { readonly ctx: Context; readonly helpers: JobHelpers };

const tasks: Readonly<Record<string, (task: TaskContext, payload: unknown) => Promise<void>>> = {
  [reapStepTask]: (task, payload) => reapStep(task, (payload as { stepId: string }).stepId),
  [sendMailTask]: (task, payload) => sendMail(task, (payload as { mailId: string }).mailId),
  [housekeepingTask]: keepHouse,
};

/** Tasks as the library runs them: each with a context, counted, traced, and with a failure that may be stored. */
function tasksOf(options: WorkersOptions): TaskList {
  const { services, log, metrics } = options;
  const list: TaskList = {};
  for (const [name, task] of Object.entries(tasks)) {
    list[name] = async (payload: unknown, helpers: JobHelpers) => {
      let traceId: string | undefined;
      try {
        await traced(`job ${name}`, {}, () => {
          const ctx = jobContext(services, helpers.abortSignal);
          ({ traceId } = ctx.request);
          return task({ ...options, ctx, helpers }, payload);
        });
        metrics.jobRan({ task: name, outcome: 'ok' });
      } catch (error) {
        metrics.jobRan({ task: name, outcome: 'failed' });
        const { attempts, max_attempts: attemptsMax } = helpers.job;
        log.warn({ err: error, task: name, payload, attempts, attemptsMax, traceId }, 'A job failed.');
        // The library stores the message: not with parameters in it.
        throw new Error(safeMessage(error) || 'failed');
      }
    };
  }
  return list;
}

/** Background work acts for the installation itself. */
function jobContext(services: Services, signal: AbortSignal): Context {
  return {
    services,
    request: {
      traceId: newTraceId(),
      address: 'worker',
      // Nobody reads the answer of background work, but an operation may put addresses into it.
      baseUrl: services.settings.publicBaseUrl ?? 'http://localhost',
      idempotencyKey: undefined,
      writeApproval: undefined,
    },
    caller: async () => ({ kind: 'admin' }),
    signal,
  };
}

/** Finishes a step operation that nobody works on any more; undoes one that keeps failing. */
async function reapStep({ ctx, operations, helpers, log }: TaskContext, stepId: string): Promise<void> {
  const step = await takeStep(ctx, stepId);
  if (step === undefined) {
    const left = await findStep(ctx, stepId);
    if (left?.state !== 'running') return;
    await helpers.addJob(reapStepTask, { stepId }, { jobKey: stepId, runAt: new Date(Date.now() + leasedStepMs) });
    return;
  }
  try {
    const op = operations.get(step.operation);
    if (op?.kind !== 'mutation' || !('steps' in op)) throw new Error(`No step operation is named ${step.operation}.`);
    if (step.attempts <= stepAttemptsMax) await completeStep(op, ctx, step, undefined);
    else await undoStep(ctx, step, op.steps);
  } catch (error) {
    if (step.attempts >= stepAttemptsMax + undoAttemptsMax) {
      log.error(
        { err: error, stepId, operation: step.operation },
        'A step operation can be neither finished nor undone.',
      );
      await ctx.services.db.rows(stuckStatement, [stepId, safeMessage(error)]);
      return;
    }
    // The next attempt need not wait for the lease.
    await releaseStep(ctx, step, new Error(safeMessage(error)));
    throw error;
  }
}

interface OutboxRow {
  readonly recipient: string;
  readonly subject: string;
  readonly body_text: string;
  readonly attempts: number;
}

/** Sends one mail of the outbox; without a mail server it stays queued. */
async function sendMail({ ctx, mailer, log }: TaskContext, mailId: string): Promise<void> {
  if (!mailer.configured) return;
  // The row's lock is what keeps two workers from sending the same mail; it is held while the mail server answers.
  const failure = await inTransaction(ctx.services.db.pool, async (client) => {
    const { rows } = await client.query<OutboxRow>({ ...takeMailStatement, values: [mailId] });
    const [mail] = rows;
    if (mail === undefined) return undefined;
    let error: unknown;
    try {
      await mailer.send({ to: mail.recipient, subject: mail.subject, text: mail.body_text });
    } catch (caught) {
      error = caught;
    }
    const attempts = mail.attempts + 1;
    const state = error === undefined ? 'sent' : attempts >= mailAttemptsMax ? 'failed' : 'queued';
    const reason = error === undefined ? null : safeMessage(error);
    await client.query({ ...settleMailStatement, values: [mailId, state, attempts, reason] });
    return error === undefined ? undefined : { error, state };
  });
  if (failure?.state === 'failed') log.error({ err: failure.error, mailId }, 'A mail was given up.');
  else if (failure !== undefined) throw failure.error;
}

async function keepHouse({ ctx, mailer }: TaskContext): Promise<void> {
  const { pool } = ctx.services.db;
  for (const [table, condition] of expired) {
    let deleted: number | null;
    do {
      ctx.signal.throwIfAborted();
      const batch = `select ctid from ${table} where ${condition} limit ${batchRows} for update skip locked`;
      ({ rowCount: deleted } = await pool.query(`delete from ${table} where ctid = any(array(${batch}))`));
    } while (deleted === batchRows);
  }
  await pool.query(
    `select graphile_worker.add_job($1, json_build_object('stepId', id), job_key => id) from step_operations s
     where state = 'running' and lease_until < now() - interval '1 minute' and ${hasNoLivingJob('s.id')}`,
    [reapStepTask],
  );
  if (!mailer.configured) return;
  await pool.query(
    `select graphile_worker.add_job($1, json_build_object('mailId', id), job_key => id) from mail_outbox m
     where state = 'queued' and created_at > now() - interval '3 days' and ${hasNoLivingJob('m.id')}`,
    [sendMailTask],
  );
}

/** Rows that nobody needs any more. */
const expired = [
  ['wallet_nonces', 'expires_at < now()'],
  ['idempotency_keys', 'expires_at < now()'],
  ['step_operations', `state in ('done', 'undone') and created_at < now() - interval '7 days'`],
] as const;

/** No job of the key will run: there is none, it has failed for good, or a node that vanished has locked it. */
const hasNoLivingJob = (key: string) => `not exists (
  select from graphile_worker._private_jobs j where j.key = ${key}
    and case when j.locked_at is null then j.attempts < j.max_attempts else j.locked_at > now() - interval '10 minutes' end)`;

const stuckStatement: Statement = {
  name: 'steps.stuck',
  text: `update step_operations set state = 'stuck', last_error = $2 where id = $1 and state = 'running'`,
};

const takeMailStatement: Statement = {
  name: 'mail.take',
  text: `select recipient, subject, body_text, attempts from mail_outbox where id = $1 and state = 'queued' for update skip locked`,
};

const settleMailStatement: Statement = {
  name: 'mail.settle',
  text: `update mail_outbox set state = $2, attempts = $3, last_error = $4,
    sent_at = case when $2 = 'sent' then now() end where id = $1`,
};
