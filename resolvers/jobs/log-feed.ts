import { sql } from '../../db/drizzle.ts';
import { jobLogs } from '../../db/schema/jobs.ts';
import { feedHeads } from '../../db/schema/rooms.ts';
import { computed, orNull, pick, type RowOf, statement, typed } from '../../db/sql.ts';
import type { Feed } from '../../kernel/feeds/feeds.ts';
import { jobLogFeedName } from './shared/log-rows.ts';

export const lineColumns = pick(jobLogs, 'position', 'jobId', 'attempt', 'stream', 'message', 'at', 'createdAt');

/** A line of the log of a job. */
export type JobLine = RowOf<typeof lineColumns>;

/** What a row takes in memory besides its text; bytes, roughly. */
const rowBytes = 512;

/** What the jobs of a project say, in one order. */
export const jobLogFeed = (orgId: string, projectId: string): Feed<JobLine> => ({
  name: jobLogFeedName(orgId, projectId),
  cursorPrefix: 'jcr_',
  positionOf: ({ position }) => position,
  sizeOf: ({ message }) => rowBytes + 2 * message.length,
  fetch: async (db, after, limit) => {
    const rows = await db.rows(sliceStatement.with({ orgId, projectId, after, limit }));
    return {
      head: rows[0]?.head ?? 0n,
      floor: rows[0]?.floor ?? 0n,
      rows: rows.filter(({ position }) => position !== null) as unknown as readonly JobLine[],
    };
  },
});

const ofProject = sql`${jobLogs.orgId} = ${feedHeads.orgId} and ${jobLogs.projectId} = ${feedHeads.feedId}`;

const sliceStatement = statement(
  'jobs.slice',
  {
    timeoutMs: 3_000,
    params: {
      ...pick(jobLogs, 'orgId', 'projectId'),
      after: typed<bigint>('bigint'),
      limit: typed<number>('bigint'),
    },
    row: {
      head: feedHeads.position,
      // Lines go by age, so by position from the first.
      floor: computed<bigint>(
        'bigint',
        sql`coalesce((select min(${jobLogs.position}) - 1 from ${jobLogs} where ${ofProject}), ${feedHeads.position})`,
      ),
      ...orNull(lineColumns),
    },
  },
  ({ orgId, projectId, after, limit }, row) => sql`select ${row}
    from ${feedHeads}
    left join lateral (
      select ${jobLogs}.* from ${jobLogs}
      where ${jobLogs.orgId} = ${orgId} and ${jobLogs.projectId} = ${projectId}
        and ${jobLogs.position} > ${after}
      order by ${jobLogs.position} limit ${limit}
    ) ${jobLogs} on true
    where ${feedHeads.orgId} = ${orgId} and ${feedHeads.kind} = 'job_logs' and ${feedHeads.feedId} = ${projectId}
    order by ${jobLogs.position}`,
);
