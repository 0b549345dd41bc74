import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type JobHelpers,
  Logger as JobLogger,
  type Runner,
  runMigrations,
  run as runQueue,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker';
import pg from 'pg';
import type { Logger } from 'pino';
import { safeMessage } from '../core/safe-message.ts';
import { newTraceId, traced } from '../core/tracing.ts';
import { withClient } from '../db/with-client.ts';
import type { Mailer } from '../engines/mail/mailer.ts';
import type { Context, Services } from '../kernel/run/context.ts';
import type { Job } from '../kernel/run/domain.ts';
import type { AnyOperation } from '../kernel/run/operation.ts';
import type { TaskContext } from '../kernel/run/task.ts';
import { domains } from '../resolvers/index.ts';
import { housekeepingTask, keepHouse } from './housekeeping.ts';
import type { Metrics } from './metrics.ts';

/** Every job there is: those of the domains, and housekeeping, which goes over all of them. */
const jobs: readonly Job[] = [
  ...domains.flatMap((one) => one.jobs ?? []),
  { task: housekeepingTask, run: keepHouse, everyMinutes: 10 },
];

/** What runs when workers start, and every so many minutes. */
const regularJobs = jobs.filter(({ everyMinutes }) => everyMinutes !== undefined);
const crontab = regularJobs
  .map(({ task, everyMinutes }) => `*/${everyMinutes} * * * * ${task} ?jobKey=${task}&max=3`)
  .join('\n');
/** How long running jobs may take to end when the server stops, in milliseconds; then other nodes get them. */
const stopMs = 3_000;
/** How long the ends of the last jobs may take to be written, in milliseconds. */
const writeEndsMs = 1_000;
/** How long giving them back may take, in milliseconds. */
const giveBackMs = 500;
/** Session lock under which the tables of the job queue are made. */
const jobsLock = 7_306_003;

/**
 * Makes the tables and functions of the job queue. Needed before the port opens, since changes enqueue their follow-up
 * work in their own transaction. Nodes that start together wait for each other.
 */
export function installJobs(url: string): Promise<void> {
  return withClient(
    url,
    async (client) => {
      await client.query('select pg_advisory_lock($1)', [jobsLock]);
      await runMigrations({ connectionString: url, maxPoolSize: 1, logger: silent });
    },
    { name: 'jobs' },
  );
}

const unlockText = 'select graphile_worker.force_unlock_workers($1)';

const silent = new JobLogger(() => () => {});

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
  // A connection may break in the pool or in use; its user learns by its statement.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const taskList = tasksOf(options);
  const stopping = new AbortController();
  let current: Running;
  let workerIds: string[] = [];

  const start = async (): Promise<Running> => {
    // Locks of a runner that broke down would outlive it by hours.
    if (workerIds.length > 0) await pool.query(unlockText, [workerIds]);
    for (const { task } of regularJobs) {
      await pool.query(`select graphile_worker.add_job($1, job_key => $1, max_attempts => 3)`, [task]);
    }
    workerIds = [];
    const events = new EventEmitter() as WorkerEvents;
    events.on('pool:create', ({ workerPool }) => void workerIds.push(workerPool.id));
    const idle = whenIdle(events);
    const runner = await runQueue({
      pgPool: pool,
      taskList,
      crontab,
      concurrency,
      events,
      schema: 'graphile_worker',
      noHandleSignals: true,
      pollInterval: pollMs,
      gracefulShutdownAbortTimeout: stopMs / 2,
      // Without a delay these writes are not awaited, and their failure in an outage would end the process; with one it ends
      // the workers, which are begun again.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      logger: bridge(log),
    });
    const ended = runner.promise.catch(() => undefined);
    return { runner, ended: Promise.race([ended, idle]) };
  };

  /** The library gives up when it cannot write to the database; the gateway does not. */
  async function supervise(): Promise<void> {
    while (!stopping.signal.aborted) {
      await current.ended;
      // The clock of workers that ended without the library's word goes on otherwise.
      await end(current);
      let pause = 500;
      let again = false;
      while (!stopping.signal.aborted && !again) {
        await sleep(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
        if (stopping.signal.aborted) return;
        try {
          current = await start();
          again = true;
          // Who stopped meanwhile knew the one before.
          if (stopping.signal.aborted) await end(current);
          else log.warn('Background workers had stopped and run again.');
        } catch (error) {
          log.warn({ err: error }, 'Background workers cannot be started; trying again.');
          pause = Math.min(pause * 2, 5_000);
        }
      }
    }
  }

  try {
    current = await start();
  } catch (error) {
    await pool.end();
    throw error;
  }
  const supervision = supervise();

  /** Of a connection that has just broken the pool may not know yet. */
  async function giveBack(): Promise<void> {
    for (const late = performance.now() + giveBackMs; performance.now() < late; ) {
      try {
        await pool.query(unlockText, [workerIds]);
        return;
      } catch {
        await sleep(giveBackMs / 10, undefined, { ref: false });
      }
    }
  }

  const stop = async () => {
    stopping.abort();
    // One that is being started may wait for the database.
    const drained = Promise.all([end(current), supervision]);
    if ((await Promise.race([drained, sleep(stopMs, 'late', { ref: false })])) === 'late')
      log.warn('Background jobs did not end in time and go back to the queue.');
    // Also those that have ended, where that could not be written.
    await Promise.race([giveBack(), sleep(giveBackMs, undefined, { ref: false })]);
    await Promise.race([pool.end(), sleep(giveBackMs, undefined, { ref: false })]);
  };
  let stopped: Promise<void> | undefined;
  return { stop: () => (stopped ??= stop()) };
}

/** The library's workers, and when they have ended by themselves or because they were stopped. */
interface Running {
  readonly runner: Runner;
  readonly ended: Promise<unknown>;
}

async function end({ runner, ended }: Running): Promise<void> {
  // What has stopped already says so by a rejection.
  runner.stop().catch(() => undefined);
  await ended;
}

/**
 * When all jobs have ended and some time has passed, in which their ends are written. The library's own word does not come
 * where one end could not be written and a later one could: it counts those that are under way too low then, and waits
 * for none for ever (graphile/worker#636 is the retry that is missing there).
 */
async function whenIdle(events: WorkerEvents): Promise<void> {
  await new Promise<void>((resolve) => {
    events.once('pool:gracefulShutdown:complete', () => resolve());
    events.once('pool:forcefulShutdown:complete', () => resolve());
    events.once('pool:forcefulShutdown:error', () => resolve());
  });
  await sleep(writeEndsMs, undefined, { ref: false });
}

/** The queue's own records are for debugging; failed jobs are logged by {@link tasksOf}. */
function bridge(log: Logger): JobLogger {
  return new JobLogger((scope) => (level, message) => {
    log.debug({ worker: { ...scope, level } }, safeMessage(message));
  });
}

/** Tasks as the library runs them: each with a context, counted, traced, and with a failure that may be stored. */
function tasksOf(options: WorkersOptions): TaskList {
  const { services, mailer, operations, log, metrics } = options;
  const list: TaskList = {};
  for (const { task: name, run } of jobs) {
    list[name] = async (payload: unknown, helpers: JobHelpers) => {
      let traceId: string | undefined;
      try {
        await traced(`job ${name}`, {}, () => {
          const ctx = jobContext(services, helpers.abortSignal);
          ({ traceId } = ctx.request);
          return run({ ctx, mailer, operations, log, addJob: addJobBy(helpers) }, payload);
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

const addJobBy =
  (helpers: JobHelpers): TaskContext['addJob'] =>
  async (task, payload, { key, runAt }) => {
    await helpers.addJob(task, payload, { jobKey: key, runAt });
  };

/** Background work acts for the installation itself. */
export function jobContext(services: Services, signal: AbortSignal): Context {
  return {
    services,
    request: {
      traceId: newTraceId(),
      address: 'worker',
      // No client reads the answer of background work, but an operation may put addresses into it.
      baseUrl: services.settings.publicBaseUrl ?? 'http://localhost',
      idempotencyKey: undefined,
      writeApproval: undefined,
    },
    caller: async () => ({ kind: 'admin' }),
    credentials: {},
    chargeAddress: () => undefined,
    signal,
  };
}
