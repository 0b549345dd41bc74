import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { sql } from '../../db/drizzle.ts';
import { jobArtifacts, jobStatuses, managedJobs } from '../../db/schema/jobs.ts';
import { pick, statement, typed } from '../../db/sql.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { itsProject, wholeNumberFrom } from '../../kernel/input/fields.ts';
import { bothWays, type ListPage, listWindow, newestFirst, pageToWire } from '../../kernel/input/list-page.ts';
import type { Services } from '../../kernel/run/context.ts';
import { query } from '../../kernel/run/operation.ts';
import { storing } from '../content/shared/storing.ts';
import { artifactUrl, baseOf, findJob, type Job, JobWire, jobColumns, jobId, jobToWire } from './job-row.ts';
import { jobActions } from './shared/actions.ts';

const access = onNamedOrOwnProject(jobActions['project:jobs:read']);

/** `GET /jobs/v1/runs/:job_id`. Contract 04, section 3.1. */
export const getJob = query({
  name: 'jobs.get',
  tool: 'jobs_get',
  command: 'jobs get',
  summary: 'How a job stands, what it has made and what it has cost.',
  access,
  input: z.object({ project: itsProject, job: jobId }),
  handler: (ctx, { job }): Promise<Job> => findJob(ctx.services.db.rows, ctx, job),
  wire: JobWire,
  toWire: jobToWire,
});

/** `GET /jobs/v1/runs`. */
export const listJobs = query({
  name: 'jobs.list',
  tool: 'jobs_list',
  command: 'jobs list',
  summary: 'The jobs of a project, newest first: those under way, and those that ended in the last 30 days.',
  access,
  input: z.object({
    project: itsProject,
    status: z.enum(jobStatuses).optional().describe('Only jobs of this status.'),
    job_type: z.string().max(128).optional().describe('Only jobs of this type.'),
    ...listWindow,
    limit: wholeNumberFrom(1, 100).default(20).describe('Jobs per page: 20 unless told, at most 100.'),
  }),
  async handler({ services, project }, { status = null, job_type: type = null, ...window }): Promise<ListPage<Job>> {
    const list = newestFirst(services.keys, `jobs:${project.id}`);
    const given = {
      projectId: project.id,
      status,
      type,
      ...list.positionOf(window),
      limit: window.limit + 1,
    };
    return list.pageOf(await services.db.rows(list.statementOf(window, listStatements).with(given)), window);
  },
  wire: z.object({ jobs: z.array(JobWire), has_more: z.boolean(), next_cursor: z.string().nullable() }),
  toWire: (page, ctx) => ({ jobs: page.rows.map(({ row }) => jobToWire(row, ctx)), ...pageToWire(page) }),
});

const listStatements = bothWays(managedJobs, (way) =>
  statement(
    `jobs.list-${way.name}`,
    {
      params: {
        ...pick(managedJobs, 'projectId'),
        status: typed<string | null>('text'),
        type: typed<string | null>('text'),
        ...way.params,
        limit: typed<number>('bigint'),
      },
      row: jobColumns,
    },
    ({ projectId, status, type, limit, ...given }, row) => sql`select ${row} from ${managedJobs}
      where ${managedJobs.projectId} = ${projectId} and ${way.beyond(given)}
        and coalesce(${managedJobs.status} = ${status}::text, true)
        and coalesce(${managedJobs.type} = ${type}::text, true) ${way.order} limit ${limit}`,
  ),
);

/** The bytes of what a job has made. */
export interface ArtifactBytes {
  readonly jobId: string;
  readonly projectId: string;
  readonly filename: string;
  readonly sha256: string;
  readonly size: number;
  readonly contentType: string;
}

/** Bytes that are answered inside of JSON at most; the path answers all of them. */
const inJsonMax = 256 * 1024;

/** `GET /jobs/v1/runs/:job_id/artifacts/:filename`. Contract 04, section 3.1. */
export const downloadArtifact = query({
  name: 'jobs.downloadArtifact',
  tool: 'jobs_download_artifact',
  command: 'jobs artifacts get',
  summary: 'A file that a job has made.',
  access,
  input: z.object({
    project: itsProject,
    job: jobId,
    filename: z.string().min(1).max(256).describe('The file, as the job names it.'),
  }),
  async handler(ctx, { job: id, filename }): Promise<ArtifactBytes> {
    const { db, objects } = ctx.services;
    const job = await findJob(db.rows, ctx, id);
    const [found] = await db.rows(artifactStatement.with({ jobId: job.id, filename }));
    if (found === undefined || (await storing(ctx.services, () => objects.size(found.sha256))) === undefined)
      throw new ServiceError('JOB_ARTIFACT_NOT_FOUND', { details: { job_id: job.id, filename } });
    return { ...found, jobId: job.id, projectId: job.projectId, size: Number(found.size) };
  },
  wire: z
    .object({
      job_id: z.string(),
      filename: z.string(),
      content_type: z.string(),
      sha256: z.string(),
      size_bytes: z.int(),
      url: z.string(),
      content_base64: z
        .string()
        .nullable()
        .describe('The bytes, in base64; null for more than 256 KiB, which the path of REST answers.'),
    })
    .meta({ id: 'JobArtifact' }),
  async toWire({ jobId: job, filename, contentType, sha256, size }, ctx) {
    return {
      job_id: job,
      filename,
      content_type: contentType,
      sha256,
      size_bytes: size,
      url: artifactUrl(baseOf(ctx), job, filename),
      content_base64: size > inJsonMax ? null : (await bytesOf(ctx.services, sha256)).toString('base64'),
    };
  },
});

const bytesOf = (services: Services, sha256: string): Promise<Buffer> =>
  storing(services, async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of await services.objects.read(sha256)) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  });

const artifactStatement = statement(
  'jobs.artifact',
  {
    params: pick(jobArtifacts, 'jobId', 'filename'),
    row: pick(jobArtifacts, 'filename', 'sha256', 'size', 'contentType'),
  },
  ({ jobId: job, filename }, row) => sql`select ${row} from ${jobArtifacts}
    where ${jobArtifacts.jobId} = ${job} and ${jobArtifacts.filename} = ${filename}`,
);
