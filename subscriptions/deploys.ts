import { notAuthorized } from '../kernel/access/access.ts';
import { projectAuthority } from '../kernel/access/authority.ts';
import { type Feed, feedCursor, feedKey } from '../kernel/feeds/feeds.ts';
import type { Context } from '../kernel/run/context.ts';
import { execute } from '../kernel/run/execute.ts';
import type { DeployEvent, DeployEventRow } from '../resolvers/deploys/deploy-feed.ts';
import { openDeploy } from '../resolvers/deploys/open-deploy.ts';
import { deployActions } from '../resolvers/deploys/shared/actions.ts';
import { FeedSource } from './feed-source.ts';

export interface FollowDeployOptions {
  readonly operation: string;
  /** Cursor to resume from. @default the beginning */
  readonly after?: string | undefined;
  /** Ends after so many events. @default never */
  readonly first?: number | undefined;
}

/** Something that happened in a deploy, with the cursor to resume after it. */
export interface DeployEventArrived {
  readonly cursor: string;
  readonly operationId: string;
  readonly projectId: string;
  readonly orgId: string;
  readonly event: DeployEvent;
  /** True on the first event when `after` could not be used: the deploy is told from its beginning. */
  readonly reset: boolean;
}

const action = deployActions['project:deploys:read'];

/** What happens in a deploy, oldest first, then what comes. Ends when the caller loses its right to the project. */
export const followDeploy = (
  ctx: Context,
  { operation, after, first }: FollowDeployOptions,
): FeedSource<DeployEventRow, DeployEventArrived> =>
  new FeedSource(ctx, first, async () => {
    const { feed, position, head, reset, projectId } = await execute(openDeploy, ctx, { operation, cursor: after });
    return {
      feed,
      position,
      head,
      reset,
      // An event is the same for all readers.
      audience: `${feedKey(feed.name)}:${operation}`,
      authority: projectAuthority(await ctx.caller(), feed.name.orgId, projectId, action),
      revoked: () => notAuthorized(action, 'project_not_found'),
      selects: selectOf(operation),
      toEvent: eventsOf(ctx.services, feed, projectId),
    };
  });

// Out here, so that an audience, which outlives who began it, holds nothing of its subscribers.
const selectOf =
  (operation: string) =>
  ({ operationId }: DeployEventRow): boolean =>
    operationId === operation;

const eventsOf =
  ({ keys }: Context['services'], feed: Feed<DeployEventRow>, projectId: string) =>
  ({ position, operationId, event }: DeployEventRow, reset: boolean): DeployEventArrived => ({
    cursor: feedCursor(keys, feed, position),
    operationId,
    projectId,
    orgId: feed.name.orgId,
    event,
    reset,
  });
