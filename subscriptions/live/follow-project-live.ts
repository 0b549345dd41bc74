import { notAuthorized } from '../../kernel/access/access.ts';
import type { Context } from '../../kernel/run/context.ts';
import { execute } from '../../kernel/run/execute.ts';
import { openLive } from '../../resolvers/live/open-live.ts';
import { projectActions } from '../../resolvers/projects/shared/actions.ts';
import { authorityLost } from '../feed-source.ts';
import { stoppable } from '../stoppable.ts';
import { followLive, type LiveEvent } from './follow-live.ts';

export interface FollowProjectLiveOptions {
  readonly project: string;
  readonly tables: readonly string[];
  /** Cursor to resume from. @default what comes from now on */
  readonly after?: string | undefined;
}

/** All hints of a project's tables, for callers that may see all of its rows. Ends when the caller loses that right. */
export const followProjectLive = (ctx: Context, options: FollowProjectLiveOptions): AsyncIterable<LiveEvent> =>
  stoppable(ctx.signal, (signal) => follow(ctx, options, signal));

async function* follow(
  ctx: Context,
  { project, tables, after }: FollowProjectLiveOptions,
  signal: AbortSignal,
): AsyncGenerator<LiveEvent, void, undefined> {
  const { services } = ctx;
  const opened = await execute(openLive, ctx, { project, tables: [...tables] });
  const lost = new AbortController();
  const unwatch = services.authority.watch(opened.authority, (reason) => lost.abort(reason));
  try {
    yield* followLive(services, {
      target: opened.target,
      identity: { kind: 'service' },
      tables: opened.tables,
      cursor: after,
      counted: true,
      signal: AbortSignal.any([signal, lost.signal]),
    });
    if (lost.signal.aborted)
      throw authorityLost(lost.signal.reason, () => notAuthorized(projectActions['project:sql'], 'member'));
  } finally {
    unwatch();
  }
}
