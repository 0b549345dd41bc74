import { z } from 'zod';
import { sql } from '../../db/drizzle.ts';
import { jobLogStreams, jobLogs } from '../../db/schema/jobs.ts';
import { pick, statement, typed } from '../../db/sql.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { type Opened, openFeed } from '../../kernel/feeds/open-feed.ts';
import { cursor, itsProject, wholeNumberFrom } from '../../kernel/input/fields.ts';
import { since } from '../../kernel/input/since.ts';
import { query } from '../../kernel/run/operation.ts';
import { findJob, jobId } from './job-row.ts';
import { type JobLine, jobLogFeed, lineColumns } from './log-feed.ts';
import { jobActions } from './shared/actions.ts';

const access = onNamedOrOwnProject(jobActions['project:jobs:read']);

/** A moment in digits may come as a number, too. */
const sinceText = z.preprocess((given) => (typeof given === 'number' ? String(given) : given), since);

const lineWire = z
  .object({
    timestamp: z.iso.datetime(),
    message: z.string(),
    log_stream_name: z.string().describe('Its attempt and what it is of, such as `1/stdout`.'),
    event_id: z.string().describe('Tells lines apart; later ones have higher numbers.'),
    ingestion_time: z.iso.datetime(),
    stream: z.enum(jobLogStreams).describe('`system`: the platform says it.'),
  })
  .meta({ id: 'JobLogLine' });

export const logStreamOf = ({ attempt, stream }: Pick<JobLine, 'attempt' | 'stream'>): string => `${attempt}/${stream}`;

/** `GET /jobs/v1/runs/:job_id/logs`. Contract 04, section 3.1. */
export const getJobLogs = query({
  name: 'jobs.logs',
  tool: 'jobs_logs',
  command: 'jobs logs',
  summary: 'What a job has said in the last 14 days, oldest first.',
  access,
  input: z.object({
    project: itsProject,
    job: jobId,
    tail: wholeNumberFrom(1, 1_000).default(100).describe('How many lines, the newest: 100 unless told, at most 1000.'),
    since: sinceText
      .optional()
      .describe('Only lines from then on: milliseconds since 1970, or ISO 8601 with a zone.')
      .meta({ examples: ['2026-03-06T00:00:00Z'] }),
  }),
  async handler(ctx, { job: id, tail, since: from = null }) {
    const { services, org, project } = ctx;
    const job = await findJob(services.db.rows, ctx, id);
    const given = { orgId: org.id, projectId: project.id, jobId: job.id, tail, since: from };
    return services.db.rows(tailStatement.with(given));
  },
  wire: z.object({ logs: z.array(lineWire) }),
  toWire: (lines) => ({
    logs: lines.map((line) => ({
      timestamp: line.at.toISOString(),
      message: line.message,
      log_stream_name: logStreamOf(line),
      event_id: String(line.position),
      ingestion_time: line.createdAt.toISOString(),
      stream: line.stream,
    })),
  }),
});

export interface OpenedJobLogs extends Opened<JobLine> {
  readonly jobId: string;
  readonly projectId: string;
}

/** What a subscription begins with: the right to read the lines, and where they begin. */
export const openJobLogs = query({
  name: 'jobs.openLogs',
  command: 'jobs logs --follow',
  sdk: 'follow',
  follows: ['jobLogs'],
  summary: 'Begin to follow what a job says.',
  access,
  input: z.object({
    project: itsProject,
    job: jobId,
    tail: wholeNumberFrom(0, 1_000)
      .default(100)
      .describe('With how many of the newest lines it begins without a cursor: 100 unless told, at most 1000.'),
    cursor: cursor.optional(),
  }),
  async handler(ctx, { job: id, tail, cursor: after }): Promise<OpenedJobLogs> {
    const { services, org, project } = ctx;
    const job = await findJob(services.db.rows, ctx, id);
    const opened = await openFeed(services, jobLogFeed(org.id, project.id), after);
    const asked = { ...opened, jobId: job.id, projectId: project.id };
    if (after !== undefined) return asked;
    if (tail === 0) return { ...asked, position: opened.head };
    const given = { orgId: org.id, projectId: project.id, jobId: job.id, skipped: tail };
    const [before] = await services.db.rows(beforeTailStatement.with(given));
    return { ...asked, position: before?.position ?? opened.position };
  },
  wire: z.object({ reset: z.boolean() }),
  toWire: ({ reset }) => ({ reset }),
});

const tailStatement = statement(
  'jobs.tail',
  {
    params: {
      ...pick(jobLogs, 'orgId', 'projectId', 'jobId'),
      tail: typed<number>('bigint'),
      since: typed<Date | null>('timestamp with time zone'),
    },
    row: lineColumns,
  },
  ({ orgId, projectId, jobId: job, tail, since: from }, row) => sql`select ${row} from (select * from ${jobLogs}
      where ${jobLogs.orgId} = ${orgId} and ${jobLogs.projectId} = ${projectId} and ${jobLogs.jobId} = ${job}
        and (${from}::timestamptz is null or ${jobLogs.at} >= ${from})
      order by ${jobLogs.position} desc limit ${tail}) as ${jobLogs}
    order by ${jobLogs.position}`,
);

/** The line behind which so many of the newest ones come. */
const beforeTailStatement = statement(
  'jobs.before-tail',
  {
    params: { ...pick(jobLogs, 'orgId', 'projectId', 'jobId'), skipped: typed<number>('bigint') },
    row: pick(jobLogs, 'position'),
  },
  ({ orgId, projectId, jobId: job, skipped }, row) => sql`select ${row} from ${jobLogs}
    where ${jobLogs.orgId} = ${orgId} and ${jobLogs.projectId} = ${projectId} and ${jobLogs.jobId} = ${job}
    order by ${jobLogs.position} desc offset ${skipped} limit 1`,
);
