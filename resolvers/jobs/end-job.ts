import { sql } from '../../db/drizzle.ts';
import { type JobError, type JobStatus, jobArtifacts, managedJobs } from '../../db/schema/jobs.ts';
import { computed, insertInto, pick, type RowOf, setOf, statement } from '../../db/sql.ts';
import type { Work } from '../../kernel/durability/unit-of-work.ts';
import { nameContent } from '../content/shared/named-content.ts';
import { settleHold } from '../ledger/shared/ledger.ts';
import { tellOfEnd } from './callbacks/tell-of-end.ts';
import { type Artifact, absorbedOf, type Job, jobColumns } from './job-row.ts';
import { systemLine } from './shared/log-rows.ts';

/** A job whose row this change has locked, with how long its attempt has taken. */
export const lockedColumns = {
  ...jobColumns,
  ...pick(managedJobs, 'callbackUrl'),
  elapsedMs: computed<bigint | null>(
    'bigint',
    sql`case when ${managedJobs.status} = 'running'
      then (extract(epoch from clock_timestamp() - ${managedJobs.attemptStartedAt}) * 1000)::bigint end`,
  ),
};

export type LockedJob = RowOf<typeof lockedColumns>;

/** How a job ends. */
export interface JobEnd {
  readonly status: Extract<JobStatus, 'completed' | 'failed' | 'cancelled'>;
  readonly error?: JobError | undefined;
  /** `full`: the whole price; `used`: what its seconds cost; `nothing`: the platform is to blame, or nothing was begun. */
  readonly charge: 'full' | 'used' | 'nothing';
  /** Content of the project. */
  readonly artifacts?: readonly Artifact[] | undefined;
}

/**
 * Ends a job in the transaction that has locked its row, and the row of its project where it has artifacts: settles what was
 * held for it, and has its callback told. What it has cost beyond its cap the platform bears.
 */
export async function endJob(work: Work, job: LockedJob, end: JobEnd): Promise<Job> {
  const { id, orgId, projectId, cap } = job;
  const wallMs = job.elapsedMs;
  const rawCost = costOf(job, end.charge);
  const cost = least(rawCost, cap);
  if (cap > 0n) {
    const reference = { type: 'job', id };
    const metadata = { project_id: projectId, job_type: job.type };
    await settleHold(work, { orgId, reference, kind: 'job', captured: cost, metadata });
  }
  await keepArtifacts(work, job, end.artifacts ?? []);
  const [ended] = await work.rows(
    endStatement.with({
      id,
      status: end.status,
      error: end.error === undefined ? null : JSON.stringify(end.error),
      wallMs,
      cost,
      rawCost,
      billing: cost > 0n ? 'captured' : 'released',
    }),
  );
  await tellOfEnd(work, ended!, job.callbackUrl);
  work.append(systemLine(job, wordsOf(ended!), work.services.now()));
  return ended!;
}

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/** What a job has cost, in micro-dollars; a part of one counts as one. */
function costOf({ perJob, perSecond, elapsedMs }: LockedJob, charge: JobEnd['charge']): bigint {
  if (charge === 'nothing') return 0n;
  const used = (perSecond * (elapsedMs ?? 0n) + 999n) / 1_000n;
  return charge === 'full' ? perJob + used : used;
}

function wordsOf(job: Job): string {
  const absorbed = absorbedOf(job) ?? 0n;
  const paid = `${job.cost ?? 0n} micro-dollars were charged${absorbed > 0n ? `, ${absorbed} more the platform bears` : ''}.`;
  if (job.status === 'completed') return `The job has completed; ${paid}`;
  if (job.status === 'cancelled') return `The job was cancelled; ${paid}`;
  return `The job has failed: ${job.error?.code ?? ''}; ${paid}`;
}

async function keepArtifacts(work: Work, job: LockedJob, artifacts: readonly Artifact[]): Promise<void> {
  const { id: jobId, orgId, projectId } = job;
  await nameContent(work.rows, { orgId, projectId }, artifacts);
  for (const { filename, sha256, size, content_type: contentType } of artifacts)
    await work.rows(
      insertArtifact.with({ jobId, filename, orgId, projectId, sha256, size: BigInt(size), contentType }),
    );
}

const insertArtifact = statement(
  'jobs.insert-artifact',
  {
    params: pick(jobArtifacts, 'jobId', 'filename', 'orgId', 'projectId', 'sha256', 'size', 'contentType'),
  },
  (given) => insertInto(jobArtifacts, given),
);

const endStatement = statement(
  'jobs.end',
  { params: pick(managedJobs, 'id', 'status', 'error', 'wallMs', 'cost', 'rawCost', 'billing'), row: jobColumns },
  ({ id, error, ...given }, row) =>
    sql`update ${managedJobs} ${setOf(managedJobs, {
      ...given,
      error: sql`${error}::jsonb`,
      completedAt: sql`now()`,
      updatedAt: sql`now()`,
      dueAt: sql`null`,
      lease: sql`null`,
    })} where ${managedJobs.id} = ${id} returning ${row}`,
);
