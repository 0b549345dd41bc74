import type { z } from 'zod';
import { notAuthorized } from '../kernel/access/access.ts';
import { projectAuthority } from '../kernel/access/authority.ts';
import { type Feed, feedCursor, feedKey } from '../kernel/feeds/feeds.ts';
import type { Context } from '../kernel/run/context.ts';
import { execute } from '../kernel/run/execute.ts';
import type { FunctionLine } from '../resolvers/functions/log-feed.ts';
import { openFunctionLogs } from '../resolvers/functions/open-function-logs.ts';
import { functionActions } from '../resolvers/functions/shared/actions.ts';
import { FeedSource } from './feed-source.ts';

export interface FollowFunctionLogsOptions extends Omit<z.input<typeof openFunctionLogs.input>, 'cursor'> {
  /** Cursor to resume from, in place of `tail`. */
  readonly after?: string | undefined;
  /** Ends after so many lines. @default never */
  readonly first?: number | undefined;
}

/** A line that a function printed, with the cursor to resume after it. */
export interface FunctionLineArrived {
  readonly cursor: string;
  readonly line: FunctionLine;
  /** True on the first event when `after` could not be used: lines come from the earliest that is kept. */
  readonly reset: boolean;
}

const action = functionActions['project:functions:read'];

/** What a function prints, oldest first, then what comes. Ends when the caller loses its right to the project. */
export const followFunctionLogs = (
  ctx: Context,
  { after, first, ...wanted }: FollowFunctionLogsOptions,
): FeedSource<FunctionLine, FunctionLineArrived> =>
  new FeedSource(ctx, first, async () => {
    const { project, name, request_id: requestId, stream } = wanted;
    const { feed, position, head, reset } = await execute(openFunctionLogs, ctx, { ...wanted, cursor: after });
    return {
      feed,
      position,
      head,
      reset,
      // A line is the same for all readers.
      audience: `${feedKey(feed.name)}:${JSON.stringify([name, requestId, stream])}`,
      authority: projectAuthority(await ctx.caller(), feed.name.orgId, project, action),
      revoked: () => notAuthorized(action, 'project_not_found'),
      selects: selectOf({ name, requestId, stream }),
      toEvent: eventsOf(ctx.services, feed),
    };
  });

// Out here, so that an audience, which outlives who began it, holds nothing of its subscribers.
const selectOf =
  ({
    name,
    requestId,
    stream,
  }: {
    readonly name: string;
    readonly requestId?: string | undefined;
    readonly stream?: string | undefined;
  }) =>
  (line: FunctionLine): boolean =>
    line.function === name &&
    (requestId === undefined || line.requestId === requestId) &&
    (stream === undefined || line.stream === stream);

const eventsOf =
  ({ keys }: Context['services'], feed: Feed<FunctionLine>) =>
  (line: FunctionLine, reset: boolean): FunctionLineArrived => ({
    cursor: feedCursor(keys, feed, line.position),
    line,
    reset,
  });
