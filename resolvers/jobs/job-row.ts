import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { jobArtifacts, jobStatuses, managedJobs } from '../../db/schema/jobs.ts';
import { allOf, computed, pick, type RowOf, statement } from '../../db/sql.ts';
import type { Rows } from '../../db/statement.ts';
import type { ProjectScope } from '../../kernel/access/access.ts';
import type { Context } from '../../kernel/run/context.ts';

/** The project of an operation here: each one may leave it to its credential. */
/** Any text may be the id of a job that there is none of. */
export const jobId = z.string().min(1).max(256).describe('The job, `job_…`.');

/** A file that a job has made. */
export interface Artifact {
  readonly filename: string;
  readonly sha256: string;
  readonly size: number;
  readonly content_type: string;
}

const artifactsOf = sql`(select json_agg(json_build_object('filename', ${jobArtifacts.filename},
    'sha256', ${jobArtifacts.sha256}, 'size', ${jobArtifacts.size}, 'content_type', ${jobArtifacts.contentType})
    order by ${jobArtifacts.filename})
  from ${jobArtifacts} where ${jobArtifacts.jobId} = ${managedJobs.id})`;

/** A job without what it was given, and without whom it tells: no answer shows that. */
export const jobColumns = {
  ...allOf(managedJobs, ['input', 'intent', 'idempotencyKey', 'callbackUrl', 'lease']),
  artifacts: computed<readonly Artifact[] | null>('json', artifactsOf),
};

export type Job = RowOf<typeof jobColumns>;

const artifactWire = z.object({
  url: z.string(),
  content_type: z.string(),
  sha256: z.string(),
  size_bytes: z.int(),
});

/** Contract 04, section 3.1. */
export const JobWire = z
  .object({
    job_id: z.string(),
    project_id: z.string(),
    job_type: z.string(),
    status: z.enum(jobStatuses),
    max_cost_usd_micros: z.int(),
    created_at: z.iso.datetime(),
    started_at: z.iso.datetime().optional(),
    completed_at: z.iso.datetime().optional(),
    artifacts: z.record(z.string(), artifactWire).optional().describe('By the names of the files; once it has ended.'),
    metadata: z.object({
      wall_seconds: z.number().optional(),
      cost_usd_micros: z.int().optional().describe('What was taken from the balance.'),
      raw_cost_usd_micros: z.int().optional().describe('What it would have cost without its cap.'),
      absorbed_overage_usd_micros: z.int().optional().describe('What the platform bears of that.'),
      interrupt_count: z.int(),
      attempt_count: z.int(),
      billing_status: z.string().describe('`held`, then `captured` or `released`.'),
    }),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'Job' });

export const isOver = ({ status }: Pick<Job, 'status'>): boolean => status !== 'queued' && status !== 'running';

const whole = (amount: bigint | null): number | undefined => (amount === null ? undefined : Number(amount));

/** What a job cost beyond its cap. */
export const absorbedOf = ({ rawCost, cost }: Pick<Job, 'rawCost' | 'cost'>): bigint | null =>
  rawCost === null || cost === null ? null : rawCost - cost;

/** Where the bytes of an artifact are had. @param base where clients reach the gateway */
export const artifactUrl = (base: string, job: string, filename: string): string =>
  `${base}/jobs/v1/runs/${job}/artifacts/${encodeURIComponent(filename)}`;

/** What a job has made, by the names of the files. */
export const artifactsToWire = (base: string, { id, artifacts }: Pick<Job, 'id' | 'artifacts'>) =>
  Object.fromEntries(
    (artifacts ?? []).map(({ filename, sha256, size, content_type }) => [
      filename,
      { url: artifactUrl(base, id, filename), content_type, sha256, size_bytes: size },
    ]),
  );

/** Where clients reach the gateway. */
export const baseOf = ({ services, request }: Pick<Context, 'services' | 'request'>): string =>
  services.settings.publicBaseUrl ?? request.baseUrl;

export const jobToWire = (job: Job, ctx: Pick<Context, 'services' | 'request'>): z.output<typeof JobWire> => ({
  job_id: job.id,
  project_id: job.projectId,
  job_type: job.type,
  status: job.status,
  max_cost_usd_micros: Number(job.cap),
  created_at: job.createdAt.toISOString(),
  ...(job.startedAt === null ? {} : { started_at: job.startedAt.toISOString() }),
  ...(job.completedAt === null ? {} : { completed_at: job.completedAt.toISOString() }),
  ...(isOver(job) ? { artifacts: artifactsToWire(baseOf(ctx), job) } : {}),
  metadata: {
    ...(job.wallMs === null ? {} : { wall_seconds: Number(job.wallMs) / 1_000 }),
    ...(job.cost === null
      ? {}
      : {
          cost_usd_micros: whole(job.cost),
          raw_cost_usd_micros: whole(job.rawCost),
          absorbed_overage_usd_micros: whole(absorbedOf(job)),
        }),
    interrupt_count: job.interrupts,
    attempt_count: job.attempt,
    billing_status: job.billing,
  },
  ...(job.error === null ? {} : { error: { ...job.error } }),
});

export const noSuchJob = (id: string) => new ServiceError('JOB_NOT_FOUND', { details: { job_id: id } });

/** A job of the project. @throws JOB_NOT_FOUND, for another project's too */
export async function findJob(rows: Rows, { org, project }: ProjectScope, id: string): Promise<Job> {
  const [found] = await rows(findStatement.with({ orgId: org.id, projectId: project.id, id }));
  if (found === undefined) throw noSuchJob(id);
  return found;
}

const findStatement = statement(
  'jobs.find',
  { params: pick(managedJobs, 'orgId', 'projectId', 'id'), row: jobColumns },
  ({ orgId, projectId: project, id }, row) => sql`select ${row} from ${managedJobs}
    where ${managedJobs.id} = ${id} and ${managedJobs.orgId} = ${orgId} and ${managedJobs.projectId} = ${project}`,
);
