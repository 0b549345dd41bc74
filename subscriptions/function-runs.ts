import { notAuthorized } from '../kernel/access/access.ts';
import { projectAuthority } from '../kernel/access/authority.ts';
import type { ChangeRow } from '../kernel/feeds/changes.ts';
import { type Feed, feedCursor, feedKey } from '../kernel/feeds/feeds.ts';
import type { Context } from '../kernel/run/context.ts';
import { execute } from '../kernel/run/execute.ts';
import { openFunctionRun } from '../resolvers/functions/runs/read-runs.ts';
import type { RunChange } from '../resolvers/functions/runs/run-row.ts';
import { functionActions } from '../resolvers/functions/shared/actions.ts';
import { FeedSource } from './feed-source.ts';

export interface FollowFunctionRunOptions {
  readonly run: string;
  /** Cursor to resume from. @default how the run stands now */
  readonly after?: string | undefined;
  /** Ends after so many changes. @default never */
  readonly first?: number | undefined;
}

/** A run as it stood after a change, with the cursor to resume after it. */
export interface FunctionRunChanged {
  readonly cursor: string;
  readonly run: RunChange;
  /** True on the first event when `after` could not be used: changes come from the earliest that is kept. */
  readonly reset: boolean;
}

const action = functionActions['project:functions:read'];

/** How a run stands, and then what becomes of it. Ends when the caller loses its right to the project. */
export const followFunctionRun = (
  ctx: Context,
  { run, after, first }: FollowFunctionRunOptions,
): FeedSource<ChangeRow<RunChange>, FunctionRunChanged> =>
  new FeedSource(ctx, first, async () => {
    const { feed, position, head, reset, projectId } = await execute(openFunctionRun, ctx, { run, cursor: after });
    return {
      feed,
      position,
      head,
      reset,
      // A change is the same for all readers.
      audience: `${feedKey(feed.name)}:${run}`,
      authority: projectAuthority(await ctx.caller(), feed.name.orgId, projectId, action),
      revoked: () => notAuthorized(action, 'project_not_found'),
      selects: selectOf(run),
      toEvent: eventsOf(ctx.services, feed),
    };
  });

// Out here, so that an audience, which outlives who began it, holds nothing of its subscribers.
const selectOf =
  (run: string) =>
  ({ objectId }: ChangeRow<RunChange>): boolean =>
    objectId === run;

const eventsOf =
  ({ keys }: Context['services'], feed: Feed<ChangeRow<RunChange>>) =>
  ({ position, change }: ChangeRow<RunChange>, reset: boolean): FunctionRunChanged => ({
    cursor: feedCursor(keys, feed, position),
    run: change,
    reset,
  });
