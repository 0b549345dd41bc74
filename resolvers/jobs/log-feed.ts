import { jobLogs } from '../../db/schema/jobs.ts';
import { pick, type RowOf } from '../../db/sql.ts';
import { lineFeed } from '../../kernel/feeds/line-feed.ts';

export const lineColumns = pick(jobLogs, 'position', 'jobId', 'attempt', 'stream', 'message', 'at', 'createdAt');

/** A line of the log of a job. */
export type JobLine = RowOf<typeof lineColumns>;

/** What the jobs of a project say, in one order. */
export const jobLogFeed = lineFeed({
  table: jobLogs,
  columns: lineColumns,
  kind: 'job_logs',
  cursorPrefix: 'jcr_',
  statementName: 'jobs.slice',
});
