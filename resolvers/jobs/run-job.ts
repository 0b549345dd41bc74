import { ServiceError } from '../../core/errors.ts';
import { safeMessage } from '../../core/safe-message.ts';
import { sql } from '../../db/drizzle.ts';
import { managedJobs } from '../../db/schema/jobs.ts';
import { pick, type RowOf, setOf, statement, typed } from '../../db/sql.ts';
import { findProjectTarget, type ProjectTarget } from '../../kernel/access/project-target.ts';
import type { LeasedItem } from '../../kernel/durability/leased-statements.ts';
import { unitOfWork, type Work } from '../../kernel/durability/unit-of-work.ts';
import type { Context } from '../../kernel/run/context.ts';
import { holdBytes } from '../content/shared/hold-bytes.ts';
import { lockProject } from '../projects/shared/lock-project.ts';
import { endJob, type JobEnd, lockedColumns } from './end-job.ts';
import { JobLog } from './job-log.ts';
import type { Artifact } from './job-row.ts';
import { systemLine } from './shared/log-rows.ts';
import { findType } from './types/find-type.ts';
import { JobFailure, type JobType, jobError, type MadeFile } from './types/job-type.ts';
import { wakeJobs } from './wake.ts';

/** Attempts of a job that the platform interrupts, and the pause between them in seconds. */
const attemptsMax = 3;
const pauseSeconds = 5;

/** A job in the hands of this node. */
interface Taken {
  readonly ctx: Context;
  readonly item: LeasedItem;
  readonly job: TakenJob;
}

/**
 * Does a job that this node holds, or ends one that a vanished node has left. Each write names the lease, so that a node
 * that was taken over changes nothing. Contract 04, section 3.1.
 */
export async function runJob(ctx: Context, item: LeasedItem): Promise<void> {
  const { rows } = ctx.services.db;
  const [job] = await rows(takenStatement.with({ id: item.id, lease: item.lease }));
  if (job === undefined) return;
  const taken: Taken = { ctx, item, job };
  const type = await findType(rows, job.type);
  if (type === undefined) return end(taken, failed('JOB_TYPE_GONE', 'The type of the job was removed.'));
  if (job.status === 'running' && !(type.repeatable && job.attempt < attemptsMax))
    return end(taken, failed('JOB_NODE_LOST', 'The node that ran the job did not tell of its end.'));
  const begun = await begin(taken);
  if (begun === undefined) return;
  await attempt({ ...taken, job: begun }, type);
}

/** The platform is to blame, so nothing is charged. */
const failed = (code: string, message: string): JobEnd => ({
  status: 'failed',
  error: jobError(code, message),
  charge: 'nothing',
});

/** @returns undefined when the job was lost meanwhile */
async function begin({ ctx, item, job }: Taken): Promise<TakenJob | undefined> {
  const isAgain = job.status === 'running';
  return unitOfWork(ctx, async (work) => {
    const [begun] = await work.rows(
      beginStatement.with({ id: item.id, lease: item.lease, interrupted: isAgain ? 1 : 0 }),
    );
    if (begun === undefined) return undefined;
    const message = isAgain ? 'The node that ran the job was lost: it begins again.' : 'The job begins.';
    work.append(systemLine(begun, `${message} Attempt ${begun.attempt}.`, work.services.now()));
    return begun;
  });
}

/** Why an attempt has to end before its work does. */
type Limit = 'time' | 'cap';

async function attempt(taken: Taken, type: JobType): Promise<void> {
  const { ctx, job } = taken;
  const log = new JobLog(ctx, job);
  const { mostMs, limit } = boundOf(job, type);
  const bound = AbortSignal.timeout(mostMs);
  const signal = AbortSignal.any([ctx.signal, bound]);
  const artifacts: Artifact[] = [];
  try {
    const target = await findProjectTarget(ctx.services, job.projectId);
    const running = {
      ctx: { ...ctx, signal },
      id: job.id,
      target,
      attempt: job.attempt,
      mostMs,
      signal,
      log: (message: string, stream?: 'stdout' | 'stderr') => log.add(message, stream),
      keep: async (file: MadeFile) => void artifacts.push(await keepFile(ctx, target, file)),
    };
    await orAborted(type.run(running, job.input), signal);
    await log.close();
    await end(taken, { status: 'completed', charge: 'full', artifacts });
  } catch (error) {
    await log.close();
    if (ctx.signal.aborted) return putBack(taken, type);
    await end(taken, bound.aborted ? outOfBounds(limit, type, job) : endOfError(taken, type, error, artifacts));
  }
}

/** How long an attempt may take: as its type says, and as its cap pays for. */
function boundOf({ cap, perJob, perSecond }: TakenJob, { maxSeconds }: JobType): { mostMs: number; limit: Limit } {
  const mostMs = maxSeconds * 1_000;
  if (perSecond === 0n) return { mostMs, limit: 'time' };
  const paidMs = Number(((cap - perJob) * 1_000n) / perSecond);
  return paidMs < mostMs ? { mostMs: Math.max(paidMs, 1), limit: 'cap' } : { mostMs, limit: 'time' };
}

const outOfBounds = (limit: Limit, { maxSeconds }: JobType, { cap }: TakenJob): JobEnd => ({
  status: 'failed',
  charge: 'used',
  error:
    limit === 'time'
      ? jobError('JOB_TIMED_OUT', `The job took longer than ${maxSeconds} seconds.`)
      : jobError('JOB_COST_CAP_REACHED', `The job has used up its cap of ${cap} micro-dollars.`),
});

/** The work itself, or its end by a signal: work that does not heed that is not waited for. */
function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

async function keepFile(
  ctx: Context,
  target: ProjectTarget,
  { filename, contentType, bytes }: MadeFile,
): Promise<Artifact> {
  const scope = {
    org: { id: target.orgId, tier: target.tier, limitOverrides: target.limitOverrides },
    project: { id: target.projectId },
  };
  const { sha256, size } = await holdBytes(ctx, scope, bytes);
  return { filename, sha256, size, content_type: contentType };
}

/** What an error of its work means for a job. Undefined: it is tried again. */
function endOfError(
  { ctx, job }: Taken,
  type: JobType,
  error: unknown,
  artifacts: readonly Artifact[],
): JobEnd | undefined {
  const mayRepeat = type.repeatable && job.attempt < attemptsMax;
  if (error instanceof JobFailure)
    return { status: 'failed', charge: 'used', error: jobError(error.code, error.message), artifacts };
  if (error instanceof ServiceError) {
    const { code, message, row } = error;
    if (row.retryable && mayRepeat) return undefined;
    return { status: 'failed', charge: row.retryable ? 'nothing' : 'used', error: jobError(code, message) };
  }
  ctx.services.log.warn({ job_id: job.id, error: safeMessage(error) }, 'A job could not be done.');
  return mayRepeat ? undefined : failed('JOB_PLATFORM_ERROR', 'The platform could not do the job.');
}

/** Writes how a job has ended. @param ended undefined: it is tried again after a pause */
async function end({ ctx, item, job }: Taken, ended: JobEnd | undefined): Promise<void> {
  await unitOfWork(ctx, async (work) => {
    if (ended === undefined) return again(work, { item, job }, { counted: 1, seconds: pauseSeconds * job.attempt });
    // In the order of every change of a project: its row, its job, its organization's balance.
    if ((ended.artifacts?.length ?? 0) > 0 && (await lockProject(work, job.projectId)) === undefined) return;
    const [locked] = await work.rows(lockStatement.with({ id: item.id, lease: item.lease }));
    if (locked !== undefined) await endJob(work, locked, ended);
  });
}

/** The node stops, or the job was lost: it waits for another node, and this attempt does not count. */
async function putBack(taken: Taken, type: JobType): Promise<void> {
  if (!type.repeatable) return end(taken, failed('JOB_INTERRUPTED', 'The node that ran the job was stopped.'));
  await unitOfWork(taken.ctx, (work) => again(work, taken, { counted: 0, seconds: 0 }));
}

async function again(
  work: Work,
  { item, job }: Pick<Taken, 'item' | 'job'>,
  { counted, seconds }: { readonly counted: number; readonly seconds: number },
): Promise<void> {
  const [put] = await work.rows(againStatement.with({ id: item.id, lease: item.lease, counted, seconds }));
  if (put === undefined) return;
  work.append(systemLine(job, 'The attempt was interrupted: the job waits for another one.', work.services.now()));
  await wakeJobs(work, item.id, put.dueAt!);
}

const held = pick(managedJobs, 'id', 'lease');

const takenColumns = pick(
  managedJobs,
  'id',
  'orgId',
  'projectId',
  'type',
  'input',
  'status',
  'attempt',
  'cap',
  'perJob',
  'perSecond',
);

type TakenJob = RowOf<typeof takenColumns>;

const takenStatement = statement(
  'jobs.taken',
  { params: held, row: takenColumns },
  ({ id, lease }, row) => sql`select ${row} from ${managedJobs}
    where ${managedJobs.id} = ${id} and ${managedJobs.lease} = ${lease}`,
);

const lockStatement = statement(
  'jobs.lock-held',
  { params: held, row: lockedColumns },
  ({ id, lease }, row) => sql`select ${row} from ${managedJobs}
    where ${managedJobs.id} = ${id} and ${managedJobs.lease} = ${lease} for update`,
);

const beginStatement = statement(
  'jobs.begin',
  { params: { ...held, interrupted: typed<number>('integer') }, row: takenColumns },
  ({ id, lease, interrupted }, row) =>
    sql`update ${managedJobs} ${setOf(managedJobs, {
      status: sql`'running'`,
      attempt: sql`${managedJobs.attempt} + 1`,
      interrupts: sql`${managedJobs.interrupts} + ${interrupted}::int`,
      startedAt: sql`coalesce(${managedJobs.startedAt}, now())`,
      attemptStartedAt: sql`now()`,
      updatedAt: sql`now()`,
    })} where ${managedJobs.id} = ${id} and ${managedJobs.lease} = ${lease} returning ${row}`,
);

const againStatement = statement(
  'jobs.again',
  {
    params: { ...held, counted: typed<number>('integer'), seconds: typed<number>('double precision') },
    row: pick(managedJobs, 'dueAt'),
  },
  ({ id, lease, counted, seconds }, row) =>
    sql`update ${managedJobs} ${setOf(managedJobs, {
      status: sql`'queued'`,
      attempt: sql`${managedJobs.attempt} - 1 + ${counted}::int`,
      interrupts: sql`${managedJobs.interrupts} + 1`,
      attemptStartedAt: sql`null`,
      dueAt: sql`now() + make_interval(secs => ${seconds})`,
      lease: sql`null`,
      updatedAt: sql`now()`,
    })} where ${managedJobs.id} = ${id} and ${managedJobs.lease} = ${lease} returning ${row}`,
);
