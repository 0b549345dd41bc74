import type { z } from 'zod';
import { notAuthorized } from '../kernel/access/access.ts';
import { projectAuthority } from '../kernel/access/authority.ts';
import { type Feed, feedCursor, feedKey } from '../kernel/feeds/feeds.ts';
import type { Context } from '../kernel/run/context.ts';
import { execute } from '../kernel/run/execute.ts';
import { openJobLogs } from '../resolvers/jobs/get-job-logs.ts';
import type { JobLine } from '../resolvers/jobs/log-feed.ts';
import { jobActions } from '../resolvers/jobs/shared/actions.ts';
import { FeedSource } from './feed-source.ts';

export interface FollowJobLogsOptions extends Omit<z.input<typeof openJobLogs.input>, 'cursor'> {
  /** Cursor to resume from, in place of `tail`. */
  readonly after?: string | undefined;
  /** Ends after so many lines. @default never */
  readonly first?: number | undefined;
}

/** A line of the log of a job, with the cursor to resume after it. */
export interface JobLineArrived {
  readonly cursor: string;
  readonly line: JobLine;
  /** True on the first event when `after` could not be used: lines come from the earliest that is kept. */
  readonly reset: boolean;
}

const action = jobActions['project:jobs:read'];

/** What a job says, oldest first, then what comes. Ends when the caller loses its right to the project. */
export const followJobLogs = (
  ctx: Context,
  { after, first, ...wanted }: FollowJobLogsOptions,
): FeedSource<JobLine, JobLineArrived> =>
  new FeedSource(ctx, first, async () => {
    const opened = await execute(openJobLogs, ctx, { ...wanted, cursor: after });
    const { feed, position, head, reset, jobId, projectId } = opened;
    return {
      feed,
      position,
      head,
      reset,
      // A line is the same for all readers.
      audience: `${feedKey(feed.name)}:${jobId}`,
      authority: projectAuthority(await ctx.caller(), feed.name.orgId, projectId, action),
      revoked: () => notAuthorized(action, 'project_not_found'),
      selects: selectOf(jobId),
      toEvent: eventsOf(ctx.services, feed),
    };
  });

// Out here, so that an audience, which outlives who began it, holds nothing of its subscribers.
const selectOf =
  (job: string) =>
  (line: JobLine): boolean =>
    line.jobId === job;

const eventsOf =
  ({ keys }: Context['services'], feed: Feed<JobLine>) =>
  (line: JobLine, reset: boolean): JobLineArrived => ({
    cursor: feedCursor(keys, feed, line.position),
    line,
    reset,
  });
