import { sql } from '../../../db/drizzle.ts';
import { jobLogs } from '../../../db/schema/jobs.ts';
import { computed, namesOf, pick, statement, typed } from '../../../db/sql.ts';
import type { FeedAppend } from '../../../kernel/durability/unit-of-work.ts';
import { advanceHead } from '../../../kernel/feeds/advance-head.ts';
import type { FeedName } from '../../../kernel/feeds/feeds.ts';
import type { Context } from '../../../kernel/run/context.ts';

/** A line before it has its place. */
export interface LogLine {
  readonly stream: 'stdout' | 'stderr' | 'system';
  readonly message: string;
  readonly at: Date;
}

/** A job that lines are of. */
export interface LoggedJob {
  readonly orgId: string;
  readonly projectId: string;
  readonly id: string;
  readonly attempt: number;
}

/** The feed of what the jobs of a project say. */
export const jobLogFeedName = (orgId: string, projectId: string): FeedName => ({
  orgId,
  kind: 'job_logs',
  feedId: projectId,
});

/** Keeps lines in their order. @returns the position of the last one */
const keepStatement = statement(
  'jobs.keep-lines',
  {
    params: {
      ...pick(jobLogs, 'orgId', 'projectId', 'jobId', 'attempt'),
      lines: typed<string>('json'),
      count: typed<number>('bigint'),
    },
    row: { position: computed<bigint>('bigint', sql`head.position`) },
  },
  ({ orgId, projectId, jobId, attempt, lines, count }, row) => sql`with head as (
      ${advanceHead({ orgId, kind: sql`'job_logs'`, feedId: projectId }, count)}
    ), kept as (
      insert into ${jobLogs} (${namesOf(
        jobLogs.orgId,
        jobLogs.projectId,
        jobLogs.position,
        jobLogs.jobId,
        jobLogs.attempt,
        jobLogs.stream,
        jobLogs.message,
        jobLogs.at,
      )})
      select ${orgId}::uuid, ${projectId}, head.position - ${count} + line.ord, ${jobId}, ${attempt}, line.stream,
        line.message, line.at
      from head cross join rows from (json_to_recordset(${lines}::json) as (
        stream text, message text, at timestamptz
      )) with ordinality as line (stream, message, at, ord)
    )
    select ${row} from head`,
);

const keep = ({ orgId, projectId, id, attempt }: LoggedJob, lines: readonly LogLine[]) =>
  keepStatement.with({ orgId, projectId, jobId: id, attempt, lines: JSON.stringify(lines), count: lines.length });

/** A line of the platform's own that belongs to a change. */
export const systemLine = (job: LoggedJob, message: string, at: Date): FeedAppend => ({
  ...keep(job, [{ stream: 'system', message, at }]),
  name: jobLogFeedName(job.orgId, job.projectId),
});

/** Keeps lines at once. */
export async function keepLines({ services }: Context, job: LoggedJob, lines: readonly LogLine[]): Promise<void> {
  const [kept] = await services.db.rows(keep(job, lines));
  services.feeds.publish(jobLogFeedName(job.orgId, job.projectId), kept!.position);
}
